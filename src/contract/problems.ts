// What is wrong with a request, as data, and the one error that several problems become.
import type { ErrorCode, PublicError } from "./errors.ts";

export interface Problem {
  /** The top-level field, or null when no single field is to blame. */
  param: string | null;
  /** A sentence. Never holds a value the client sent, save a number that is no part of a prompt. */
  message: string;
}

export interface CodedProblem extends Problem {
  code: ErrorCode;
}

/** The first problem gives `code` and `param`; the message has them all, in order. */
export function errorFromProblems(problems: readonly (Problem | CodedProblem)[]): PublicError {
  const [first] = problems;
  if (first === undefined) throw new Error("errorFromProblems needs a problem");
  const code = "code" in first ? first.code : "invalid_request";
  const message =
    problems.length === 1
      ? first.message
      : `${problems.length} problems. ${problems.map((each, at) => `(${at + 1}) ${each.message}`).join(" ")}`;
  return { code, message, param: first.param };
}

/** What a value is, for a message: its type, and the value only where it is a number. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  switch (typeof value) {
    case "string":
      return value === "" ? "an empty string" : "a string";
    case "number":
      return String(value);
    case "boolean":
      return "a boolean";
    default:
      return "an object";
  }
}

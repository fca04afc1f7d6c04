// vLLM's error bodies. Its own refusals and those of the validation in front of it (FastAPI) differ
// in `type`, and errors inside a stream are written by another serialiser, with spaces.
import { pythonDumps } from "./json-text.ts";

export interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: number };
}

export class RequestError extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;

  constructor(status: number, type: string, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.type = type;
    this.param = param;
  }

  body(): ErrorBody {
    const { message, type, param, status } = this;
    return { error: { message, type, param, code: status } };
  }
}

/** A refusal by vLLM itself; names the parameter and its value at the end, as vLLM does. */
export function refused(
  message: string,
  param: string | null = null,
  value?: unknown,
): RequestError {
  const facts: string[] = [];
  if (param !== null) facts.push(`parameter=${param}`);
  if (value !== undefined) facts.push(`value=${pythonDumps(value)}`);
  const suffix = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return new RequestError(400, "BadRequestError", `${message}${suffix}`, param);
}

/** A refusal by the schema in front of vLLM. */
export function invalid(problems: readonly string[], param: string): RequestError {
  const count = problems.length;
  const lines = problems.map((problem) => `\n  ${problem}`).join("");
  const message = `${count} validation error${count === 1 ? "" : "s"}:${lines}`;
  return new RequestError(400, "Bad Request", message, param);
}

export function modelNotFound(model: string): RequestError {
  const message = `The model \`${model}\` does not exist.`;
  return new RequestError(404, "NotFoundError", message, "model");
}

/** The event a stream carries in place of a status: vLLM has sent 200 by then. */
export function errorEvent(error: RequestError): string {
  return `data: ${pythonDumps(error.body())}\n\n`;
}

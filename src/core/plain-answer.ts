// What the gateway changes in a plain answer, and the usage it reads there: all of it in the first
// and the last bytes, so that an answer of gigabytes needs neither memory nor a parser. Refuses I/O.
import type { UsageFigures } from "./answer-bytes.ts";
import {
  asciiBytes,
  findChoices,
  findModel,
  findTail,
  hasBrokenChoice,
  joinBytes,
  readUsage,
  writeTail,
} from "./answer-bytes.ts";

/**
 * How many of an answer's last bytes are surely at hand when it ends. `usage` and its neighbours
 * take some hundred; KV transfer parameters of a disaggregated backend can take kilobytes.
 */
export const TAIL_BYTES = 65_536;

/** What OpenAI's answer has behind `choices`; all else there is the engine's own business. */
const KEPT_MEMBERS: ReadonlySet<string> = new Set(["service_tier", "system_fingerprint", "usage"]);

/** Replaces from..to by `bytes`. */
export interface Replacement {
  from: number;
  to: number;
  bytes: Uint8Array;
}

/** `model` becomes the catalogue's id. Null when the first bytes are those of no completion. */
export function rewriteHead(first: Uint8Array, modelId: string): Replacement | null {
  const choicesAt = findChoices(first, 0, first.length);
  if (choicesAt < 0) return null;
  const model = findModel(first, 0, choicesAt);
  if (model === null) return null;
  return { ...model, bytes: asciiBytes(modelId) };
}

export interface PlainTail {
  usage: UsageFigures;
  /** From behind `choices` to the end of the answer. */
  replacement: Replacement;
}

/**
 * The usage, and what the answer ends with. `last` are the final bytes of the answer. Null when it
 * broke off, has no usage, or a choice was given up by the engine: then it is no answer.
 */
export function rewriteTail(last: Uint8Array): PlainTail | null {
  let to = last.length;
  while (to > 0 && isSpace(last[to - 1])) to -= 1;
  const tail = findTail(last, Math.max(0, to - TAIL_BYTES), to);
  if (tail === null) return null;
  const usage = readUsage(tail.members.usage);
  if (usage === null || hasBrokenChoice(last, 0, tail.choicesEnd)) return null;
  const bytes = writeTail(tail.members, KEPT_MEMBERS);
  return { usage, replacement: { from: tail.choicesEnd, to: last.length, bytes } };
}

export interface WholeAnswer {
  /** As the client gets it. */
  body: Uint8Array<ArrayBuffer>;
  usage: UsageFigures;
}

/** Of an answer whose bytes are all at hand. Null when it is none. */
export function rewriteWhole(bytes: Uint8Array, modelId: string): WholeAnswer | null {
  const head = rewriteHead(bytes, modelId);
  const tail = rewriteTail(bytes);
  if (head === null || tail === null) return null;
  return { body: replaceBytes(bytes, [head, tail.replacement]), usage: tail.usage };
}

/** `bytes` with the replacements in their order, none of which overlap. */
export function replaceBytes(
  bytes: Uint8Array,
  replacements: readonly Replacement[],
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, bytes: other } of replacements) {
    parts.push(bytes.subarray(at, from), other);
    at = to;
  }
  parts.push(bytes.subarray(at));
  return joinBytes(parts);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

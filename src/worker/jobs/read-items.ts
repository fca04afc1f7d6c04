// A Job's items as they are in the store: one line each, `{"custom_id", "body"}`.
import type { InputSlice } from "../../contract/jobs.ts";

export interface JobItem {
  /** Counted from the Job's first. */
  index: number;
  /** Of its line in the Job's input. */
  offset: number;
  customId: string;
  body: unknown;
}

/** Throws where the store has something else than was written there; never says what. */
export function readItems(bytes: Uint8Array, { from, items, offset }: InputSlice): JobItem[] {
  const list: JobItem[] = [];
  const utf8 = new TextDecoder();
  let at = 0;
  while (at < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    const line = utf8.decode(bytes.subarray(at, end));
    list.push({ index: from + list.length, offset: offset + at, ...readLine(line) });
    at = end + 1;
  }
  if (list.length !== items) {
    throw new Error(`the input has ${list.length} items where ${items} should be`);
  }
  return list;
}

const NEWLINE = 0x0a;

function readLine(line: string): { customId: string; body: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The parser's own message quotes the text, which is somebody's prompt.
    throw new Error("a line of the input is no JSON");
  }
  const { custom_id: customId, body } = (value ?? {}) as { custom_id?: unknown; body?: unknown };
  if (typeof customId !== "string") throw new Error("a line of the input has no custom_id");
  return { customId, body };
}

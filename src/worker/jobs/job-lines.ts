// Reads lines from a body, each as it comes: nothing is kept but the one that is not complete.
import { JOB_INPUT_MAX_BYTES, JOB_LINE_MAX_BYTES } from "../../contract/job-limits.ts";
import { splitLines } from "../../core/line-split.ts";
import { Refused } from "../refuse.ts";

/** What one read asks for; smaller ones cost more than the lines in them. */
const READ_LEAST_BYTES = 64 * 1024;
const READ_BYTES = 256 * 1024;

/** Lines are UTF-8, whatever the body's type says. A byte order mark at a line's begin is left out. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

interface LineReader {
  /** Called for each line that is not blank; `number` counts all of them, from 1. */
  onLine(text: string, number: number): void;
  /** Called between two reads; the next one waits for it. */
  between(): Promise<void>;
}

/** Throws `Refused` 400 or 413, and what `onLine` throws; the rest of the body is then still to come. */
export async function readLines(
  body: ReadableStream<Uint8Array>,
  { onLine, between }: LineReader,
): Promise<void> {
  const lines = splitLines(JOB_LINE_MAX_BYTES);
  let number = 0;
  const take = (line: Uint8Array) => {
    number += 1;
    const text = decode(line, number);
    if (text.trim() !== "") onLine(text, number);
  };
  await readBytes(body, async (bytes) => {
    if (!lines.split(bytes, take)) throw tooLong(number + 1);
    await between();
  });
  if (lines.rest().length > 0) take(lines.rest());
}

/**
 * Hands out a body in large reads, of at most `maxBytes` in all; the bytes are written over afterwards.
 * Throws `Refused` 413, or 400 when it broke off, and what `onBytes` throws.
 */
export async function readBytes(
  body: ReadableStream<Uint8Array>,
  onBytes: (bytes: Uint8Array) => Promise<void>,
  maxBytes = JOB_INPUT_MAX_BYTES,
): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  let room = new ArrayBuffer(READ_BYTES);
  let total = 0;
  try {
    for (;;) {
      const read = await reader.readAtLeast(READ_LEAST_BYTES, new Uint8Array(room)).catch(() => {
        throw new Refused({ code: "invalid_request", message: "The body broke off." });
      });
      if (read.done || read.value.length === 0) return;
      total += read.value.length;
      if (total > maxBytes) throw tooLarge(maxBytes);
      await onBytes(read.value);
      room = read.value.buffer as ArrayBuffer;
    }
  } finally {
    reader.releaseLock();
  }
}

function tooLarge(maxBytes: number): Refused {
  return new Refused({
    code: "request_too_large",
    message: `There are more than ${maxBytes} bytes. Split them over several Jobs.`,
  });
}

function tooLong(number: number): Refused {
  return new Refused({
    code: "request_too_large",
    message: `Line ${number} has more than ${JOB_LINE_MAX_BYTES} bytes, as much as one Completion may have. Is each request on a line of its own?`,
  });
}

function decode(line: Uint8Array, number: number): string {
  try {
    return decoder.decode(line);
  } catch {
    throw new Refused({
      code: "invalid_request",
      message: `Line ${number}: It is no valid UTF-8.`,
    });
  }
}

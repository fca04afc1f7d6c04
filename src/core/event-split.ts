// Cuts a stream of bytes into SSE events, wherever its reads were cut. Refuses I/O and decoding.
//
// An event is `data: <JSON on one line>\n\n`. JSON writes a newline inside a string as `\n`, so two
// newline bytes are an event's end wherever they stand, and no UTF-8 character has such a byte.

/**
 * The largest event. `echo` with `logprobs` puts a whole prompt's into the first one; beyond this an
 * isolate of 128 MB is at risk, and the same answer without `stream` has no such bound.
 */
export const EVENT_MAX_BYTES = 33_554_432;

/** Most events that are cut at all fit in here, so that one is allocated once. */
const CARRY_LEAST_BYTES = 1_024;

const NEWLINE = 0x0a;

/** An event's bytes from..to with the two newlines at its end. Nothing overwrites them later. */
type OnEvent<T> = (bytes: Uint8Array, from: number, to: number) => T | null;

export interface EventSplitter {
  /**
   * Calls `onEvent` for each event that is complete now, until it returns a value; that is returned,
   * `"too_large"` when an event without an end has too many bytes, else null.
   */
  split<T>(bytes: Uint8Array, onEvent: OnEvent<T>): T | "too_large" | null;
}

export function splitEvents(): EventSplitter {
  let carried = new Uint8Array(0);
  let length = 0;

  function carry(part: Uint8Array): boolean {
    const needed = length + part.length;
    if (needed > EVENT_MAX_BYTES) return false;
    if (needed > carried.length) {
      // Doubling keeps the copying linear when a large event comes in many small reads.
      const room = Math.min(EVENT_MAX_BYTES, Math.max(CARRY_LEAST_BYTES, needed * 2));
      const larger = new Uint8Array(room);
      larger.set(carried.subarray(0, length));
      carried = larger;
    }
    carried.set(part, length);
    length = needed;
    return true;
  }

  /** Where in `next` the carried event ends, or -1; its two newlines may be cut apart. */
  function carriedEnd(next: Uint8Array): number {
    if (next[0] === NEWLINE && carried[length - 1] === NEWLINE) return 1;
    return eventEnd(next, 0);
  }

  function split<T>(bytes: Uint8Array, onEvent: OnEvent<T>): T | "too_large" | null {
    let at = 0;
    if (length > 0) {
      at = carriedEnd(bytes);
      if (!carry(at < 0 ? bytes : bytes.subarray(0, at))) return "too_large";
      if (at < 0) return null;
      const [whole, to] = [carried, length];
      // What is sent on points into these bytes, so the next carry gets others.
      [carried, length] = [new Uint8Array(0), 0];
      const value = onEvent(whole, 0, to);
      if (value !== null) return value;
    }
    for (;;) {
      const end = eventEnd(bytes, at);
      if (end < 0) return carry(bytes.subarray(at)) ? null : "too_large";
      const value = onEvent(bytes, at, end);
      if (value !== null) return value;
      at = end;
    }
  }

  return { split };
}

/** Just behind the two newlines that end an event, or -1. */
function eventEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (bytes[at + 1] === NEWLINE) return at + 2;
  }
  return -1;
}

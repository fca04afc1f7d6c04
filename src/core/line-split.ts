// Cuts a stream of bytes into lines, wherever its reads were cut. Refuses I/O and decoding: no UTF-8
// character but the newline itself has that byte.

const NEWLINE = 0x0a;

/** Most lines that are cut at all fit in here, so that one is allocated once. */
const CARRY_LEAST_BYTES = 4_096;

export interface LineSplitter {
  /**
   * Calls `onLine` for each line that is complete now, without its newline. Nothing of it is to be kept:
   * later bytes are written over it. False when a line without an end has more than `maxBytes`.
   */
  split(bytes: Uint8Array, onLine: (line: Uint8Array) => void): boolean;
  /** What came after the last newline; empty when that was the last byte. */
  rest(): Uint8Array;
}

export function splitLines(maxBytes: number): LineSplitter {
  let carried = new Uint8Array(0);
  let length = 0;

  function carry(part: Uint8Array): boolean {
    const needed = length + part.length;
    if (needed > maxBytes) return false;
    if (needed > carried.length) {
      // Doubling keeps the copying linear when a large line comes in many small reads.
      const larger = new Uint8Array(Math.max(CARRY_LEAST_BYTES, needed * 2));
      larger.set(carried.subarray(0, length));
      carried = larger;
    }
    carried.set(part, length);
    length = needed;
    return true;
  }

  function split(bytes: Uint8Array, onLine: (line: Uint8Array) => void): boolean {
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, at);
      if (end < 0) return carry(bytes.subarray(at));
      if (length === 0) {
        if (end - at > maxBytes) return false;
        onLine(bytes.subarray(at, end));
      } else {
        if (!carry(bytes.subarray(at, end))) return false;
        const line = carried.subarray(0, length);
        length = 0;
        onLine(line);
      }
      at = end + 1;
    }
  }

  return { split, rest: () => carried.subarray(0, length) };
}

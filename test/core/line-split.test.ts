import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitLines } from "../../src/core/line-split.ts";
import { numRuns } from "./property-runs.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The lines, and what came after the last newline; null when a line was too long. */
function linesOf(chunks: readonly Uint8Array[], maxBytes = 1_000_000): string[] | null {
  const splitter = splitLines(maxBytes);
  const lines: string[] = [];
  for (const chunk of chunks) {
    if (!splitter.split(chunk, (line) => lines.push(decoder.decode(line)))) return null;
    // What a reader does with its buffer afterwards.
    chunk.fill(0x78);
  }
  return [...lines, decoder.decode(splitter.rest())];
}

/** Cut at the given places. */
function cut(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = encoder.encode(text);
  const edges = [0, ...places.map((at) => at % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return edges.slice(1).map((to, at) => bytes.slice(edges[at], to));
}

describe("splitLines", () => {
  test("finds the same lines wherever its reads were cut", () => {
    const text = fc.string({
      unit: fc.constantFrom("\n", "a", "ü", "😀", "\r", " "),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, places) => {
        expect(linesOf(cut(whole, places))).toEqual(whole.split("\n"));
      }),
      { numRuns },
    );
  });

  test("takes a line of as many bytes as may be, and none of one more, in one read or in many", () => {
    const most = 5_000;
    for (const places of [[], [1], [4_999, 5_000], [2, 3, 2_500]]) {
      const taken = `${"x".repeat(most)}\n`;
      expect(linesOf(cut(taken, places), most)).toEqual(["x".repeat(most), ""]);
      expect(linesOf(cut(`x${taken}`, places), most)).toBeNull();
      expect(linesOf(cut("x".repeat(most + 1), places), most)).toBeNull();
    }
  });
});

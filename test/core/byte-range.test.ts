import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutPieces, readRange } from "../../src/core/byte-range.ts";
import { numRuns } from "./property-runs.ts";

describe("a Range header", () => {
  test.each([
    ["bytes=0-9", { kind: "part", first: 0, last: 9 }],
    ["bytes=90-", { kind: "part", first: 90, last: 99 }],
    ["bytes=90-1000", { kind: "part", first: 90, last: 99 }],
    ["bytes=-10", { kind: "part", first: 90, last: 99 }],
    ["bytes=-1000", { kind: "part", first: 0, last: 99 }],
    ["Bytes= 99-99 ", { kind: "part", first: 99, last: 99 }],
  ])("%j is a part of 100 bytes", (header, range) => {
    expect(readRange(header, 100)).toEqual(range);
  });

  test.each([null, "", "bytes=", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "items=0-1", "bytes=x-"])(
    "%j is answered with the whole",
    (header) => {
      expect(readRange(header, 100)).toEqual({ kind: "whole" });
    },
  );

  test.each([
    ["bytes=100-", 100],
    ["bytes=100-200", 100],
    ["bytes=-0", 100],
    ["bytes=0-", 0],
    ["bytes=-5", 0],
  ])("%j begins behind %i bytes", (header, size) => {
    expect(readRange(header, size)).toEqual({ kind: "unsatisfiable" });
  });
});

describe("the pieces of a range", () => {
  test("are the same bytes as of the whole", () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 12 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pieces, fc.nat(), fc.nat(), (contents, one, other) => {
        const whole = contents.flatMap((bytes) => [...bytes]);
        fc.pre(whole.length > 0);
        const [first = 0, last = 0] = [one % whole.length, other % whole.length].sort(
          (a, b) => a - b,
        );
        const stored = contents.map((bytes) => ({ of: bytes, bytes: bytes.length }));
        const cut = cutPieces(stored, { first, last });
        expect(cut.every(({ length }) => length > 0)).toBe(true);
        const read = cut.flatMap(({ of, offset, length }) => [
          ...of.slice(offset, offset + length),
        ]);
        expect(read).toEqual(whole.slice(first, last + 1));
      }),
      { numRuns },
    );
  });
});

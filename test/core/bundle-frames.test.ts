import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BundleFrames, FrameDefect } from "../../src/core/bundle-frames.ts";

const utf8 = new TextEncoder();
const BODY_MAX_BYTES = 1_000;

interface Sent {
  line: number;
  status: number;
  retryAfter: string | null;
  body: Uint8Array;
  /** Lines without anything before it. */
  alive: number;
}

const sentFrame: fc.Arbitrary<Sent> = fc.record({
  line: fc.nat(63),
  status: fc.constantFrom(200, 400, 503),
  retryAfter: fc.option(fc.constantFrom("1", "30")),
  // Line feeds and braces inside an answer are nothing but its bytes.
  body: fc.uint8Array({ max: 0x7f, maxLength: 200 }),
  alive: fc.nat(2),
});

function bytesOf({ line, status, retryAfter, body, alive }: Sent): Uint8Array {
  const head = { line, status, bytes: body.length, retry_after: retryAfter ?? undefined };
  const begin = utf8.encode(`${"\n".repeat(alive)}${JSON.stringify(head)}\n`);
  return Uint8Array.from([...begin, ...body, 0x0a]);
}

/** Cut wherever the numbers say. */
function chunksOf(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const to = at + (sizes[chunks.length % sizes.length] ?? 1);
    chunks.push(bytes.slice(at, to));
    at = to;
  }
  return chunks;
}

test("frames come out as they went in, wherever they are cut", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });
  const frames = fc.array(sentFrame, { maxLength: 8 });
  fc.assert(
    fc.property(frames, sizes, (sent, cuts) => {
      const bytes = Uint8Array.from(sent.flatMap((frame) => [...bytesOf(frame)]));
      const reader = new BundleFrames(BODY_MAX_BYTES);
      const read = chunksOf(bytes, cuts).flatMap((chunk) => reader.read(chunk));
      expect(read.map((frame) => ({ ...frame, body: [...frame.body] }))).toEqual(
        sent.map(({ alive: _, ...frame }) => ({ ...frame, body: [...frame.body] })),
      );
    }),
  );
});

test("a frame is there with its last byte, and not before", () => {
  const bytes = utf8.encode('{"line":0,"status":200,"bytes":2}\n{}\n');
  const reader = new BundleFrames(BODY_MAX_BYTES);
  expect(reader.read(bytes.subarray(0, -1))).toEqual([]);
  expect(reader.read(bytes.subarray(-1))).toHaveLength(1);
});

describe("what is no frame is refused", () => {
  test.each([
    ["a head that is no JSON", "<html>\n"],
    ["a head without a status", '{"line":0,"bytes":1}\n'],
    ["a negative length", '{"line":0,"status":200,"bytes":-1}\n'],
    ["a length that is no number", '{"line":0,"status":200,"bytes":"1"}\n'],
    ["an answer longer than its head says", '{"line":0,"status":200,"bytes":1}\nab\n'],
    ["an answer larger than it may be", '{"line":0,"status":200,"bytes":1001}\n'],
    ["a head without an end", "x".repeat(2_000)],
  ])("%s", (_, text) => {
    expect(() => new BundleFrames(BODY_MAX_BYTES).read(utf8.encode(text))).toThrow(FrameDefect);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCompletionRequest } from "../../src/contract/completion-request.ts";
import {
  SLICE_ANSWER_MAX_BYTES,
  SLICE_ITEMS_MOST,
  SLICE_MAX_BYTES,
  SLICE_TOKENS_MOST,
} from "../../src/contract/job-limits.ts";
import { answerBytesBound, type ItemSize, SliceCutter } from "../../src/core/job-slices.ts";
import { numRuns } from "./property-runs.ts";

const item: fc.Arbitrary<ItemSize> = fc.record({
  bytes: fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 2_000_000 })),
  answerBytes: fc.oneof(
    fc.integer({ min: 1, max: 10_000 }),
    fc.integer({ min: 1, max: 2 * SLICE_ANSWER_MAX_BYTES }),
  ),
  tokens: fc.integer({ min: 0, max: SLICE_TOKENS_MOST / 8 }),
});

function cut(items: readonly ItemSize[]) {
  const cutter = new SliceCutter();
  for (const size of items) cutter.add(size);
  return cutter.finish();
}

describe("a Job's slices", () => {
  test("are all items in order, without gaps, each within its bounds", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 120 }), (items) => {
        let [from, offset] = [0, 0];
        for (const slice of cut(items)) {
          expect([slice.from, slice.offset]).toEqual([from, offset]);
          const own = items.slice(from, from + slice.items);
          const sum = (of: (item: ItemSize) => number) =>
            own.reduce((all, one) => all + of(one), 0);
          expect(slice.bytes).toBe(sum(({ bytes }) => bytes));
          expect(slice.items).toBeGreaterThan(0);
          if (slice.items > 1) {
            expect(slice.items).toBeLessThanOrEqual(SLICE_ITEMS_MOST);
            expect(slice.bytes).toBeLessThanOrEqual(SLICE_MAX_BYTES);
            expect(sum(({ answerBytes }) => answerBytes)).toBeLessThanOrEqual(
              SLICE_ANSWER_MAX_BYTES,
            );
            expect(sum(({ tokens }) => tokens)).toBeLessThanOrEqual(SLICE_TOKENS_MOST);
          }
          expect(slice.large).toBe(sum(({ answerBytes }) => answerBytes) > SLICE_ANSWER_MAX_BYTES);
          [from, offset] = [from + slice.items, offset + slice.bytes];
        }
        expect(from).toBe(items.length);
      }),
      { numRuns },
    );
  });

  test("are as few as the bounds let them be", () => {
    const small = Array.from({ length: 2 * SLICE_ITEMS_MOST + 1 }, () => {
      return { bytes: 100, answerBytes: 1_000, tokens: 16 };
    });
    expect(cut(small).map(({ items }) => items)).toEqual([SLICE_ITEMS_MOST, SLICE_ITEMS_MOST, 1]);
    const long = small.slice(0, 5).map((size) => ({ ...size, tokens: SLICE_TOKENS_MOST / 2 }));
    expect(cut(long).map(({ items }) => items)).toEqual([2, 2, 1]);
  });

  test("have a large answer alone, and say so", () => {
    const large = { bytes: 100, answerBytes: SLICE_ANSWER_MAX_BYTES + 1, tokens: 16 };
    const small = { bytes: 100, answerBytes: 10, tokens: 16 };
    const slices = cut([small, large, small, small]);
    expect(slices.map(({ items, large: isLarge }) => [items, isLarge])).toEqual([
      ...[
        [1, false],
        [1, true],
        [2, false],
      ],
    ]);
  });
});

describe("an answer's bound in bytes", () => {
  const bound = (fields: object) => {
    const parsed = parseCompletionRequest({ model: "m", prompt: "Call me Ishmael", ...fields });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return answerBytesBound(parsed.request, 50_257);
  };

  test("is small for a small answer, so that slices have their most items", () => {
    expect(bound({ max_tokens: 16 }) * SLICE_ITEMS_MOST).toBeLessThan(SLICE_ANSWER_MAX_BYTES);
  });

  test("is above what a whole vocabulary takes, some 4 MB a token of the prompt", () => {
    expect(bound({ prompt_logprobs: -1, prompt: [1, 2] })).toBeGreaterThan(2 * 4_000_000);
    const whole = { logprobs: -1, return_tokens_as_token_ids: true, max_tokens: 2 };
    expect(bound(whole)).toBeGreaterThan(2 * 50_257 * 40);
  });

  test.each([
    ["max_tokens", { max_tokens: 32 }],
    ["n", { n: 2 }],
    ["prompts", { prompt: ["Call me Ishmael", "Call me Ishmael"] }],
    ["logprobs", { logprobs: 5 }],
    ["logprob_token_ids", { logprobs: 0, logprob_token_ids: [1, 2, 3] }],
    ["prompt_logprobs", { prompt_logprobs: 5 }],
    ["echo", { echo: true }],
    ["return_token_ids", { return_token_ids: true }],
  ])("grows with %s", (_, fields) => {
    expect(bound(fields)).toBeGreaterThan(bound({}));
  });
});

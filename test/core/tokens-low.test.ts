// When a person hears that their tokens are low.
import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeLow, type LowMark, lowBelow, markGrant } from "../../src/core/tokens-low.ts";
import { numRuns } from "./property-runs.ts";

/** How often it was said while so much was spent, step by step, of what was granted. */
function saidAt(granted: number, spent: readonly number[], from: LowMark | null = null) {
  let mark = from ?? markGrant({ granted, spent: 0 });
  const said: number[] = [];
  for (const now of spent) {
    const judged = judgeLow(mark, { granted, spent: now });
    mark = judged.mark;
    if (judged.fell) said.push(now);
  }
  return { said, mark };
}

test("it is said once, when less than a tenth is left", () => {
  expect(saidAt(1_000, [0, 500, 900, 901, 950, 1_000]).said).toEqual([901]);
});

test("it is said again only after another Grant, of what there was then", () => {
  const { mark } = saidAt(1_000, [950]);
  expect(mark.isLow).toBe(true);
  const next = markGrant({ granted: 1_500, spent: 950 });
  expect(lowBelow(next)).toBe(55);
  expect(saidAt(1_500, [1_000, 1_445, 1_446, 1_500], next).said).toEqual([1_446]);
});

test("of an Account that has no mark yet it is not said at once", () => {
  const first = judgeLow(null, { granted: 1_000, spent: 990 });
  expect(first).toEqual({ mark: { base: 10, isLow: false }, fell: false });
  expect(judgeLow(first.mark, { granted: 1_000, spent: 1_000 }).fell).toBe(true);
});

test("with nothing granted there is nothing to say", () => {
  expect(saidAt(0, [0, 0]).said).toEqual([]);
});

test("whatever is spent in whatever steps, it is said at most once a Grant, and always at the end", () => {
  const law = fc.property(
    fc.integer({ min: 1, max: 1e12 }),
    fc.array(fc.nat(1e9)),
    (granted, by) => {
      let sum = 0;
      const steps = [...by, granted].map((step) => (sum = Math.min(granted, sum + step)));
      const { said } = saidAt(granted, steps);
      expect(said).toHaveLength(1);
      expect(granted - (said[0] ?? 0)).toBeLessThan(granted / 10 + 1);
    },
  );
  fc.assert(law, { numRuns });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DayAmount,
  SERIES_MOST,
  stackedBars,
  ticksUpTo,
} from "../../src/core/stacked-bars.ts";

const november = { from: "2026-11-01", to: "2026-11-30" };

function amount(day: string, series: string, tokens: number): DayAmount {
  return { day, series, amount: tokens };
}

const amounts = fc.array(
  fc.record({
    day: fc.integer({ min: 1, max: 30 }).map((day) => `2026-11-${String(day).padStart(2, "0")}`),
    series: fc.integer({ min: 0, max: 12 }).map((one) => `model ${one}`),
    amount: fc.integer({ min: 0, max: 10 ** 12 }),
  }),
  { maxLength: 100 },
);

describe("stacked bars", () => {
  test("have a bar for every day, also where nothing was used", () => {
    const { bars, unit } = stackedBars([amount("2026-11-29", "local", 5)], november);
    expect(unit).toBe("day");
    expect(bars).toHaveLength(30);
    expect(bars[0]).toEqual({ label: "2026-11-01", total: 0, segments: [] });
    expect(bars[28]?.segments).toEqual([{ place: 0, amount: 5, from: 0, height: 5 / 6 }]);
  });

  test("put the largest series at the foot, and stand on each other", () => {
    const { bars, series } = stackedBars(
      [amount("2026-11-02", "small", 10), amount("2026-11-02", "large", 30)],
      november,
    );
    expect(series).toEqual([
      { series: "large", total: 30 },
      { series: "small", total: 10 },
    ]);
    expect(bars[1]?.segments).toEqual([
      { place: 0, amount: 30, from: 0, height: 0.75 },
      { place: 1, amount: 10, from: 0.75, height: 0.25 },
    ]);
  });

  test("draw the smaller series as one where colours would run out", () => {
    const many = Array.from({ length: 10 }, (_, index) =>
      amount("2026-11-02", `key ${index}`, 100 - index),
    );
    const { series, bars } = stackedBars(many, november);
    expect(series).toHaveLength(SERIES_MOST + 1);
    expect(series.at(-1)).toEqual({ series: null, total: 94 + 93 + 92 + 91 });
    expect(bars[1]?.segments.at(-1)?.amount).toBe(94 + 93 + 92 + 91);
  });

  test("are months where a year is asked for", () => {
    const year = { from: "2025-12-01", to: "2026-11-30" };
    const { unit, bars } = stackedBars(
      [amount("2026-11-01", "local", 2), amount("2026-11-30", "local", 3)],
      year,
    );
    expect(unit).toBe("month");
    expect(bars.map(({ label }) => label).slice(-2)).toEqual(["2026-10", "2026-11"]);
    expect(bars.at(-1)?.total).toBe(5);
  });

  test("leave out what is outside the range", () => {
    const { bars, series } = stackedBars([amount("2026-10-31", "local", 5)], november);
    expect(series).toEqual([]);
    expect(bars.every(({ total }) => total === 0)).toBe(true);
  });

  test("lose no token and never stand above the plot", () => {
    fc.assert(
      fc.property(amounts, (all) => {
        const { bars, series } = stackedBars(all, november);
        const given = all.reduce((sum, one) => sum + one.amount, 0);
        const drawn = bars.flatMap(({ segments }) => segments);
        expect(drawn.reduce((sum, one) => sum + one.amount, 0)).toBe(given);
        expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(given);
        expect(series.reduce((sum, { total }) => sum + total, 0)).toBe(given);
        for (const { from, height } of drawn) expect(from + height).toBeLessThan(1 + 1e-9);
      }),
    );
  });
});

describe("the lines across", () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [40, [0, 10, 20, 30, 40]],
    [41, [0, 20, 40, 60]],
    [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
  ])("for %d are whole and round", (largest, ticks) => {
    expect(ticksUpTo(largest)).toEqual(ticks);
  });

  test("are few, and reach what is largest", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 15 }), (largest) => {
        const ticks = ticksUpTo(largest);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest);
      }),
    );
  });
});

import { describe, expect, test } from "vitest";
import type { SpendOverview } from "../../src/contract/spend.ts";
import { spendCurve, spendGauge } from "../../src/core/spend-curve.ts";

type Figures = Parameters<typeof spendCurve>[0];

function month(change: Partial<SpendOverview> = {}): Figures {
  return {
    ...{ month: "2026-11", limitUsd: 100, spentUsd: 30, windDownUsd: 5, forecastUsd: 90 },
    days: [
      { day: "2026-11-01", usd: 10, containerSeconds: 3_600 },
      { day: "2026-11-03", usd: 20, containerSeconds: 7_200 },
    ],
    ...change,
  };
}

const noonOfTheThird = Date.parse("2026-11-03T12:00:00Z");

describe("the month's curve", () => {
  test("ends each step where a day ends, and at now with all that was spent", () => {
    const { spent, ticks } = spendCurve(month(), noonOfTheThird);
    expect(ticks.at(-1)).toEqual({ usd: 100, y: 1 });
    expect(spent).toEqual([
      { x: 0, y: 0 },
      { x: 1 / 30, y: 0.1 },
      { x: 2 / 30, y: 0.1 },
      { x: 2.5 / 30, y: 0.3 },
    ]);
  });

  test("goes on to the forecast at the month's end", () => {
    const { forecast, spent } = spendCurve(month(), noonOfTheThird);
    expect(forecast).toEqual([spent.at(-1), { x: 1, y: 0.9 }]);
  });

  test("never heads below what is spent already", () => {
    const { forecast } = spendCurve(month({ forecastUsd: 0 }), noonOfTheThird);
    expect(forecast[1]).toEqual({ x: 1, y: forecast[0].y });
  });

  test("draws the limit, unless it is so far above that the curve would be flat", () => {
    expect(spendCurve(month(), noonOfTheThird).limitY).toBe(1);
    expect(spendCurve(month({ limitUsd: 361 }), noonOfTheThird).limitY).toBeNull();
  });

  test("has room for a limit of nothing, and for a month in which nothing ran", () => {
    const idle = month({ limitUsd: 0, spentUsd: 0, forecastUsd: 0, days: [] });
    const curve = spendCurve(idle, noonOfTheThird);
    expect(curve.limitY).toBe(0);
    expect(curve.ticks.map(({ usd }) => usd)).toEqual([0, 0.5, 1]);
    for (const { x, y } of [...curve.spent, ...curve.forecast]) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBe(0);
    }
  });

  test.each([
    ["2026-02", 28],
    ["2028-02", 29],
    ["2026-12", 31],
  ])("ends %s with its day %i", (name, days) => {
    const now = Date.parse(`${name}-${days}T23:59:59.999Z`);
    const curve = spendCurve(month({ month: name, days: [] }), now);
    expect(curve.lastDay).toBe(days);
    expect(curve.spent).toHaveLength(days + 1);
  });

  test("keeps within the picture when the month has turned since the figures were read", () => {
    const curve = spendCurve(month(), Date.parse("2026-12-01T00:00:01Z"));
    expect(curve.spent.at(-1)).toEqual({ x: 1, y: 0.3 });
    expect(curve.spent).toHaveLength(32);
  });
});

describe("the gauge", () => {
  test("is as wide as the limit", () => {
    expect(spendGauge(month())).toEqual({
      ...{ spent: 0.3, windDown: 0.05, limit: 1, spentPercent: 30 },
    });
  });

  test("is as wide as all that is spoken for where that passes the limit", () => {
    expect(spendGauge(month({ limitUsd: 17.5 }))).toEqual({
      ...{ spent: 30 / 35, windDown: 5 / 35, limit: 0.5, spentPercent: (100 * 30) / 17.5 },
    });
  });

  test("is empty for a limit of nothing of which nothing is spent", () => {
    expect(spendGauge(month({ limitUsd: 0, spentUsd: 0, windDownUsd: 0 }))).toEqual({
      ...{ spent: 0, windDown: 0, limit: 0, spentPercent: null },
    });
  });
});

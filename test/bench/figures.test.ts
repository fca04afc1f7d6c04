import { expect, it } from "vitest";
import type { Figure } from "../../bench/measure/figure.ts";
import { pairedMedian, quantile } from "../../bench/measure/statistics.ts";
import { ratioToDirect, ratioToPortkey, shownValue } from "../../bench/report/cells.ts";
import { figureTable } from "../../bench/report/table.ts";
import { judge, verdictTable } from "../../bench/report/verdicts.ts";

const latency: Figure = {
  key: "latency_p50",
  title: "added p50",
  unit: "ms",
  digits: 2,
  shown: "added",
  overRounds: "median",
  // The second round was slow for all: differences within a round do not show it.
  values: { direct: [1, 5, 1], portkey: [3, 7, 3], continuo: [2, 6, 2] },
};

it("quantiles lie between samples, in whatever order they came", () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([10, 30, 20], 1)).toBe(30);
  expect(quantile([], 0.5)).toBeNaN();
});

it("targets are compared within a round, so a slow round changes no difference", () => {
  expect(shownValue(latency, "continuo")).toBe(1);
  expect(ratioToPortkey(latency, "continuo")).toBe(0.5);
  expect(ratioToDirect(latency, "continuo")).toBe(2);
});

it("a round in which a target could not take part is left out of its comparison", () => {
  expect(pairedMedian([1, null, 3], [1, 1, 1], (value, base) => value - base)).toBe(1);
  expect(pairedMedian(undefined, [1], (value) => value)).toBeNull();
});

it("there is no ratio to a Portkey that adds nothing", () => {
  const values = { direct: [2], portkey: [1], continuo: [3] };
  expect(ratioToPortkey({ ...latency, values }, "continuo")).toBeNull();
});

it("a peak is the greatest of all rounds", () => {
  const values = { direct: [1], continuo: [5, 90, 7] };
  const peak: Figure = { ...latency, shown: "apart", overRounds: "max", values };
  expect(shownValue(peak, "continuo")).toBe(90);
});

it("the table shows direct's own time, what others add to it, and a dash for what is missing", () => {
  const lines = figureTable([latency], ["direct", "nginx", "continuo"]).split("\n");
  expect(lines[1]).toMatch(/^added p50 \(ms\)\s+\[1\.00\]\s+–\s+\+1\.00$/);
  expect(lines[3]).toMatch(/added, × Portkey\s+–\s+–\s+0\.50$/);
});

it("a goal is met by its aim, by its must or not at all, and unmeasured goals are left out", () => {
  const withContinuo = (continuo: number): Figure => ({
    ...latency,
    values: { direct: [1], portkey: [2], continuo: [continuo] },
  });
  const meets = (continuo: number) => judge([withContinuo(continuo)]).map((one) => one.meets);
  expect(meets(1.8)).toEqual(["aim"]);
  expect(meets(1.9)).toEqual(["must"]);
  expect(meets(2.1)).toEqual(["neither"]);
  expect(judge([])).toEqual([]);
  expect(verdictTable(judge([withContinuo(1.9)]))).toMatch(/must ≤ 1 × Portkey.*0\.90 +✓ must$/);
});

it("what a token adds is judged by how far direct alone scatters", () => {
  const values = { direct: [100, 101], continuo: [103, 104] };
  const stream: Figure = { ...latency, key: "stream", values, noise: 4 };
  expect(judge([stream])).toMatchObject([{ reached: 3, must: 4, noise: true, meets: "aim" }]);
  expect(judge([{ ...stream, noise: 2 }])).toMatchObject([{ meets: "neither" }]);
});

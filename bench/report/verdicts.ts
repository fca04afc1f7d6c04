// What Continuo must reach and aims for, beside what it reached. Shown, never enforced: a busy
// machine must not fail a build.
import type { Figure } from "../measure/figure.ts";
import { ratioToDirect, ratioToPortkey, shownValue } from "./cells.ts";
import { alignedRows } from "./table.ts";

interface Goal {
  title: string;
  key: string;
  unit: string;
  reached(figure: Figure): number | null;
  /** Null where the bound is how far direct alone scatters. */
  must: number | null;
  aim: number | null;
  better: "less" | "more";
}

const own = (figure: Figure): number | null => shownValue(figure, "continuo");
const byPortkey = (figure: Figure): number | null => ratioToPortkey(figure, "continuo");
const byDirect = (figure: Figure): number | null => ratioToDirect(figure, "continuo");

function largeGoals(key: string, title: string): Goal[] {
  const better = "less";
  return [
    {
      title: `${title}: wall`,
      key: `${key}_wall`,
      unit: "× direct",
      reached: byDirect,
      must: 1.5,
      aim: 1.1,
      better,
    },
    {
      title: `${title}: CPU`,
      key: `${key}_cpu`,
      unit: "ms/MB",
      reached: own,
      must: 5,
      aim: 3,
      better,
    },
    {
      title: `${title}: memory growth`,
      key: `${key}_memory`,
      unit: "MB",
      reached: own,
      must: 120,
      aim: 60,
      better,
    },
  ];
}

const goals: readonly Goal[] = [
  {
    title: "added p50 at 1 client",
    key: "latency_p50",
    unit: "× Portkey",
    reached: byPortkey,
    must: 1,
    aim: 0.8,
    better: "less",
  },
  {
    title: "requests/s, 16 clients, 16 people",
    key: "throughput",
    unit: "× Portkey",
    reached: byPortkey,
    must: 1,
    aim: 1.5,
    better: "more",
  },
  {
    title: "time to first token over direct",
    key: "first_token",
    unit: "ms",
    reached: own,
    must: 2,
    aim: 1,
    better: "less",
  },
  {
    title: "added a token, paced stream",
    key: "paced",
    unit: "µs",
    reached: own,
    must: null,
    aim: null,
    better: "less",
  },
  {
    title: "added a token, unpaced stream",
    key: "stream",
    unit: "µs",
    reached: own,
    must: null,
    aim: null,
    better: "less",
  },
  ...largeGoals("large", "large answer, ready rows"),
  ...largeGoals("model", "large answer, computed rows"),
];

export interface Verdict {
  title: string;
  unit: string;
  reached: number;
  must: number;
  aim: number | null;
  /** Whether the bound is direct's own scatter. */
  noise: boolean;
  better: "less" | "more";
  meets: "aim" | "must" | "neither";
}

/** Of the goals whose figure was measured for Continuo and for what it is compared with. */
export function judge(figures: readonly Figure[]): Verdict[] {
  return goals.flatMap((goal) => {
    const figure = figures.find(({ key }) => key === goal.key);
    const reached = figure === undefined ? null : goal.reached(figure);
    const must = goal.must ?? figure?.noise;
    if (reached === null || must === undefined) return [];
    const within = (bound: number): boolean =>
      goal.better === "less" ? reached <= bound : reached >= bound;
    const { title, unit, aim, better } = goal;
    const meets = !within(must) ? "neither" : aim === null || within(aim) ? "aim" : "must";
    return [{ title, unit, reached, must, aim, noise: goal.must === null, better, meets }];
  });
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const marks = { aim: "✓ aim", must: "✓ must", neither: "✗" } as const;
  const rows = verdicts.map(({ title, unit, reached, must, aim, noise, better, meets }) => {
    const sign = better === "less" ? "≤" : "≥";
    const bound = noise
      ? `noise of direct, ${must.toFixed(1)} ${unit}`
      : `must ${sign} ${must} ${unit}${aim === null ? "" : `, aim ${sign} ${aim}`}`;
    return [title, bound, reached.toFixed(2), meets === "aim" && aim === null ? "✓" : marks[meets]];
  });
  return alignedRows(rows);
}

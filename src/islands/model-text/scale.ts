// How a token is coloured: by log-probability, rank or surprise, in seven steps. The steps' colours are
// in model-text.css: one lightness falls from step to step, so they differ for every kind of eye.
import type { ScoredToken } from "./scored-token.ts";

export type Measure = "bits" | "logprob" | "rank";

interface Step {
  /** The largest value that belongs to it. */
  most: number;
  label: string;
}

interface Scale {
  title: string;
  measured(token: ScoredToken): number | null;
  steps: readonly Step[];
}

const surprise: readonly [number, string][] = [
  [1, "up to 1"],
  [2, "2"],
  [4, "4"],
  [6, "6"],
  [8, "8"],
  [12, "12"],
  [Number.POSITIVE_INFINITY, "more"],
];

const nats: readonly [number, string][] = [
  [0.5, "-0.5 or more"],
  [1, "-1"],
  [2, "-2"],
  [4, "-4"],
  [6, "-6"],
  [8, "-8"],
  [Number.POSITIVE_INFINITY, "less"],
];

const ranks: readonly [number, string][] = [
  [1, "1st"],
  [2, "2nd"],
  [3, "3rd"],
  [5, "5th"],
  [10, "10th"],
  [20, "20th"],
  [Number.POSITIVE_INFINITY, "over 20"],
];

export const scales: Readonly<Record<Measure, Scale>> = {
  bits: {
    title: "Surprise in bits",
    measured: ({ logprob }) => (logprob === null ? null : -logprob / Math.LN2),
    steps: stepsOf(surprise),
  },
  logprob: {
    title: "Log-probability in nats",
    measured: ({ logprob }) => (logprob === null ? null : -logprob),
    steps: stepsOf(nats),
  },
  rank: {
    title: "Rank",
    measured: ({ rank, logprob }) => rank ?? (logprob === null ? null : Number.POSITIVE_INFINITY),
    steps: stepsOf(ranks),
  },
};

/** 0 to 6; null where nothing is known of the token. */
export function levelOf(measure: Measure, token: ScoredToken): number | null {
  const { measured, steps } = scales[measure];
  const value = measured(token);
  return value === null ? null : steps.findIndex(({ most }) => value <= most);
}

/** What each colour means, where ranks are known up to `ranksMost`. */
export function legendOf(
  measure: Measure,
  ranksMost: number,
): readonly { level: number; label: string }[] {
  const rows = scales[measure].steps.map(({ most, label }, level) => ({ most, level, label }));
  if (measure !== "rank") return rows;
  const last = rows.findIndex(({ most }) => most >= ranksMost);
  const beyond = rows.length - 1;
  return rows
    .filter(({ level }) => level <= last || level === beyond)
    .map((row) => {
      if (row.level === beyond) return { ...row, label: `over ${ranksMost}` };
      return row.level === last ? { ...row, label: `${ranksMost}th` } : row;
    });
}

function stepsOf(rows: readonly [number, string][]): Step[] {
  return rows.map(([most, label]) => ({ most, label }));
}

// What the Spend page draws: the month's cost as it grew, where it is heading, and the limit above it.
// Shares of the width and height, from 0 to 1, so that whoever draws chooses the size. No clock, no I/O.
import type { SpendOverview } from "../contract/spend.ts";
import { monthEnd } from "./spend-limit.ts";

const DAY_MS = 86_400_000;

/** From the lower left corner. */
export interface CurvePoint {
  x: number;
  y: number;
}

export interface SpendCurve {
  /** From the month's begin to now; each step ends where a day does. */
  spent: CurvePoint[];
  /** From now to the month's end. */
  forecast: [CurvePoint, CurvePoint];
  /** Null where the limit is so far above that the curve would be a flat line. */
  limitY: number | null;
  /** Amounts to write at the left, in US dollars, the lowest first. */
  ticks: { usd: number; y: number }[];
  /** The month's last day, at the right end. */
  lastDay: number;
}

export interface SpendGauge {
  /** Shares of the whole width, which is the limit or, where that was passed, all that is spoken for. */
  spent: number;
  windDown: number;
  limit: number;
  /** Of the limit, in per cent; null for a limit of 0. */
  spentPercent: number | null;
}

/** Above so many times what the month will cost, the limit is told in words instead of drawn. */
const LIMIT_DRAWN_TIMES = 4;
const TICKS_WANTED = 4;
/** A month without any cost still has a scale. */
const LEAST_SCALE_USD = 1;

type Figures = Pick<
  SpendOverview,
  "month" | "limitUsd" | "spentUsd" | "forecastUsd" | "days" | "windDownUsd"
>;

export function spendCurve(overview: Figures, now: number): SpendCurve {
  const { month, limitUsd, spentUsd, forecastUsd } = overview;
  const begin = Date.parse(`${month}-01`);
  const lengthMs = monthEnd(begin) - begin;
  const at = (ms: number) => Math.min(Math.max((ms - begin) / lengthMs, 0), 1);
  const expected = Math.max(spentUsd, forecastUsd, LEAST_SCALE_USD);
  const drawsLimit = limitUsd <= expected * LIMIT_DRAWN_TIMES;
  const most = drawsLimit ? Math.max(expected, limitUsd) : expected;
  const step = niceStep(most / TICKS_WANTED);
  const steps = Math.ceil(most / step);
  const y = (usd: number) => usd / (steps * step);
  const reached = { x: at(now), y: y(spentUsd) };
  return {
    spent: [...dayEnds(overview, now).map(({ ms, usd }) => ({ x: at(ms), y: y(usd) })), reached],
    forecast: [reached, { x: 1, y: y(Math.max(forecastUsd, spentUsd)) }],
    limitY: drawsLimit ? y(limitUsd) : null,
    ticks: Array.from({ length: steps + 1 }, (_, index) => {
      return { usd: index * step, y: index / steps };
    }),
    lastDay: lengthMs / DAY_MS,
  };
}

export function spendGauge({ limitUsd, spentUsd, windDownUsd }: Figures): SpendGauge {
  const whole = Math.max(limitUsd, spentUsd + windDownUsd);
  if (whole === 0) return { spent: 0, windDown: 0, limit: 0, spentPercent: null };
  return {
    spent: spentUsd / whole,
    windDown: windDownUsd / whole,
    limit: limitUsd / whole,
    spentPercent: limitUsd === 0 ? null : (100 * spentUsd) / limitUsd,
  };
}

/** What had been spent when each day before today ended, the month's begin first. */
function dayEnds({ month, days }: Figures, now: number): { ms: number; usd: number }[] {
  const costs = new Map(days.map(({ day, usd }) => [day, usd]));
  const begin = Date.parse(`${month}-01`);
  const ends = [{ ms: begin, usd: 0 }];
  let usd = 0;
  for (let ms = begin; ms + DAY_MS <= Math.min(now, monthEnd(begin)); ms += DAY_MS) {
    usd += costs.get(new Date(ms).toISOString().slice(0, 10)) ?? 0;
    ends.push({ ms: ms + DAY_MS, usd });
  }
  return ends;
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const times = [1, 2, 5].find((one) => one * power >= atLeast) ?? 10;
  return times * power;
}

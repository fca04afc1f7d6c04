// Spans of time, cut at midnight (UTC) and added up by day. No clock, no I/O.
import type { SpendDay } from "../contract/spend.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * The days of one Model that a meter keeps: as many as a Spend limit may be out of reach for, and far
 * more than can still change.
 */
export const METERED_DAYS_KEPT = 14;

export interface MeteredDay {
  /** `2026-11-29`. */
  day: string;
  /** Whole milliseconds, so that sums of spans are exact. */
  containerMs: number;
  usd: number;
  estimated: boolean;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Adds to the days, which are in order; the oldest beyond METERED_DAYS_KEPT are dropped. */
export function meterSpan(
  days: MeteredDay[],
  { from, to }: { from: number; to: number },
  { usdPerHour, estimated }: { usdPerHour: number; estimated: boolean },
): void {
  for (let start = from; start < to; ) {
    const midnight = (Math.floor(start / DAY_MS) + 1) * DAY_MS;
    const end = Math.min(to, midnight);
    const ms = end - start;
    const metered = dayIn(days, dayOf(start));
    metered.containerMs += ms;
    metered.usd += (ms / HOUR_MS) * usdPerHour;
    metered.estimated ||= estimated;
    start = end;
  }
  days.splice(0, Math.max(0, days.length - METERED_DAYS_KEPT));
}

export function spendDays(days: readonly MeteredDay[]): SpendDay[] {
  return days.map(({ day, containerMs, usd, estimated }) => {
    return { day, containerSeconds: containerMs / 1_000, usd, estimated };
  });
}

function dayIn(days: MeteredDay[], day: string): MeteredDay {
  const found = days.find((one) => one.day === day);
  if (found !== undefined) return found;
  const added = { day, containerMs: 0, usd: 0, estimated: false };
  days.push(added);
  days.sort((one, other) => (one.day < other.day ? -1 : 1));
  return added;
}

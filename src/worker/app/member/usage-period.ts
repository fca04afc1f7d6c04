// Which days a Usage page is about, and by what it is drawn. Days are UTC.
import { z } from "zod";
import { usageRange } from "../../api/usage.ts";
import { Refused } from "../../refuse.ts";

const DAY_MS = 86_400_000;

export const periods = [
  { days: 7, title: "7 days" },
  { days: 30, title: "30 days" },
  { days: 90, title: "90 days" },
  { days: 365, title: "12 months" },
] as const;

type UsageView = "model" | "key";

export interface UsageAsked {
  from: string;
  to: string;
  by: UsageView;
  /** What is wrong with what was asked; then the range is the default one. */
  problem: string | null;
}

const Days = z.object({ from: z.iso.date().optional(), to: z.iso.date().optional() });

export function usageAsked(query: Readonly<Record<string, string>>, now: number): UsageAsked {
  const by = query.by === "key" ? "key" : "model";
  const given = {
    ...(query.from && { from: query.from }),
    ...(query.to && { to: query.to }),
  };
  const days = Days.safeParse(given);
  if (!days.success) {
    return { ...usageRange({}, now), by, problem: "Write days as 2026-12-31." };
  }
  try {
    return { ...usageRange(days.data, now), by, problem: null };
  } catch (failure) {
    if (!(failure instanceof Refused)) throw failure;
    const problem = "The first day has to be before the last, by a year at most.";
    return { ...usageRange({}, now), by, problem };
  }
}

/** So many days, today included. */
export function lastDays(days: number, now: number): { from: string; to: string } {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { from: day(now - (days - 1) * DAY_MS), to: day(now) };
}

export function usageUrl(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

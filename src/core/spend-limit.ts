// The Spend limit: what all Models cost in the month, and whether new GPU work may begin. No clock, no
// I/O. A day's figures only grow and the largest wins, so ticks may come late, twice and in any order.
import type {
  SpendChange,
  SpendDay,
  SpendOverview,
  SpendTick,
  SpendVerdict,
} from "../contract/spend.ts";

const DAY_MS = 86_400_000;

/** Days of older months are dropped: so many let a month be compared with that of a year before. */
export const MONTHS_KEPT = 13;

/**
 * What a Model said it runs is believed so long without another tick, sixty of which would have come:
 * so that an Inference object that is gone reserves nothing for ever.
 */
export const RUNNING_TRUSTED_MS = 600_000;

interface ModelSpend {
  at: number;
  running: SpendTick["running"];
  /** By day, `2026-11-29`. */
  days: Map<string, SpendDay>;
}

export interface SpendLedger {
  limitUsd: number;
  pausedByHand: boolean;
  /** The largest limit that was reached in that month: what pauses then stays paused. */
  reached: { month: string; limitUsd: number } | null;
  models: Map<string, ModelSpend>;
}

export function emptySpend(limitUsd: number): SpendLedger {
  return { limitUsd, pausedByHand: false, reached: null, models: new Map() };
}

function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** When the month turns that `at` is in. */
export function monthEnd(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** The first day of the oldest month that is kept. */
export function oldestDay(now: number): string {
  const date = new Date(now);
  const month = date.getUTCMonth() - MONTHS_KEPT + 1;
  return new Date(Date.UTC(date.getUTCFullYear(), month)).toISOString().slice(0, 10);
}

/** The days that changed, as they are now. */
export function noteTick(ledger: SpendLedger, tick: SpendTick, now: number): SpendDay[] {
  const model = ledger.models.get(tick.model) ?? newModel();
  ledger.models.set(tick.model, model);
  // Of the same millisecond the dearer one counts: it may reserve a start.
  const dearer = tick.running.windDownUsd > model.running.windDownUsd;
  if (tick.at > model.at || (tick.at === model.at && dearer)) {
    model.at = tick.at;
    model.running = tick.running;
  }
  const oldest = oldestDay(now);
  for (const day of model.days.keys()) if (day < oldest) model.days.delete(day);
  const changed: SpendDay[] = [];
  for (const told of tick.days) {
    if (told.day < oldest) continue;
    const merged = larger(model.days.get(told.day), told);
    if (merged === null) continue;
    model.days.set(told.day, merged);
    changed.push(merged);
  }
  return changed;
}

export function changeSpend(ledger: SpendLedger, change: SpendChange): void {
  ledger.limitUsd = change.limitUsd ?? ledger.limitUsd;
  ledger.pausedByHand = change.pausedByHand ?? ledger.pausedByHand;
}

/**
 * Whether new GPU work may begin. What runs costs until it is idle, so that is counted as spent. A
 * limit that was reached stays reached until the month turns or it is raised: else what was reserved
 * would be free again once all has stopped, start one more container, and so on.
 */
export function judgeSpend(ledger: SpendLedger, now: number): SpendVerdict {
  const month = monthOf(now);
  const { limitUsd, reached } = ledger;
  const total = spentUsd(ledger, month) + sumRunning(ledger, now).windDownUsd;
  const reachedBefore = reached?.month === month ? reached.limitUsd : Number.NEGATIVE_INFINITY;
  if (total >= limitUsd && limitUsd > reachedBefore) ledger.reached = { month, limitUsd };
  if (ledger.pausedByHand) return { paused: true, reason: "by_hand", liftsAt: null };
  if (total < limitUsd && limitUsd > reachedBefore) return { paused: false };
  return { paused: true, reason: "spend_limit", liftsAt: monthEnd(now) };
}

export function spendOverview(ledger: SpendLedger, now: number): SpendOverview {
  const month = monthOf(now);
  const spent = spentUsd(ledger, month);
  const { windDownUsd, usdPerHour } = sumRunning(ledger, now);
  return {
    ...{ month, limitUsd: ledger.limitUsd, spentUsd: spent, windDownUsd, usdPerHour },
    forecastUsd: forecast(spent, now),
    verdict: judgeSpend(ledger, now),
    pausedByHand: ledger.pausedByHand,
    models: modelRows(ledger, now),
    days: dayRows(ledger, month),
  };
}

function newModel(): ModelSpend {
  const running = { containers: 0, usdPerHour: 0, windDownUsd: 0 };
  return { at: Number.NEGATIVE_INFINITY, running, days: new Map() };
}

/** Null where nothing is larger than before. */
function larger(before: SpendDay | undefined, told: SpendDay): SpendDay | null {
  if (before === undefined) return told;
  const merged = {
    day: told.day,
    containerSeconds: Math.max(before.containerSeconds, told.containerSeconds),
    usd: Math.max(before.usd, told.usd),
    estimated: before.estimated || told.estimated,
  };
  const same =
    merged.containerSeconds === before.containerSeconds &&
    merged.usd === before.usd &&
    merged.estimated === before.estimated;
  return same ? null : merged;
}

/** In the order of the days, so that the sums of equal ledgers are equal. */
function daysIn({ days }: ModelSpend, month: string): SpendDay[] {
  return [...days.values()]
    .filter(({ day }) => day.startsWith(month))
    .sort((one, other) => (one.day < other.day ? -1 : 1));
}

function spentUsd({ models }: SpendLedger, month: string): number {
  let usd = 0;
  for (const model of models.values()) usd += sum(daysIn(model, month), (day) => day.usd);
  return usd;
}

function runningNow({ at, running }: ModelSpend, now: number): SpendTick["running"] {
  return now - at < RUNNING_TRUSTED_MS ? running : newModel().running;
}

function sumRunning({ models }: SpendLedger, now: number): SpendTick["running"] {
  const running = [...models.values()].map((model) => runningNow(model, now));
  return {
    containers: sum(running, (one) => one.containers),
    usdPerHour: sum(running, (one) => one.usdPerHour),
    windDownUsd: sum(running, (one) => one.windDownUsd),
  };
}

/** At the month's pace so far; that of its first hours says little, so a day is the least. */
function forecast(spent: number, now: number): number {
  const begin = Date.parse(`${monthOf(now)}-01`);
  const elapsedMs = Math.max(now - begin, DAY_MS);
  return (spent * (monthEnd(now) - begin)) / elapsedMs;
}

function modelRows(ledger: SpendLedger, now: number): SpendOverview["models"] {
  const rows = [...ledger.models].map(([model, spend]) => {
    const days = daysIn(spend, monthOf(now));
    const { containers, usdPerHour } = runningNow(spend, now);
    return {
      ...{ model, containers, usdPerHour },
      usd: sum(days, (day) => day.usd),
      containerSeconds: sum(days, (day) => day.containerSeconds),
      estimated: days.some((day) => day.estimated),
    };
  });
  const shown = rows.filter(
    ({ containerSeconds, containers }) => containerSeconds > 0 || containers > 0,
  );
  return shown.sort((one, other) => other.usd - one.usd || (one.model < other.model ? -1 : 1));
}

function dayRows({ models }: SpendLedger, month: string): SpendOverview["days"] {
  const rows = new Map<string, SpendOverview["days"][number]>();
  for (const model of models.values()) {
    for (const { day, usd, containerSeconds } of daysIn(model, month)) {
      const row = rows.get(day) ?? { day, usd: 0, containerSeconds: 0 };
      row.usd += usd;
      row.containerSeconds += containerSeconds;
      rows.set(day, row);
    }
  }
  return [...rows.values()].sort((one, other) => (one.day < other.day ? -1 : 1));
}

function sum<T>(list: readonly T[], figure: (one: T) => number): number {
  return list.reduce((total, one) => total + figure(one), 0);
}

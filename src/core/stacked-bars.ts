// Amounts by day and series as the figures of stacked bars. No I/O, no clock: a day without an amount
// is a bar of nothing, so that time runs evenly.

const DAY_MS = 86_400_000;

/** More days than a quarter has are drawn by month: thinner bars than this are no bars any more. */
const DAY_BARS_MOST = 92;

/** So many colours can be told apart; the smaller series are drawn as one, the last. */
export const SERIES_MOST = 6;

/** Lines across the plot beside the one at zero, at most. */
const TICKS_MOST = 4;

export interface DayAmount {
  /** UTC, `2026-11-29`. */
  day: string;
  series: string;
  amount: number;
}

export interface BarSeries {
  /** Null: all the smaller ones together. */
  series: string | null;
  total: number;
}

interface BarSegment {
  /** The place in `series`. */
  place: number;
  amount: number;
  /** Of the plot's height, from its foot. */
  from: number;
  height: number;
}

interface Bar {
  /** `2026-11-29`, or `2026-11` for a month. */
  label: string;
  total: number;
  segments: BarSegment[];
}

export interface StackedBars {
  unit: "day" | "month";
  /** The largest first. */
  series: BarSeries[];
  /** Every day or month of the range, the earliest first. */
  bars: Bar[];
  /** Amounts with a line across, from 0 to the plot's top. */
  ticks: number[];
}

/** Both ends of the range are days in it. Amounts outside it are not drawn. */
export function stackedBars(
  amounts: readonly DayAmount[],
  range: { from: string; to: string },
): StackedBars {
  const days = daysOf(range);
  const unit = days.length > DAY_BARS_MOST ? "month" : "day";
  const labelOf = (day: string) => (unit === "day" ? day : day.slice(0, 7));
  const within = amounts.filter(({ day }) => day >= range.from && day <= range.to);
  const series = largestSeries(within);
  const places = new Map(series.map((one, place) => [one.series, place]));
  const other = places.get(null);

  const byBar = new Map(days.map((day) => [labelOf(day), series.map(() => 0)]));
  for (const { day, series: name, amount } of within) {
    const place = places.get(name) ?? other;
    const sums = byBar.get(labelOf(day));
    if (place !== undefined && sums !== undefined) sums[place] = (sums[place] ?? 0) + amount;
  }
  const largest = Math.max(0, ...[...byBar.values()].map(sum));
  const ticks = ticksUpTo(largest);
  const top = ticks.at(-1) ?? 1;
  const bars = [...byBar].map(([label, sums]) => bar(label, sums, top));
  return { unit, series, bars, ticks };
}

function bar(label: string, sums: readonly number[], top: number): Bar {
  let from = 0;
  const segments: BarSegment[] = [];
  for (const [place, amount] of sums.entries()) {
    if (amount === 0) continue;
    const height = amount / top;
    segments.push({ place, amount, from, height });
    from += height;
  }
  return { label, total: sum(sums), segments };
}

function largestSeries(amounts: readonly DayAmount[]): BarSeries[] {
  const totals = new Map<string, number>();
  for (const { series, amount } of amounts) {
    totals.set(series, (totals.get(series) ?? 0) + amount);
  }
  const sorted = [...totals]
    .filter(([, total]) => total > 0)
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([series, total]) => ({ series, total }));
  if (sorted.length <= SERIES_MOST) return sorted;
  const own: BarSeries[] = sorted.slice(0, SERIES_MOST);
  const rest = sum(sorted.slice(SERIES_MOST).map(({ total }) => total));
  return [...own, { series: null, total: rest }];
}

/** Whole steps of 1, 2 or 5 times a power of ten; the last one is not below the largest amount. */
export function ticksUpTo(largest: number): number[] {
  if (largest <= 0) return [0, 1];
  const least = Math.max(1, largest / TICKS_MOST);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least) ?? least;
  const steps = Math.ceil(largest / step);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

function daysOf({ from, to }: { from: string; to: string }): string[] {
  const first = Date.parse(from);
  const count = Math.max(0, Math.round((Date.parse(to) - first) / DAY_MS) + 1);
  return Array.from({ length: count }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

// Numbers and times as pages show them: thousands separators, units, the exact time on hover.
import type { Child } from "hono/jsx";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** `1234567` → `1,234,567`. */
export function count(value: number): string {
  return whole.format(value);
}

/** `1234567` → `1.2M`, for the axis of a chart only. */
export function roughly(value: number): string {
  return short.format(value);
}

/** US dollars with cents: `$1,234.50`. */
export function usd(value: number): string {
  return dollars.format(value);
}

/** `90_000` → `1 min 30 s`; two units at most. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, "min", seconds % 60, "s");
  return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** From the largest; the last one is for what is seconds away. */
const units = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `5 minutes ago`, `in 3 days`, `now`. */
function relativeTime(at: number, now: number): string {
  const distance = at - now;
  for (const [unit, ms] of units) {
    if (Math.abs(distance) >= ms) return relative.format(Math.trunc(distance / ms), unit);
  }
  return "now";
}

/** `2026-11-29 12:34:56 UTC`. */
export function exactTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** A time relative to now, the exact one on hover; `never` for null unless another word is given. */
export function Time(props: { at: number | null; now: number; never?: string }): Child {
  const { at, now, never = "never" } = props;
  if (at === null) return <span class="quiet">{never}</span>;
  return (
    <time datetime={new Date(at).toISOString()} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}

// When a delivery is tried again, and when an endpoint is given up. No I/O, no clock.
import {
  type DeliveryAttempt,
  ENDPOINT_FAILING_DAYS,
  FAILING_GAP_HOURS,
} from "../contract/outgoing-webhooks.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** After each attempt that failed, as Standard Webhooks propose: three days and some hours in all. */
export const RETRIES_AFTER_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

const STATUS_GONE = 410;

/** How an attempt went. 410 says that the endpoint is gone for good; a redirect is not followed. */
export function judgeAttempt({ status }: DeliveryAttempt): "delivered" | "failed" | "gone" {
  if (status === null) return "failed";
  if (status === STATUS_GONE) return "gone";
  return status >= 200 && status < 300 ? "delivered" : "failed";
}

/** When to try again what has failed `tries` times, last at `at`; null when it is given up. */
export function nextTry(tries: number, at: number): number | null {
  const wait = RETRIES_AFTER_MS[tries - 1];
  return wait === undefined ? null : at + wait;
}

export interface Failing {
  since: number;
  lastAt: number;
}

/** One attempt more that failed at `at`. */
export function stillFailing(before: Failing | null, at: number): Failing {
  const goesOn = before !== null && at - before.lastAt <= FAILING_GAP_HOURS * HOUR_MS;
  return { since: goesOn ? before.since : at, lastAt: at };
}

export function isGivenUp({ since, lastAt }: Failing): boolean {
  return lastAt - since >= ENDPOINT_FAILING_DAYS * DAY_MS;
}

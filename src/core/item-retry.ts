// Whether a Job's item is tried again after an attempt that failed, and what becomes of it if not. Pure:
// no I/O, no clock.
import { errorCatalogue, type PublicError } from "../contract/errors.ts";
import {
  ITEM_ATTEMPTS_MOST,
  ITEM_RETRY_AFTER_MS,
  OVERLOAD_RETRY_MOST_MS,
} from "../contract/job-limits.ts";

/** An item's attempts so far that failed. */
export interface Attempts {
  /** By the backend's fault. */
  faults: number;
  /** For want of room, which is nobody's fault and wears nothing out. */
  overloads: number;
}

export interface FailedAttempt {
  error: PublicError;
  /** Nothing answered at all. */
  unreachable: boolean;
  /** This one counted in. */
  attempts: Attempts;
  now: number;
  /** No attempt begins then or later. */
  until: number;
}

export type AfterFailure =
  | { kind: "again"; waitMs: number }
  /** The error is the item's answer. */
  | { kind: "failed" }
  /** The Model is Cold again: no item has a fault in that. */
  | { kind: "not_ready" }
  /** Its backend is away. An item may have a fault in that too, if it comes again and again. */
  | { kind: "away" }
  /** There was no room for it as long as it could wait. */
  | { kind: "stopped" };

export function afterFailure(failed: FailedAttempt): AfterFailure {
  const { error, unreachable, attempts, now, until } = failed;
  const { status } = errorCatalogue[error.code];
  if (status !== 429 && status < 500) return { kind: "failed" };
  if (error.code === "model_starting") return { kind: "not_ready" };
  const overloaded = error.code === "inference_overloaded";
  const waitMs = Math.max(error.retryAfterMs ?? 0, pauseAfter(attempts, overloaded));
  const ends = now + waitMs >= until;
  if (overloaded) return ends ? { kind: "stopped" } : { kind: "again", waitMs };
  if (!ends && attempts.faults < ITEM_ATTEMPTS_MOST) return { kind: "again", waitMs };
  return { kind: unreachable ? "away" : "failed" };
}

/** Doubles with each of its kind. */
function pauseAfter({ faults, overloads }: Attempts, overloaded: boolean): number {
  if (!overloaded) return ITEM_RETRY_AFTER_MS * 2 ** (faults - 1);
  return Math.min(OVERLOAD_RETRY_MOST_MS, ITEM_RETRY_AFTER_MS * 2 ** (overloads - 1));
}

// The generic cell rate algorithm (ITU-T I.371), with the whole window as its burst.
// No I/O, no clock: the state is one number and `now` is passed in.
import { RATE_WINDOW_MS } from "../contract/limits.ts";

/** The theoretical arrival time in ms; 0 at the start. */
export type RateState = number;

export interface RateFigures {
  remaining: number;
  resetMs: number;
}

export type RateDecision =
  | { allowed: true; next: RateState }
  | { allowed: false; retryAfterMs: number };

/** Judges one start; moving the state is the caller's, once every other limit has agreed. */
export function judgeStart(state: RateState, perMinute: number, now: number): RateDecision {
  const interval = RATE_WINDOW_MS / perMinute;
  const next = Math.max(state, now) + interval;
  // Clocks tick in whole milliseconds, and at today's times a double steps by 0.0002 of one: sums of
  // a fractional interval drift by less than the half that is rounded away, and stay exact above it.
  const over = Math.round(next - now - RATE_WINDOW_MS);
  return over > 0 ? { allowed: false, retryAfterMs: over } : { allowed: true, next };
}

export function rateFigures(state: RateState, perMinute: number, now: number): RateFigures {
  const resetMs = Math.max(0, Math.round(state - now));
  const free = RATE_WINDOW_MS - Math.max(0, state - now);
  // The same half millisecond, so that as many remain as would be allowed.
  const remaining = Math.floor(((free + 0.5) * perMinute) / RATE_WINDOW_MS);
  return { remaining: Math.min(perMinute, Math.max(0, remaining)), resetMs };
}

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
  const over = next - now - RATE_WINDOW_MS;
  // Sums of a fractional interval drift by less than a millionth of a millisecond.
  return over > 1e-6
    ? { allowed: false, retryAfterMs: Math.max(1, Math.ceil(over)) }
    : { allowed: true, next };
}

export function rateFigures(state: RateState, perMinute: number, now: number): RateFigures {
  const ahead = Math.max(0, state - now);
  const remaining = Math.floor(((RATE_WINDOW_MS - ahead) * perMinute) / RATE_WINDOW_MS + 1e-6);
  return { remaining: Math.max(0, remaining), resetMs: Math.ceil(ahead) };
}

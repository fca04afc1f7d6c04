import { Refused } from "../../refuse.ts";

/** A body's `expires_at`, already checked for its form, in ms; null is never, undefined unchanged. */
export function readExpiry<Absent extends null | undefined>(
  time: string | Absent,
): number | Absent {
  return typeof time === "string" ? Date.parse(time) : time;
}

/** Nothing is given or minted that is over already; a repeat of what was given earlier may be. */
export function isOver(expiresAt: number | null | undefined, now: number): boolean {
  return typeof expiresAt === "number" && expiresAt <= now;
}

export function expiryIsOver(now: number): Refused {
  return new Refused({
    code: "invalid_request",
    message: `expires_at: is over already; give a time after ${new Date(now).toISOString()}.`,
    param: "expires_at",
  });
}

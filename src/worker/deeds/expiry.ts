import { Refused } from "../refuse.ts";

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

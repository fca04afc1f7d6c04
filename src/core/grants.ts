// Grants as lots: what expires first is spent first, and what is left of a lot lapses at its end.
// No I/O, no clock. Amounts are whole tokens.
import type { GrantRecord } from "../contract/account.ts";

function left(grant: GrantRecord): number {
  return grant.tokens - grant.used - grant.lapsed;
}

/** Soonest expiry first, then the oldest; lots without an expiry last. */
function bySpendingOrder(a: GrantRecord, b: GrantRecord): number {
  return (
    (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity) || a.at - b.at || (a.id < b.id ? -1 : 1)
  );
}

export function sortForSpending(grants: GrantRecord[]): void {
  // Infinity - Infinity is NaN, which `||` passes over: two lots without expiry go by age.
  grants.sort(bySpendingOrder);
}

/** Takes `tokens` from lots in spending order. The caller has checked that they are there. */
export function draw(grants: readonly GrantRecord[], tokens: number): void {
  let missing = tokens;
  for (const grant of grants) {
    if (missing === 0) return;
    const taken = Math.min(left(grant), missing);
    grant.used += taken;
    missing -= taken;
  }
  if (missing > 0)
    throw new Error(`the Grants lack ${missing} tokens that were checked to be there`);
}

/** Gives back what was drawn too much, to the lot that lasts longest. */
export function refund(grants: readonly GrantRecord[], tokens: number): void {
  let over = tokens;
  for (let at = grants.length - 1; at >= 0 && over > 0; at -= 1) {
    const grant = grants[at];
    if (grant === undefined) continue;
    const returned = Math.min(grant.used, over);
    grant.used -= returned;
    over -= returned;
  }
  if (over > 0) throw new Error(`${over} tokens to give back were never drawn`);
}

/**
 * Ends expired lots as far as `available` goes; what is held of them lapses when it is given back.
 * Returns how many tokens went.
 */
export function lapse(grants: readonly GrantRecord[], available: number, now: number): number {
  let gone = 0;
  for (const grant of grants) {
    if (grant.expiresAt === null || grant.expiresAt > now) continue;
    const taken = Math.min(left(grant), available - gone);
    grant.lapsed += taken;
    gone += taken;
  }
  return gone;
}

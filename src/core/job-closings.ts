// What the Account has yet to hear of a Job's Holds: first each settlement, until that is durable there,
// then that no settlement comes any more. Each step may be said again: in this order nothing is charged
// twice. No I/O, no clock.

import type { SliceSettlement } from "../contract/account-slices.ts";
import { FORGET_AFTER_MS } from "../contract/job-limits.ts";
import { type Closing, holdIdOf, type JobBook } from "./job-state.ts";

/** What one call says: some kB, and a slice that was tried for days has thousands of Holds. */
const SETTLEMENTS_A_CALL = 100;
const HOLDS_A_CALL = 1_000;

/** When there is something to say; null if there is nothing. */
export function nextClosing({ closings }: JobBook): number | null {
  let next: number | null = null;
  for (const { settlement, forgetAt } of closings.values()) {
    const at = settlement === null ? forgetAt : 0;
    if (next === null || at < next) next = at;
  }
  return next;
}

export function toSettle({ closings }: JobBook): SliceSettlement[] {
  const settlements: SliceSettlement[] = [];
  for (const { settlement } of closings.values()) {
    if (settlement !== null) settlements.push(settlement);
    if (settlements.length === SETTLEMENTS_A_CALL) break;
  }
  return settlements;
}

/** These are durable at the Account: what they gave free of their Holds may be what the Job waits for. */
export function noteSettled(
  book: JobBook,
  settlements: readonly SliceSettlement[],
  now: number,
): void {
  const settled = new Set(settlements);
  for (const closing of book.closings.values()) {
    if (closing.settlement === null || !settled.has(closing.settlement)) continue;
    closing.settlement = null;
    closing.forgetAt = closing.attempts === 1 ? now : now + FORGET_AFTER_MS;
    book.changes.closings.add(closing);
  }
  const wait = book.progress.tokensWait;
  if (settled.size === 0 || wait === null || !wait.heldWouldFree) return;
  wait.retryAt = Math.min(wait.retryAt, now);
  book.changes.progress = true;
}

/** The Holds that the Account may forget, and the closings that are over with them. */
export function toForget(book: JobBook, now: number): { closings: Closing[]; holdIds: string[] } {
  const closings: Closing[] = [];
  const holdIds: string[] = [];
  for (const closing of book.closings.values()) {
    if (closing.settlement !== null || closing.forgetAt > now) continue;
    closings.push(closing);
    for (let attempt = 1; attempt <= closing.attempts; attempt += 1) {
      holdIds.push(holdIdOf(book.origin, closing.from, attempt));
    }
    if (holdIds.length >= HOLDS_A_CALL) break;
  }
  return { closings, holdIds };
}

export function noteForgotten(book: JobBook, closings: readonly Closing[]): void {
  for (const closing of closings) {
    book.closings.delete(closing.from);
    book.changes.closings.delete(closing);
    book.changes.closed.add(closing.from);
  }
}

// Whether a Job's slice may run, and whether it may go on. What a Completion needs besides tokens is
// not asked: no start a minute, no place in the line, no valid key. The key's monthly limit still
// bounds it, since a Job would else be the way round. No I/O, no clock, no randomness.
import type { HeldSlice, SliceAdmission, SliceAdmitRequest } from "../contract/account-slices.ts";
import { type AccountState, budgetRefusal, keyById, tokenRoom } from "./admission.ts";
import { expire, renewHold, takeHold } from "./ledger.ts";
import type { HeldFor } from "./ledger-state.ts";

/** Nothing is charged until a slice is done: what is not committed runs again. */
const NO_PROGRESS = { promptTokens: 0, completionTokens: 0 };

export function admitSlice(
  state: AccountState,
  request: SliceAdmitRequest,
  now: number,
  leaseMs: number,
): SliceAdmission {
  const { ledger } = state;
  const { holdId, keyId, model, tokens } = request;
  if (ledger.ended.has(holdId)) return { outcome: "refused", refusal: { reason: "ended" } };
  if (state.profile.disabled) {
    return { outcome: "refused", refusal: { reason: "account_disabled" } };
  }
  const running = ledger.holds.get(holdId);
  if (running !== undefined) return { outcome: "admitted", held: running.held };
  // Whoever started it in the App has no key, and none of its limits.
  const room = tokenRoom(state, keyById(state, keyId) ?? null, now);
  if (tokens > room.figures.available) {
    return { outcome: "refused", refusal: budgetRefusal(room, tokens) };
  }
  const hold = asHeld({ holdId, keyId, model, held: tokens });
  if (!takeHold(ledger, hold, now + leaseMs)) throw new Error("a slice that fits was refused");
  return { outcome: "admitted", held: tokens };
}

/** False when the Hold has ended, or the person is disabled. */
export function renewSlice(state: AccountState, slice: HeldSlice, leaseUntil: number): boolean {
  const runs = renewHold(state.ledger, asHeld(slice), NO_PROGRESS, leaseUntil);
  return runs && !state.profile.disabled;
}

/** Ends the Hold at once as its lease would have. */
export function dropSlice({ ledger }: AccountState, slice: HeldSlice, now: number): void {
  renewHold(ledger, asHeld(slice), NO_PROGRESS, now);
  expire(ledger, now);
}

export function asHeld({ holdId, keyId, model, held }: HeldSlice): HeldFor {
  return { requestId: holdId, keyId, model, held, slice: true };
}

// A Grant is added once: a repeat of the same content gets the same answer.
import type { GrantRecord, GrantRequest, Repeatable } from "../../contract/account.ts";
import type { AccountState } from "../../core/admission.ts";
import { addGrant } from "../../core/ledger.ts";

/** `added` is for the caller to write, and to tell of. */
export function grantOnce(
  { ledger }: AccountState,
  { id, tokens, note, expiresAt }: GrantRequest,
  now: number,
): { answer: Repeatable<GrantRecord>; added: GrantRecord | null } {
  const before = ledger.grants.find((grant) => grant.id === id);
  if (before === undefined) {
    const grant = { id, tokens, note, expiresAt, at: now, used: 0, lapsed: 0 };
    addGrant(ledger, grant);
    return { answer: { ok: true, value: grant }, added: grant };
  }
  const same = before.tokens === tokens && before.note === note && before.expiresAt === expiresAt;
  const answer: Repeatable<GrantRecord> = same
    ? { ok: true, value: before }
    : { ok: false, reason: "conflict" };
  return { answer, added: null };
}

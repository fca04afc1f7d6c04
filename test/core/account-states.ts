// An Account as admission sees it, ready to be asked.
import type { AdmitRequest, KeyRecord } from "../../src/contract/account.ts";
import { DEFAULT_ACCOUNT_LIMITS, HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import { type AccountState, decideAdmission, type LinePlace } from "../../src/core/admission.ts";
import { noAppKeys } from "../../src/core/app-keys.ts";
import { addGrant } from "../../src/core/ledger.ts";
import { emptyDurable, openLedger } from "../../src/core/ledger-state.ts";

export const NOW = Date.UTC(2026, 10, 30, 12);
export const KEY_HASH = "the key's hash";

export function account(tokens: number, limits: Partial<AccountState["limits"]> = {}) {
  const ledger = openLedger(emptyDurable(NOW), HOLD_LEASE_MS);
  const grant = { id: "g", note: "", at: NOW, expiresAt: null, used: 0, lapsed: 0 };
  addGrant(ledger, { ...grant, tokens });
  const key: KeyRecord = {
    ...{ id: "key", name: "", start: "ctn_", scope: "completions", createdAt: NOW },
    ...{ expiresAt: null, monthlyTokenLimit: null, lastUsedAt: null },
    ...{ revokedAt: null, revokedWhy: null },
  };
  const state: AccountState = {
    profile: { personId: "person", role: "member", disabled: false, limits: {} },
    limits: { ...DEFAULT_ACCOUNT_LIMITS, ...limits },
    keys: new Map([[KEY_HASH, key]]),
    appKeys: noAppKeys(),
    ledger,
    rate: 0,
  };
  return { state, key };
}

let requests = 0;

/** One choice of 7 tokens after an exact prompt of 3: a Hold of 10. */
export function completion(change: Partial<AdmitRequest> = {}): AdmitRequest {
  requests += 1;
  return {
    ...{ requestId: `request-${requests}`, keyHash: KEY_HASH, model: "model", choices: 1 },
    ...{ promptTokens: 3, promptTokensExact: true, maxTokens: 7 },
    ...change,
  };
}

export const NO_LINE: LinePlace = { waiting: 0, turn: false };

export function ask(state: AccountState, request = completion(), place = NO_LINE, now = NOW) {
  return decideAdmission(state, request, place, now, HOLD_LEASE_MS);
}

/** The refusal's facts, or what was decided instead. */
export function refusalOf(decision: ReturnType<typeof ask>) {
  return decision.decision === "refused" ? decision.refusal : decision;
}

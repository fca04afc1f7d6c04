// An Account in memory: as it is read from disk, and as it is shown.
import type { AccountProfile, AccountSnapshot } from "../../contract/account.ts";
import { DEFAULT_ACCOUNT_LIMITS } from "../../contract/limits.ts";
import type { AccountState } from "../../core/admission.ts";
import { figures, openLedger } from "../../core/ledger-state.ts";
import type { AccountStorage } from "./account-storage.ts";

export function loadState(
  storage: AccountStorage,
  profile: AccountProfile,
  leaseMs: number,
): AccountState {
  const { durable, rate } = storage.readLedger(Date.now());
  return {
    profile,
    limits: { ...DEFAULT_ACCOUNT_LIMITS, ...profile.limits },
    keys: new Map(storage.readKeys().map(({ hash, key }) => [hash, key])),
    ledger: openLedger(durable, leaseMs),
    rate,
  };
}

export function snapshotOf(state: AccountState, waiting: number): AccountSnapshot {
  return {
    profile: state.profile,
    limits: state.limits,
    tokens: figures(state.ledger),
    running: state.ledger.holds.size,
    waiting,
    unreported: state.ledger.unreported,
    overrunTokens: state.ledger.overrunTokens,
  };
}

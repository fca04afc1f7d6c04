// An Account in memory: as it is read from disk, and as it is shown.
import type { AccountProfile, AccountSnapshot, ProfileChange } from "../../contract/account.ts";
import { DEFAULT_ACCOUNT_LIMITS } from "../../contract/limits.ts";
import type { AccountState } from "../../core/admission.ts";
import { figures, openLedger, runningCompletions } from "../../core/ledger-state.ts";
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
    appKeys: storage.readAppKeys(),
    ledger: openLedger(durable, leaseMs),
    rate,
  };
}

export function snapshotOf(state: AccountState, waiting: number): AccountSnapshot {
  return {
    profile: state.profile,
    limits: state.limits,
    tokens: figures(state.ledger),
    running: runningCompletions(state.ledger),
    waiting,
    unreported: state.ledger.unreported,
    overrunTokens: state.ledger.overrunTokens,
  };
}

export function changeProfile(state: AccountState, change: ProfileChange): void {
  const { profile } = state;
  const { role, disabled, limits } = change;
  if (role !== undefined) profile.role = role;
  if (disabled !== undefined) profile.disabled = disabled;
  if (limits === undefined) return;
  profile.limits = { ...profile.limits, ...limits };
  state.limits = { ...DEFAULT_ACCOUNT_LIMITS, ...profile.limits };
}

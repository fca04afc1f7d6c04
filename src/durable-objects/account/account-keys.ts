// A person's keys: minted, changed, revoked. Each change is written before it is answered. Free
// functions, since whatever an object names as a method can be called from outside.
import type {
  AccountFigures,
  Identification,
  KeyChange,
  KeyRecord,
  MintRequest,
  Refusal,
  Repeatable,
} from "../../contract/account.ts";
import type { AppKeyRequest } from "../../contract/app-keys.ts";
import { type AccountState, accountFigures, checkKey, keyById } from "../../core/admission.ts";
import { addAppKey, endAppKeys, revokeAppKey } from "../../core/app-keys.ts";
import { judgeStart } from "../../core/rate-limit.ts";
import type { AccountStorage } from "./account-storage.ts";

/** A secret belongs to one key, and an id to one secret: anything else is a conflict. */
export function mintKey(
  state: AccountState,
  storage: AccountStorage,
  request: MintRequest,
  now: number,
): Repeatable<KeyRecord> {
  const { keyId: id, keyHash, start, name, scope, expiresAt, monthlyTokenLimit } = request;
  const before = keyById(state, id) ?? state.keys.get(keyHash);
  if (before !== undefined) {
    const same =
      state.keys.get(keyHash) === before &&
      before.id === id &&
      before.name === name &&
      before.scope === scope &&
      before.expiresAt === expiresAt &&
      before.monthlyTokenLimit === monthlyTokenLimit;
    return same ? { ok: true, value: before } : { ok: false, reason: "conflict" };
  }
  const key: KeyRecord = {
    ...{ id, name, start, scope, expiresAt, monthlyTokenLimit },
    ...{ createdAt: now, lastUsedAt: null, revokedAt: null, revokedWhy: null },
  };
  storage.writeKey(keyHash, key);
  state.keys.set(keyHash, key);
  return { ok: true, value: key };
}

export function changeKey(
  state: AccountState,
  storage: AccountStorage,
  keyId: string,
  change: KeyChange,
): Repeatable<KeyRecord> {
  return updateKey(state, storage, keyId, (key) => {
    if (change.name !== undefined) key.name = change.name;
    if (change.expiresAt !== undefined) key.expiresAt = change.expiresAt;
    if (change.monthlyTokenLimit !== undefined) key.monthlyTokenLimit = change.monthlyTokenLimit;
  });
}

/** The first revocation counts; a repeat keeps its time and reason. `onFirst` is to tell of it. */
export function revokeKey(
  state: AccountState,
  storage: AccountStorage,
  keyId: string,
  revocation: { at: number; why: string },
  onFirst: (key: KeyRecord) => void,
): Repeatable<KeyRecord> {
  const isFirst = keyById(state, keyId)?.revokedAt === null;
  const revoked = updateKey(state, storage, keyId, (key) => {
    if (key.revokedAt !== null) return;
    key.revokedAt = revocation.at;
    key.revokedWhy = revocation.why;
  });
  if (revoked.ok && isFirst) onFirst(revoked.value);
  return revoked;
}

function updateKey(
  state: AccountState,
  storage: AccountStorage,
  keyId: string,
  update: (key: KeyRecord) => void,
): Repeatable<KeyRecord> {
  for (const [hash, key] of state.keys) {
    if (key.id !== keyId) continue;
    update(key);
    storage.writeKey(hash, key);
    return { ok: true, value: key };
  }
  return { ok: false, reason: "unknown" };
}

/** Null for a disabled person. */
export function addKeyOfApp(
  state: AccountState,
  storage: AccountStorage,
  request: AppKeyRequest,
  now: number,
): number | null {
  if (state.profile.disabled) return null;
  // What a lease ended was settled by nobody.
  for (const requestId of state.appKeys.running.keys()) {
    if (!state.ledger.holds.has(requestId)) state.appKeys.running.delete(requestId);
  }
  const expiresAt = addAppKey(state.appKeys, request, now);
  storage.writeAppKeys(state.appKeys);
  return expiresAt;
}

export function endKeysOfApp(
  state: AccountState,
  storage: AccountStorage,
  sessionId: string,
): void {
  if (endAppKeys(state.appKeys, sessionId)) storage.writeAppKeys(state.appKeys);
}

/** Null where there is none. `onFirst` is to tell of it. */
export function revokeKeyOfApp(
  state: AccountState,
  storage: AccountStorage,
  keyHash: string,
  revocation: { at: number; why: string },
  onFirst: (key: KeyRecord) => void,
): KeyRecord | null {
  const revoked = revokeAppKey(state.appKeys, keyHash, revocation.why, revocation.at);
  if (revoked === null) return null;
  if (revoked.isFirst) {
    storage.writeAppKeys(state.appKeys);
    onFirst(revoked.key);
  }
  return revoked.key;
}

/** Who calls. `usedKey` is for the caller to note. */
export function identifyKey(
  state: AccountState,
  keyHash: string,
  options: { countsAsStart: boolean },
  now: number,
): { answer: Identification; usedKey: KeyRecord | null } {
  const refused = (refusal: Refusal, figures: AccountFigures | null) => {
    return { answer: { outcome: "refused" as const, refusal, figures }, usedKey: null };
  };
  const key = checkKey(state, keyHash, now);
  if ("reason" in key) return refused(key, null);
  if (options.countsAsStart) {
    const start = judgeStart(state.rate, state.limits.startsPerMinute, now);
    if (!start.allowed) {
      const refusal: Refusal = { reason: "rate", retryAfterMs: start.retryAfterMs };
      return refused(refusal, accountFigures(state, now));
    }
    state.rate = start.next;
    key.lastUsedAt = now;
  }
  const { profile, limits } = state;
  const identity = { profile, limits, key, figures: accountFigures(state, now) };
  const usedKey = options.countsAsStart ? key : null;
  return { answer: { outcome: "identified", identity }, usedKey };
}

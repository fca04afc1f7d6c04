// The App's own keys as an Account knows them. Kept apart from the person's keys, so that no list, no
// change and no limit of those ever meets one. No I/O, no clock: takes `now`, in ms.
import type { KeyRecord } from "../contract/account.ts";
import { APP_KEY_SECONDS, APP_KEYS_MOST, type AppKeyRequest } from "../contract/app-keys.ts";
import { APP_KEY_ID } from "../contract/jobs.ts";

export interface AppKey {
  sessionId: string;
  key: KeyRecord;
}

interface AppRun {
  sessionId: string;
  keyHash: string;
  /** Why it may not go on, once its session or its key has ended. */
  cutWhy: string | null;
}

export interface AppKeys {
  /** By the key's SHA-256, oldest first. */
  byHash: Map<string, AppKey>;
  /** What runs with one, by the request's id. */
  running: Map<string, AppRun>;
  /** Why one ended since memory began: perhaps that of a stream from before that. */
  oneEndedWhy: string | null;
}

const SIGNED_OUT = "signed out";

export function noAppKeys(): AppKeys {
  return { byHash: new Map(), running: new Map(), oneEndedWhy: null };
}

/** All of them share one id: usage is counted for the App, not for a session. */
export function appKey(sessionId: string, expiresAt: number): AppKey {
  const key: KeyRecord = {
    ...{ id: APP_KEY_ID, name: "App", start: "", scope: "completions" },
    ...{ createdAt: expiresAt - APP_KEY_SECONDS * 1_000, expiresAt, monthlyTokenLimit: null },
    ...{ lastUsedAt: null, revokedAt: null, revokedWhy: null },
  };
  return { sessionId, key };
}

/** Answers when it expires; the same for a repeat. */
export function addAppKey(keys: AppKeys, request: AppKeyRequest, now: number): number {
  const known = keys.byHash.get(request.keyHash)?.key.expiresAt;
  if (known !== undefined && known !== null) return known;
  for (const [hash, { key }] of keys.byHash) {
    const isOver = (key.expiresAt ?? 0) <= now;
    if (isOver || keys.byHash.size >= APP_KEYS_MOST) keys.byHash.delete(hash);
  }
  const expiresAt = now + APP_KEY_SECONDS * 1_000;
  keys.byHash.set(request.keyHash, appKey(request.sessionId, expiresAt));
  return expiresAt;
}

/** Whether any ended. */
export function endAppKeys(keys: AppKeys, sessionId: string): boolean {
  const isMeant = (one: { sessionId: string }) =>
    sessionId === "all" || one.sessionId === sessionId;
  let ended = false;
  for (const [hash, key] of keys.byHash) {
    if (isMeant(key)) ended = keys.byHash.delete(hash);
  }
  cut(keys, isMeant, SIGNED_OUT);
  return ended;
}

/** The one that leaked; null where there is none. It is kept until it expires, to say when and why. */
export function revokeAppKey(
  keys: AppKeys,
  keyHash: string,
  why: string,
  now: number,
): { key: KeyRecord; isFirst: boolean } | null {
  const found = keys.byHash.get(keyHash);
  if (found === undefined) return null;
  const { key } = found;
  if (key.revokedAt !== null) return { key, isFirst: false };
  key.revokedAt = now;
  key.revokedWhy = why;
  cut(keys, (run) => run.keyHash === keyHash, why);
  return { key, isFirst: true };
}

function cut(keys: AppKeys, isMeant: (run: AppRun) => boolean, why: string): void {
  keys.oneEndedWhy = why;
  for (const run of keys.running.values()) if (isMeant(run)) run.cutWhy ??= why;
}

/** Notes whose stream it is; of a person's own key nothing. */
export function noteAppRun(keys: AppKeys, keyHash: string, requestId: string): void {
  const key = keys.byHash.get(keyHash);
  if (key === undefined) return;
  keys.running.set(requestId, { sessionId: key.sessionId, keyHash, cutWhy: null });
}

/**
 * Why it may not go on: the session or the key that began it has ended meanwhile. Null where it may.
 * Of what is held still, and whose a crash has forgotten, any that ended may be that one.
 */
export function cutOffWhy(
  keys: AppKeys,
  { keyId, requestId, isHeld }: { keyId: string; requestId: string; isHeld: boolean },
): string | null {
  const run = keys.running.get(requestId);
  if (run !== undefined) return run.cutWhy;
  return isHeld && keyId === APP_KEY_ID ? keys.oneEndedWhy : null;
}

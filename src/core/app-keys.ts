// The App's own keys as an Account knows them. Kept apart from the person's keys, so that no list, no
// change and no limit of those ever meets one. No I/O, no clock: takes `now`, in ms.
import type { KeyRecord } from "../contract/account.ts";
import { APP_KEY_SECONDS, APP_KEYS_MOST, type AppKeyRequest } from "../contract/app-keys.ts";
import { APP_KEY_ID } from "../contract/jobs.ts";

export interface AppKey {
  sessionId: string;
  key: KeyRecord;
}

export interface AppKeys {
  /** By the key's SHA-256, oldest first. */
  byHash: Map<string, AppKey>;
  /** What runs with one: the session by the request's id, or null once that session has ended. */
  running: Map<string, string | null>;
  /** A session has ended since memory began: perhaps the one of a stream from before that. */
  oneEnded: boolean;
}

export function noAppKeys(): AppKeys {
  return { byHash: new Map(), running: new Map(), oneEnded: false };
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
  const isMeant = (one: string | null) => sessionId === "all" || one === sessionId;
  let ended = false;
  keys.oneEnded = true;
  for (const [hash, key] of keys.byHash) {
    if (isMeant(key.sessionId)) ended = keys.byHash.delete(hash);
  }
  for (const [requestId, of] of keys.running) {
    if (of !== null && isMeant(of)) keys.running.set(requestId, null);
  }
  return ended;
}

/** Notes whose stream it is; of a person's own key nothing. */
export function noteAppRun(keys: AppKeys, keyHash: string, requestId: string): void {
  const key = keys.byHash.get(keyHash);
  if (key !== undefined) keys.running.set(requestId, key.sessionId);
}

/**
 * Whether the session that began it has ended meanwhile. Of what is held still, and whose a crash has
 * forgotten, any session may be that one.
 */
export function isCutOff(
  keys: AppKeys,
  { keyId, requestId, isHeld }: { keyId: string; requestId: string; isHeld: boolean },
): boolean {
  const sessionId = keys.running.get(requestId);
  if (sessionId !== undefined) return sessionId === null;
  return isHeld && keyId === APP_KEY_ID && keys.oneEnded;
}

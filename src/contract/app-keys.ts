// The App's own keys: what its pages call `/v1` with. Each belongs to one session and lives for
// minutes; docs/decisions/0015 says why it is like this.

import type { KeyRecord } from "./account.ts";

/** Long enough that a page asks seldom, short enough that one that leaked is soon worth nothing. */
export const APP_KEY_SECONDS = 600;

/**
 * What an Account has at once, over all sessions and open pages. The oldest makes room; its page asks
 * for another. Bounds what a page in a loop costs.
 */
export const APP_KEYS_MOST = 32;

export interface AppKeyRequest {
  /** SHA-256 in hex; the Account never sees the key. */
  keyHash: string;
  /** What names the session in lists. */
  sessionId: string;
}

/** The part of the Account object's RPC that is for the App's pages. */
export interface AppKeysRpc {
  /**
   * Makes the key good from now on and answers until when, in milliseconds since 1970; null where the
   * person is disabled or has no Account. Durable before it is answered, and repeatable.
   */
  addAppKey(request: AppKeyRequest): Promise<number | null>;
  /** Ends the keys of one session, or of `all`, and the streams that run with them. */
  endAppKeys(sessionId: string): Promise<void>;
  /**
   * One that leaked: the first reason stays. Its page asks for another, since the session goes on. Null
   * for what is none, and once it has expired and was forgotten.
   */
  revokeAppKey(keyHash: string, why: string): Promise<KeyRecord | null>;
}

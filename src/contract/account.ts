// What the Worker and an Account object say to each other. All amounts are whole tokens, all times
// milliseconds since 1970 (UTC). Expected refusals are data; only a defect throws.

import type { AccountSlicesRpc } from "./account-slices.ts";
import type { AppKeysRpc } from "./app-keys.ts";
import type { BudgetFigures } from "./errors.ts";
import type { Packed } from "./packed.ts";

export interface AccountLimits {
  /** Completions that run at once. */
  running: number;
  /** Completions that wait in line for a place to run. */
  waiting: number;
  /** Starts a minute; the whole minute may be used as one burst. */
  startsPerMinute: number;
}

export interface TokenFigures {
  granted: number;
  spent: number;
  held: number;
  available: number;
}

/** What the rate-limit headers of every answer are made of. */
export interface AccountFigures {
  tokens: TokenFigures;
  startsPerMinute: number;
  startsRemaining: number;
  /** Until the whole minute's starts are free again. */
  startsResetMs: number;
}

export interface AdmitRequest {
  /** Makes the call repeatable: the same id gets the same Hold. */
  requestId: string;
  keyHash: string;
  model: string;
  /** Prompts × n. */
  choices: number;
  /** Over all prompts: a bound from bytes, or the exact count. */
  promptTokens: number;
  promptTokensExact: boolean;
  /** For each choice; the Hold is for at least one token a choice. */
  maxTokens: number;
}

export interface AdmitCall {
  request: AdmitRequest;
  /** Requests of the Account that have ended, which are settled first. */
  ended: readonly SettleRequest[];
}

export type KeyRefusal =
  | { reason: "key_unknown" }
  | { reason: "key_revoked"; at: number; why: string }
  | { reason: "key_expired"; at: number }
  | { reason: "account_disabled" };

export interface BudgetRefusal {
  reason: "budget";
  /** Whether the Account's tokens or the key's monthly limit is the narrower. */
  scope: "account" | "key";
  /** Of the scope: the Account's figures, or the key's limit and what it spent and holds of it. */
  budget: BudgetFigures;
  /** True while tokens held by the caller's own running requests would make it fit. */
  heldWouldFree: boolean;
}

export type Refusal =
  | KeyRefusal
  | BudgetRefusal
  | { reason: "rate"; retryAfterMs: number }
  | { reason: "line_full"; retryAfterMs: number }
  | { reason: "line_wait_over"; retryAfterMs: number }
  /** The worst case does not fit; with the exact count of the prompt's tokens it might. */
  | { reason: "count_first" }
  /** The request left the line, or had ended before. */
  | { reason: "ended" };

export type Admission = (
  | {
      outcome: "admitted";
      keyId: string;
      held: number;
      /** As asked, or lowered so that it fits. */
      maxTokens: number;
      figures: AccountFigures;
    }
  | { outcome: "refused"; refusal: Refusal; figures: AccountFigures | null }
) & {
  /** The commit that makes the settlements durable which came with the call. */
  settled?: CommitMark;
};

/** The Hold as the Worker knows it, sent with each call so that a restarted object can go on. */
export interface HeldRequest {
  requestId: string;
  keyId: string;
  model: string;
  held: number;
}

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

export interface SettleRequest extends HeldRequest {
  usage: TokenUsage;
}

export interface RenewRequest extends HeldRequest {
  progress: TokenUsage;
}

/** Which commit of an Account object's memory. A restart begins another incarnation. */
export interface CommitMark {
  incarnation: string;
  commit: number;
}

/** `goOn` is false when the stream must be cut. */
export type RenewAnswer = { goOn: true } | { goOn: false; refusal: Refusal };

type KeyScope = "completions" | "admin";

export interface KeyRecord {
  id: string;
  name: string;
  /** The key's first characters, to recognise it by. */
  start: string;
  scope: KeyScope;
  createdAt: number;
  expiresAt: number | null;
  monthlyTokenLimit: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
  revokedWhy: string | null;
}

export interface MintRequest {
  /** Makes the call repeatable; the secret itself is made by the caller. */
  keyId: string;
  keyHash: string;
  start: string;
  name: string;
  scope: KeyScope;
  expiresAt: number | null;
  monthlyTokenLimit: number | null;
}

export interface KeyChange {
  name?: string | undefined;
  expiresAt?: number | null | undefined;
  monthlyTokenLimit?: number | null | undefined;
}

export interface GrantRecord {
  id: string;
  tokens: number;
  note: string;
  at: number;
  expiresAt: number | null;
  /** Spent from this Grant so far. */
  used: number;
  /** What its expiry took back. */
  lapsed: number;
}

export type GrantRequest = Pick<GrantRecord, "id" | "tokens" | "note" | "expiresAt">;

/** A repeat of the same content gets the same answer, of other content a named refusal. */
export type Repeatable<T> = { ok: true; value: T } | { ok: false; reason: "conflict" | "unknown" };

export type Role = "member" | "admin";

export interface AccountProfile {
  personId: string;
  role: Role;
  disabled: boolean;
  /** Only what differs from the defaults. */
  limits: Partial<AccountLimits>;
}

export type ProfileChange = {
  [Field in "role" | "disabled" | "limits"]?: AccountProfile[Field] | undefined;
};

/**
 * What ended without a report (a gateway died), charged to nobody beyond the last progress. Both
 * amounts are bounds from above, and together they cover all that nobody was charged for.
 */
export interface UnreportedFigures {
  /** Of the Holds that were on record. */
  requests: number;
  atMostTokens: number;
  /**
   * Set aside when memory was lost, and claimed by nobody until its lease ended: covers requests
   * that died before their Hold was on record. Mostly nothing ran there: at each such loss up to
   * BLOCK_AHEAD_TOKENS count that nothing was generated for.
   */
  unclaimedTokens: number;
}

export interface AccountSnapshot {
  profile: AccountProfile;
  limits: AccountLimits;
  tokens: TokenFigures;
  running: number;
  waiting: number;
  unreported: UnreportedFigures;
  /** Reported beyond the Hold and beyond all that was available; a defect, charged to nobody. */
  overrunTokens: number;
}

export interface Identity {
  profile: AccountProfile;
  limits: AccountLimits;
  key: KeyRecord;
  figures: AccountFigures;
}

export type Identification =
  | { outcome: "identified"; identity: Identity }
  | { outcome: "refused"; refusal: Refusal; figures: AccountFigures | null };

export interface UsageRow {
  /** UTC, `2026-11-29`. */
  day: string;
  model: string;
  keyId: string;
  requests: number;
  promptTokens: number;
  completionTokens: number;
}

/** The Account object's RPC. Each call is repeatable. */
export interface AccountRpc extends AccountSlicesRpc, AppKeysRpc {
  open(profile: AccountProfile): Promise<AccountSnapshot>;
  change(change: ProfileChange): Promise<Repeatable<AccountSnapshot>>;
  snapshot(): Promise<AccountSnapshot | null>;

  identify(keyHash: string, options: { countsAsStart: boolean }): Promise<Identification>;
  /**
   * Settles what has ended first, as `settle` without a wait does: an Account's next request mostly comes
   * as its last one ends, and a call saved is a third of what accounting costs a request.
   */
  admit(call: Packed<AdmitCall>): Promise<Packed<Admission>>;
  /**
   * Renews at once. The answer may wait for so long: it comes sooner when the key or the person is shut
   * out, and when the request has ended.
   */
  renew(request: RenewRequest, waitMs?: number): Promise<RenewAnswer>;
  /**
   * Zero usage releases the Hold. Answers when the settlement is durable; with `wait` false at once,
   * with the commit that will make it so.
   */
  settle(request: SettleRequest, options?: { wait: boolean }): Promise<CommitMark>;
  /** Takes a request out of the line, if it still waits there. */
  leave(requestId: string): Promise<void>;

  mint(request: MintRequest): Promise<Repeatable<KeyRecord>>;
  changeKey(keyId: string, change: KeyChange): Promise<Repeatable<KeyRecord>>;
  revoke(keyId: string, why: string): Promise<Repeatable<KeyRecord>>;
  keys(): Promise<KeyRecord[]>;
  /** By the SHA-256 of the key, in hex; one of the App's too. */
  keyByHash(hash: string): Promise<KeyRecord | null>;
  keyHashes(): Promise<string[]>;
  grant(request: GrantRequest): Promise<Repeatable<GrantRecord>>;
  grants(): Promise<GrantRecord[]>;
  usage(range: { from: string; to: string }): Promise<UsageRow[]>;
}

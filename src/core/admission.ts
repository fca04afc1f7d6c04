// Whether a Completion may start, decided in one go: key, person, starts a minute, place in line,
// tokens. Every limit is judged before any is moved, so a refusal by one uses up no other.
// No I/O, no clock, no randomness.
import type {
  AccountFigures,
  AccountLimits,
  AccountProfile,
  AdmitRequest,
  BudgetRefusal,
  KeyRecord,
  KeyRefusal,
  Refusal,
  RenewAnswer,
  TokenFigures,
} from "../contract/account.ts";
import { LINE_RETRY_AFTER_MS } from "../contract/limits.ts";
import { type AppKeys, cutOffWhy, noteAppRun } from "./app-keys.ts";
import { takeHold } from "./ledger.ts";
import { figures, heldByKey, keyMonth, type Ledger, runningCompletions } from "./ledger-state.ts";
import { judgeStart, type RateState, rateFigures } from "./rate-limit.ts";

export interface AccountState {
  profile: AccountProfile;
  limits: AccountLimits;
  /** By the key's SHA-256. */
  keys: Map<string, KeyRecord>;
  /** What the App's pages call with. */
  appKeys: AppKeys;
  ledger: Ledger;
  rate: RateState;
}

export type AdmitDecision =
  | { decision: "admitted"; keyId: string; held: number; maxTokens: number }
  | { decision: "wait" }
  | { decision: "refused"; refusal: Refusal };

/** Where the request stands: how many wait before it, or whether its turn in the line has come. */
export interface LinePlace {
  waiting: number;
  turn: boolean;
}

export function decideAdmission(
  state: AccountState,
  request: AdmitRequest,
  place: LinePlace,
  now: number,
  leaseMs: number,
): AdmitDecision {
  const { ledger, limits } = state;
  const running = ledger.holds.get(request.requestId);
  if (running !== undefined) {
    const { keyId, held } = running;
    return { decision: "admitted", keyId, held, maxTokens: appliedMaxTokens(request, held) };
  }
  if (ledger.ended.has(request.requestId)) return refused({ reason: "ended" });
  const key = checkKey(state, request.keyHash, now);
  if ("reason" in key) return refused(key);
  const start = judgeStart(state.rate, limits.startsPerMinute, now);
  if (!start.allowed) return refused({ reason: "rate", retryAfterMs: start.retryAfterMs });
  const room = tokenRoom(state, key, now);
  const lowest = lowestNeed(request);
  if (lowest > room.atBest) return refused(budgetRefusal(room, lowest));
  if (!place.turn && (runningCompletions(ledger) >= limits.running || place.waiting > 0)) {
    return place.waiting < limits.waiting
      ? { decision: "wait" }
      : refused({ reason: "line_full", retryAfterMs: LINE_RETRY_AFTER_MS });
  }
  const fit = fitTokens(request, room.figures.available);
  if (fit === "count_first") return refused({ reason: "count_first" });
  if (fit === "too_little") return refused(budgetRefusal(room, lowest));
  const { requestId, model } = request;
  const hold = { requestId, keyId: key.id, model, held: fit.held };
  if (!takeHold(ledger, hold, now + leaseMs)) throw new Error("a Hold that fits was refused");
  noteAppRun(state.appKeys, request.keyHash, requestId);
  state.rate = start.next;
  key.lastUsedAt = now;
  return { decision: "admitted", keyId: key.id, held: fit.held, maxTokens: fit.maxTokens };
}

/** The key's record, or why it is worth nothing. */
export function checkKey(
  state: AccountState,
  keyHash: string,
  now: number,
): KeyRecord | KeyRefusal {
  const key = state.keys.get(keyHash) ?? state.appKeys.byHash.get(keyHash)?.key;
  if (key === undefined) return { reason: "key_unknown" };
  return refusalOf(state, key, now) ?? key;
}

export function keyById(state: AccountState, keyId: string): KeyRecord | undefined {
  for (const key of state.keys.values()) if (key.id === keyId) return key;
  return undefined;
}

/** Why this key may not go on, or null. */
function refusalOf(state: AccountState, key: KeyRecord, now: number): KeyRefusal | null {
  if (key.revokedAt !== null) {
    return { reason: "key_revoked", at: key.revokedAt, why: key.revokedWhy ?? "" };
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    return { reason: "key_expired", at: key.expiresAt };
  }
  return disabledOf(state);
}

function disabledOf({ profile }: AccountState): KeyRefusal | null {
  return profile.disabled ? { reason: "account_disabled" } : null;
}

/** An expired key starts nothing, but what it started before may end. */
export function mayGoOn(
  state: AccountState,
  run: { keyId: string; requestId: string },
  now: number,
): RenewAnswer {
  const isHeld = state.ledger.holds.has(run.requestId);
  const cutWhy = cutOffWhy(state.appKeys, { ...run, isHeld });
  if (cutWhy !== null) {
    return { goOn: false, refusal: { reason: "key_revoked", at: now, why: cutWhy } };
  }
  const key = keyById(state, run.keyId);
  const refusal = key === undefined ? disabledOf(state) : refusalOf(state, key, now);
  return refusal === null || refusal.reason === "key_expired"
    ? { goOn: true }
    : { goOn: false, refusal };
}

export function accountFigures(state: AccountState, now: number): AccountFigures {
  const { startsPerMinute } = state.limits;
  const rate = rateFigures(state.rate, startsPerMinute, now);
  return {
    tokens: figures(state.ledger),
    startsPerMinute,
    startsRemaining: rate.remaining,
    startsResetMs: rate.resetMs,
  };
}

export interface TokenRoom {
  scope: "account" | "key";
  /** Of the scope: the Account's own, or the key's month. */
  figures: TokenFigures;
  /** What both leave, if all that is held now were given back. */
  atBest: number;
}

/** The narrower of the Account's tokens and the key's monthly limit, if there is a key. */
export function tokenRoom(state: AccountState, key: KeyRecord | null, now: number): TokenRoom {
  const account = figures(state.ledger);
  const accountAtBest = account.granted - account.spent;
  const month = key === null ? null : keyMonthFigures(state.ledger, key, now);
  if (month === null) return { scope: "account", figures: account, atBest: accountAtBest };
  const atBest = Math.min(accountAtBest, month.granted - month.spent);
  return month.available < account.available
    ? { scope: "key", figures: month, atBest }
    : { scope: "account", figures: account, atBest };
}

/**
 * The key's month as if it were an Account; null where no limit bounds it. A limit that was lowered
 * below what is spent and held leaves less than nothing: shown as it is, so that it adds up.
 */
function keyMonthFigures(ledger: Ledger, key: KeyRecord, now: number): TokenFigures | null {
  const granted = key.monthlyTokenLimit;
  if (granted === null) return null;
  const spent = ledger.keyMonths.get(keyMonth(key.id, now)) ?? 0;
  const held = heldByKey(ledger, key.id);
  return { granted, spent, held, available: granted - spent - held };
}

function refused(refusal: Refusal): AdmitDecision {
  return { decision: "refused", refusal };
}

export function budgetRefusal(room: TokenRoom, needed: number): BudgetRefusal {
  return {
    reason: "budget",
    scope: room.scope,
    budget: { ...room.figures, needed },
    heldWouldFree: needed <= room.atBest,
  };
}

/** One token for each choice; a prompt whose count is not known has at least one token. */
function lowestNeed(request: AdmitRequest): number {
  return (request.promptTokensExact ? request.promptTokens : 1) + request.choices;
}

function fitTokens(
  request: AdmitRequest,
  available: number,
): { held: number; maxTokens: number } | "count_first" | "too_little" {
  const { promptTokens, choices, maxTokens } = request;
  const worst = promptTokens + choices * Math.max(maxTokens, 1);
  if (worst <= available) return { held: worst, maxTokens };
  if (lowestNeed(request) > available) return "too_little";
  if (!request.promptTokensExact) return "count_first";
  const lowered = Math.floor((available - promptTokens) / choices);
  return { held: promptTokens + choices * lowered, maxTokens: lowered };
}

/** What a repeated call is told: `maxTokens` follows from the Hold that it got the first time. */
function appliedMaxTokens(request: AdmitRequest, held: number): number {
  const perChoice = Math.floor((held - request.promptTokens) / request.choices);
  return Math.min(request.maxTokens, Math.max(1, perChoice));
}

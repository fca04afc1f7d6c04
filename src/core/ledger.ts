// An Account's tokens: Grants, Holds and what was spent. Refuses I/O, clocks and randomness; `now` is
// passed in, and every function is deterministic, so replaying the same calls gives the same ledger.
//
// Three laws hold whenever an answer leaves:
//   granted = available + held + spent, with available >= 0           (what people are shown)
//   block >= held + setAside + ended since the last commit            (what makes a crash harmless)
//   leases given <= leases on disk + LEASES_AHEAD_MS                  (how long it stays so)
// `block` is what the last commit set aside on disk. The second law means that the disk always says
// that *less* is available than is: whatever memory is lost, nothing can be spent twice. An ended
// Hold counts in full until its end is on disk: a restart would find the Hold again, and whoever got
// its tokens meanwhile needs others. The third law keeps what was set aside until every gateway that
// lives has come back for it. A call that would break a law makes `mustCommit` true, and its answer
// waits for a write; all others write nothing. So does a Grant's lapse: without it the disk would
// say that more is available.
import type {
  GrantRecord,
  HeldRequest,
  TokenFigures,
  TokenUsage,
  UnreportedFigures,
} from "../contract/account.ts";
import { BLOCK_AHEAD_TOKENS, ENDED_KEPT_MS, HOLD_RENEW_MS } from "../contract/limits.ts";
import { draw, lapse, refund, sortForSpending } from "./grants.ts";

export interface Hold extends HeldRequest {
  leaseUntil: number;
  /** What the gateway last reported; the price if it never reports again. */
  progress: TokenUsage;
}

export interface Ending extends HeldRequest {
  how: "settled" | "released" | "expired";
  usage: TokenUsage;
  charged: number;
  at: number;
}

/** What one settlement adds to the usage of its day, Model and key; corrections may be negative. */
export interface UsageDelta {
  at: number;
  model: string;
  keyId: string;
  requests: number;
  promptTokens: number;
  completionTokens: number;
}

/** What a commit makes durable, all in one transaction. */
export interface Commit {
  at: number;
  block: number;
  grants: GrantRecord[];
  holds: Hold[];
  endings: Ending[];
  usage: UsageDelta[];
  unreported: UnreportedFigures;
  overrunTokens: number;
}

/** What a restarted object reads back: the last commit, with the endings of the last minutes. */
export interface Durable extends Omit<Commit, "usage"> {
  /** Tokens by `keyMonth`, from the usage on record; older months may be left out. */
  keyMonths: [string, number][];
}

export interface Ledger {
  grants: GrantRecord[];
  granted: number;
  spent: number;
  held: number;
  holds: Map<string, Hold>;
  /** Ended requests of the last minutes, oldest first: what makes a repeat harmless. */
  ended: Map<string, Ending>;
  /** Set aside before a crash and not yet claimed by the request it was for. */
  setAside: { tokens: number; until: number };
  /** The end of the last lease that was given, and of the last that the disk knows or covers. */
  leases: { given: number; onDisk: number };
  block: number;
  keyMonths: Map<string, number>;
  /** `ended` counts each Hold that ended in full, or what it cost where that is more. */
  uncommitted: { ended: number; lapsed: number; endings: Ending[]; usage: UsageDelta[] };
  unreported: UnreportedFigures;
  overrunTokens: number;
}

/**
 * A third of the renewals' rhythm: a gateway's next renewal comes long before the lease that the
 * disk knows ends, also when a crash takes some seconds.
 */
const LEASES_AHEAD_MS = HOLD_RENEW_MS / 3;

const NOTHING: TokenUsage = { promptTokens: 0, completionTokens: 0 };

export function emptyDurable(now: number): Durable {
  return {
    at: now,
    block: 0,
    grants: [],
    holds: [],
    endings: [],
    unreported: { requests: 0, atMostTokens: 0 },
    overrunTokens: 0,
    keyMonths: [],
  };
}

/** Rebuilds the ledger from what was durable. Holds that were on record go on under their lease. */
export function openLedger(durable: Durable, leaseMs: number): Ledger {
  const holds = new Map(durable.holds.map((hold) => [hold.requestId, { ...hold }]));
  const held = durable.holds.reduce((sum, hold) => sum + hold.held, 0);
  const grants = durable.grants.map((grant) => ({ ...grant }));
  sortForSpending(grants);
  const until = durable.at + leaseMs;
  return {
    grants,
    granted: grants.reduce((sum, grant) => sum + grant.tokens - grant.lapsed, 0),
    spent: grants.reduce((sum, grant) => sum + grant.used, 0),
    held,
    holds,
    ended: new Map(durable.endings.map((ending) => [ending.requestId, ending])),
    setAside: { tokens: Math.max(0, durable.block - held), until },
    leases: { given: until, onDisk: until },
    block: durable.block,
    keyMonths: new Map(durable.keyMonths),
    uncommitted: { ended: 0, lapsed: 0, endings: [], usage: [] },
    unreported: { ...durable.unreported },
    overrunTokens: durable.overrunTokens,
  };
}

/** `held` includes what a crash left set aside: nobody can spend it before its lease ends. */
export function figures(ledger: Ledger): TokenFigures {
  const held = ledger.held + ledger.setAside.tokens;
  return {
    granted: ledger.granted,
    spent: ledger.spent,
    held,
    available: ledger.granted - ledger.spent - held,
  };
}

export function mustCommit(ledger: Ledger): boolean {
  const { held, setAside, leases, uncommitted } = ledger;
  return (
    ledger.block < held + setAside.tokens + uncommitted.ended ||
    leases.given > leases.onDisk + LEASES_AHEAD_MS ||
    uncommitted.lapsed > 0
  );
}

/** Sets `request.held` tokens aside. False when they are not available; a repeat changes nothing. */
export function takeHold(ledger: Ledger, request: HeldRequest, leaseUntil: number): boolean {
  if (ledger.holds.has(request.requestId)) return true;
  if (request.held > figures(ledger).available) return false;
  putHold(ledger, { ...request, leaseUntil, progress: NOTHING });
  ledger.leases.given = Math.max(ledger.leases.given, leaseUntil);
  return true;
}

/** Keeps a Hold alive and notes how far it is. False when it has ended. */
export function renewHold(
  ledger: Ledger,
  request: HeldRequest,
  progress: TokenUsage,
  leaseUntil: number,
): boolean {
  if (ledger.ended.has(request.requestId)) return false;
  const hold = ledger.holds.get(request.requestId) ?? adopt(ledger, request);
  hold.leaseUntil = leaseUntil;
  hold.progress = progress;
  ledger.leases.given = Math.max(ledger.leases.given, leaseUntil);
  return true;
}

/** What a settlement found that should never be: worth a line in the log, never a refusal. */
export type SettleDefect = "above_hold" | "above_available" | null;

/**
 * Ends a Hold with what the backend reported; zero usage releases it. The first report counts: a
 * repeat changes nothing, a report after the lease's end puts right what the lease assumed.
 */
export function settle(
  ledger: Ledger,
  request: HeldRequest,
  usage: TokenUsage,
  now: number,
): SettleDefect {
  const before = ledger.ended.get(request.requestId);
  if (before !== undefined) {
    return before.how === "expired" ? correct(ledger, before, usage, now) : null;
  }
  const hold = ledger.holds.get(request.requestId) ?? adopt(ledger, request);
  return end(ledger, hold, usage, total(usage) > 0 ? "settled" : "released", now);
}

/** Ends what nobody renewed, and lapses Grants. Returns true when anything changed. */
export function expire(ledger: Ledger, now: number): boolean {
  let changed = false;
  for (const hold of ledger.holds.values()) {
    if (hold.leaseUntil > now) continue;
    end(ledger, hold, hold.progress, "expired", now);
    ledger.unreported.requests += 1;
    ledger.unreported.atMostTokens += unreportedTokens(hold.held, hold.progress);
    changed = true;
  }
  if (ledger.setAside.tokens > 0 && ledger.setAside.until <= now) {
    ledger.setAside.tokens = 0;
    changed = true;
  }
  return lapseGrants(ledger, now) || changed;
}

export function addGrant(ledger: Ledger, grant: GrantRecord): void {
  ledger.grants.push({ ...grant });
  sortForSpending(ledger.grants);
  ledger.granted += grant.tokens;
}

/**
 * What to write now. The ledger counts it as written: the caller's answer must not leave before the
 * write is durable (a Durable Object's output gate sees to that), and a failed write must end the
 * object. `atRest` sets nothing aside beyond what is held.
 */
export function commit(ledger: Ledger, now: number, atRest: boolean): Commit {
  const wanted = ledger.held + ledger.setAside.tokens + (atRest ? 0 : BLOCK_AHEAD_TOKENS);
  ledger.block = Math.min(wanted, ledger.granted - ledger.spent);
  ledger.leases.onDisk = ledger.leases.given;
  const { endings, usage } = ledger.uncommitted;
  ledger.uncommitted = { ended: 0, lapsed: 0, endings: [], usage: [] };
  for (const [id, ending] of ledger.ended) {
    if (ending.at > now - ENDED_KEPT_MS) break;
    ledger.ended.delete(id);
  }
  return {
    at: now,
    block: ledger.block,
    grants: ledger.grants.map((grant) => ({ ...grant })),
    holds: [...ledger.holds.values()].map((hold) => ({ ...hold })),
    endings,
    usage,
    unreported: { ...ledger.unreported },
    overrunTokens: ledger.overrunTokens,
  };
}

/** When `expire` next has something to do, or null. */
export function nextExpiry(ledger: Ledger): number | null {
  let next = ledger.setAside.tokens > 0 ? ledger.setAside.until : Infinity;
  for (const hold of ledger.holds.values()) next = Math.min(next, hold.leaseUntil);
  return next === Infinity ? null : next;
}

/** A key's monthly limit counts by calendar month, UTC. */
export function keyMonth(keyId: string, at: number): string {
  return `${new Date(at).toISOString().slice(0, 7)} ${keyId}`;
}

export function heldByKey(ledger: Ledger, keyId: string): number {
  let held = 0;
  for (const hold of ledger.holds.values()) if (hold.keyId === keyId) held += hold.held;
  return held;
}

function total(usage: TokenUsage): number {
  return usage.promptTokens + usage.completionTokens;
}

function unreportedTokens(held: number, progress: TokenUsage): number {
  return Math.max(0, held - total(progress));
}

function putHold(ledger: Ledger, hold: Hold): void {
  ledger.holds.set(hold.requestId, hold);
  ledger.held += hold.held;
}

/**
 * A request from before a crash comes back for its Hold. Its tokens are in what was set aside; only
 * if its lease ended meanwhile are they taken from what is available, as far as that goes.
 */
function adopt(ledger: Ledger, request: HeldRequest): Hold {
  const fromAside = Math.min(request.held, ledger.setAside.tokens);
  const fromAvailable = Math.min(request.held - fromAside, figures(ledger).available);
  ledger.setAside.tokens -= fromAside;
  const hold: Hold = {
    ...request,
    held: fromAside + fromAvailable,
    leaseUntil: ledger.setAside.until,
    progress: NOTHING,
  };
  putHold(ledger, hold);
  return hold;
}

function end(
  ledger: Ledger,
  hold: Hold,
  usage: TokenUsage,
  how: Ending["how"],
  now: number,
): SettleDefect {
  ledger.holds.delete(hold.requestId);
  ledger.held -= hold.held;
  const { requestId, keyId, model, held } = hold;
  const ending: Ending = { requestId, keyId, model, held, how, usage, charged: 0, at: now };
  const defect = charge(ledger, ending, total(usage), held);
  ledger.uncommitted.ended += Math.max(held, ending.charged);
  record(ledger, ending);
  if (total(usage) > 0) addUsage(ledger, ending, 1, usage, now);
  lapseGrants(ledger, now);
  return defect;
}

function correct(ledger: Ledger, before: Ending, usage: TokenUsage, now: number): SettleDefect {
  // Known from now on as long as any other, since it may be repeated as long.
  const ending: Ending = { ...before, how: "settled", usage, at: now };
  ledger.unreported.requests -= 1;
  ledger.unreported.atMostTokens -= unreportedTokens(before.held, before.usage);
  ledger.overrunTokens -= total(before.usage) - before.charged;
  const more = total(usage) - before.charged;
  let defect: SettleDefect = null;
  if (more >= 0) {
    defect = charge(ledger, ending, more, more);
    ledger.uncommitted.ended += ending.charged - before.charged;
  } else {
    refund(ledger.grants, -more);
    ledger.spent += more;
    ending.charged += more;
  }
  record(ledger, ending);
  const wasCounted = total(before.usage) > 0 ? 1 : 0;
  const isCounted = total(usage) > 0 ? 1 : 0;
  const change: TokenUsage = {
    promptTokens: usage.promptTokens - before.usage.promptTokens,
    completionTokens: usage.completionTokens - before.usage.completionTokens,
  };
  addUsage(ledger, before, isCounted - wasCounted, change, before.at);
  lapseGrants(ledger, now);
  return defect;
}

/** Spends up to `tokens`; beyond all that is available it is counted as overrun, never below 0. */
function charge(ledger: Ledger, ending: Ending, tokens: number, expected: number): SettleDefect {
  const charged = Math.min(tokens, figures(ledger).available);
  draw(ledger.grants, charged);
  ledger.spent += charged;
  ending.charged += charged;
  ledger.overrunTokens += tokens - charged;
  if (charged < tokens) return "above_available";
  return tokens > expected ? "above_hold" : null;
}

function record(ledger: Ledger, ending: Ending): void {
  ledger.ended.delete(ending.requestId);
  ledger.ended.set(ending.requestId, ending);
  ledger.uncommitted.endings.push(ending);
}

function addUsage(
  ledger: Ledger,
  request: HeldRequest,
  requests: number,
  usage: TokenUsage,
  at: number,
): void {
  const { model, keyId } = request;
  const month = keyMonth(keyId, at);
  ledger.keyMonths.set(month, (ledger.keyMonths.get(month) ?? 0) + total(usage));
  ledger.uncommitted.usage.push({ at, model, keyId, requests, ...usage });
}

function lapseGrants(ledger: Ledger, now: number): boolean {
  const gone = lapse(ledger.grants, figures(ledger).available, now);
  ledger.granted -= gone;
  ledger.uncommitted.lapsed += gone;
  return gone > 0;
}

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
import type { GrantRecord, HeldRequest, TokenUsage } from "../contract/account.ts";
import { BLOCK_AHEAD_TOKENS, ENDED_KEPT_MS, HOLD_RENEW_MS } from "../contract/limits.ts";
import { draw, lapse, refund, sortForSpending } from "./grants.ts";
import {
  type Commit,
  type Ending,
  figures,
  type Hold,
  keyMonth,
  type Ledger,
  totalTokens,
} from "./ledger-state.ts";

/**
 * A third of the renewals' rhythm: a gateway's next renewal comes long before the lease that the
 * disk knows ends, also when a crash takes some seconds.
 */
const LEASES_AHEAD_MS = HOLD_RENEW_MS / 3;

const NOTHING: TokenUsage = { promptTokens: 0, completionTokens: 0 };

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
  return end(ledger, hold, usage, totalTokens(usage) > 0 ? "settled" : "released", now);
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
    ledger.unreported.unclaimedTokens += ledger.setAside.tokens;
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

function unreportedTokens(held: number, progress: TokenUsage): number {
  return Math.max(0, held - totalTokens(progress));
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
  const defect = charge(ledger, ending, totalTokens(usage), held);
  ledger.uncommitted.ended += Math.max(held, ending.charged);
  record(ledger, ending);
  if (totalTokens(usage) > 0) addUsage(ledger, ending, 1, usage, now);
  lapseGrants(ledger, now);
  return defect;
}

function correct(ledger: Ledger, before: Ending, usage: TokenUsage, now: number): SettleDefect {
  // Known from now on as long as any other, since it may be repeated as long.
  const ending: Ending = { ...before, how: "settled", usage, at: now };
  ledger.unreported.requests -= 1;
  ledger.unreported.atMostTokens -= unreportedTokens(before.held, before.usage);
  ledger.overrunTokens -= totalTokens(before.usage) - before.charged;
  const more = totalTokens(usage) - before.charged;
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
  const wasCounted = totalTokens(before.usage) > 0 ? 1 : 0;
  const isCounted = totalTokens(usage) > 0 ? 1 : 0;
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
  ledger.keyMonths.set(month, (ledger.keyMonths.get(month) ?? 0) + totalTokens(usage));
  ledger.uncommitted.usage.push({ at, model, keyId, requests, ...usage });
}

function lapseGrants(ledger: Ledger, now: number): boolean {
  const gone = lapse(ledger.grants, figures(ledger).available, now);
  ledger.granted -= gone;
  ledger.uncommitted.lapsed += gone;
  return gone > 0;
}

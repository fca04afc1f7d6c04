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
import type { GrantRecord, TokenUsage } from "../contract/account.ts";
import { BLOCK_AHEAD_TOKENS, ENDED_KEPT_MS, HOLD_RENEW_MS } from "../contract/limits.ts";
import { sortForSpending } from "./grants.ts";
import {
  correct,
  end,
  lapseGrants,
  type SettleDefect,
  unreportedTokens,
} from "./ledger-endings.ts";
import {
  type Commit,
  figures,
  type HeldFor,
  type Hold,
  isKept,
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
export function takeHold(ledger: Ledger, request: HeldFor, leaseUntil: number): boolean {
  if (ledger.holds.has(request.requestId)) return true;
  if (request.held > figures(ledger).available) return false;
  putHold(ledger, { ...request, leaseUntil, progress: NOTHING });
  ledger.leases.given = Math.max(ledger.leases.given, leaseUntil);
  return true;
}

/** Keeps a Hold alive and notes how far it is. False when it has ended. */
export function renewHold(
  ledger: Ledger,
  request: HeldFor,
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

/**
 * Ends a Hold with what the backend reported; zero usage releases it. The first report counts: a
 * repeat changes nothing, a report after the lease's end puts right what the lease assumed.
 * `requests` is what it counts for in the usage.
 */
export function settle(
  ledger: Ledger,
  request: HeldFor,
  usage: TokenUsage,
  now: number,
  requests = 1,
): SettleDefect {
  const before = ledger.ended.get(request.requestId);
  if (before !== undefined) {
    return before.how === "expired" ? correct(ledger, before, { usage, requests }, now) : null;
  }
  const hold = ledger.holds.get(request.requestId) ?? adopt(ledger, request);
  const how = totalTokens(usage) > 0 ? "settled" : "released";
  return end(ledger, hold, { how, usage, requests }, now);
}

/**
 * Slices whose settlement nobody repeats any more: the disk forgets them, memory as it does any
 * other, since a repeat that is still on its way must not find a Hold that never was.
 */
export function forgetSlices(ledger: Ledger, ids: readonly string[], now: number): void {
  for (const id of ids) {
    const ending = ledger.ended.get(id);
    if (ending === undefined || !isKept(ending)) continue;
    const { slice: _, ...forgotten } = ending;
    ledger.ended.delete(id);
    ledger.ended.set(id, { ...forgotten, at: now });
    ledger.uncommitted.forgotten.push(id);
  }
}

/** Ends what nobody renewed, and lapses Grants. Returns true when anything changed. */
export function expire(ledger: Ledger, now: number): boolean {
  let changed = false;
  for (const hold of ledger.holds.values()) {
    if (hold.leaseUntil > now) continue;
    end(ledger, hold, { how: "expired", usage: hold.progress, requests: 1 }, now);
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
  const { endings, forgotten, usage } = ledger.uncommitted;
  ledger.uncommitted = { ended: 0, lapsed: 0, endings: [], forgotten: [], usage: [] };
  for (const [id, ending] of ledger.ended) {
    if (isKept(ending)) continue;
    if (ending.at > now - ENDED_KEPT_MS) break;
    ledger.ended.delete(id);
  }
  return {
    at: now,
    block: ledger.block,
    grants: ledger.grants.map((grant) => ({ ...grant })),
    holds: [...ledger.holds.values()].map((hold) => ({ ...hold })),
    endings,
    forgotten,
    usage,
    unreported: { ...ledger.unreported },
    overrunTokens: ledger.overrunTokens,
  };
}

function putHold(ledger: Ledger, hold: Hold): void {
  ledger.holds.set(hold.requestId, hold);
  ledger.held += hold.held;
  if (hold.slice) ledger.slices += 1;
}

/**
 * A request from before a crash comes back for its Hold. Its tokens are in what was set aside; only
 * if its lease ended meanwhile are they taken from what is available, as far as that goes.
 */
function adopt(ledger: Ledger, request: HeldFor): Hold {
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

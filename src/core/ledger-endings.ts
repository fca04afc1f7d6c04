// How a Hold ends, and what that costs. Refuses I/O, clocks and randomness, as ./ledger.ts does, which
// says when.
import type { TokenUsage } from "../contract/account.ts";
import { draw, lapse, refund } from "./grants.ts";
import {
  type Ending,
  figures,
  type HeldFor,
  type Hold,
  keyMonth,
  type Ledger,
  totalTokens,
} from "./ledger-state.ts";

/** What a settlement found that should never be: worth a line in the log, never a refusal. */
export type SettleDefect = "above_hold" | "above_available" | null;

/** What a Hold comes to. `requests` is what its usage counts for: a slice has many. */
export interface Outcome {
  how: Ending["how"];
  usage: TokenUsage;
  requests: number;
}

export function end(ledger: Ledger, hold: Hold, outcome: Outcome, now: number): SettleDefect {
  const { how, usage, requests } = outcome;
  ledger.holds.delete(hold.requestId);
  ledger.held -= hold.held;
  if (hold.slice) ledger.slices -= 1;
  const { leaseUntil: _, progress: __, ...held } = hold;
  const ending: Ending = { ...held, how, usage, charged: 0, at: now };
  const defect = charge(ledger, ending, totalTokens(usage), hold.held);
  ledger.uncommitted.ended += Math.max(hold.held, ending.charged);
  record(ledger, ending);
  if (totalTokens(usage) > 0) addUsage(ledger, ending, requests, usage, now);
  lapseGrants(ledger, now);
  return defect;
}

/** A report after the lease's end puts right what the lease assumed. */
export function correct(
  ledger: Ledger,
  before: Ending,
  { usage, requests }: Omit<Outcome, "how">,
  now: number,
): SettleDefect {
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
  const isCounted = totalTokens(usage) > 0 ? requests : 0;
  const change: TokenUsage = {
    promptTokens: usage.promptTokens - before.usage.promptTokens,
    completionTokens: usage.completionTokens - before.usage.completionTokens,
  };
  addUsage(ledger, before, isCounted - wasCounted, change, before.at);
  lapseGrants(ledger, now);
  return defect;
}

export function unreportedTokens(held: number, progress: TokenUsage): number {
  return Math.max(0, held - totalTokens(progress));
}

export function lapseGrants(ledger: Ledger, now: number): boolean {
  const gone = lapse(ledger.grants, figures(ledger).available, now);
  ledger.granted -= gone;
  ledger.uncommitted.lapsed += gone;
  return gone > 0;
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
  request: HeldFor,
  requests: number,
  usage: TokenUsage,
  at: number,
): void {
  const { model, keyId } = request;
  const month = keyMonth(keyId, at);
  ledger.keyMonths.set(month, (ledger.keyMonths.get(month) ?? 0) + totalTokens(usage));
  ledger.uncommitted.usage.push({ at, model, keyId, requests, ...usage });
}

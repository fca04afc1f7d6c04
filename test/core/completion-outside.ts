// A Completion as its gateway sees it, for the crash properties.
import type { TokenUsage } from "../../src/contract/account.ts";
import type { HeldFor } from "../../src/core/ledger-state.ts";
import { totalOf } from "./ledger-commands.ts";

/** How a gateway sees its request. Only an answer that has left the object changes what it sees. */
export interface Completion {
  request: HeldFor;
  state: "asked" | "refused" | "running" | "reporting" | "done";
  askedAt: number;
  alive: boolean;
  /** Its gateway was out of reach until then, so that its lease may have ended while it ran. */
  cutOffUntil: number | null;
  /** What the backend has done so far. */
  work: number;
  usage: TokenUsage | null;
  /** Every progress that it ever reported. */
  reported: number[];
  /** When its gateway next calls the object. */
  callAt: number;
}

export function askedAt(now: number, request: HeldFor): Completion {
  return {
    request,
    state: "asked",
    askedAt: now,
    alive: true,
    cutOffUntil: null,
    work: 0,
    usage: null,
    reported: [0],
    callAt: Infinity,
  };
}

/** What a request has a right to: its Hold while it runs, and then what it used. */
export function owed(completion: Completion): number {
  if (completion.cutOffUntil !== null) return 0;
  if (completion.state === "running") return completion.alive ? completion.request.held : 0;
  const counts =
    completion.state === "done" || (completion.state === "reporting" && completion.alive);
  return counts && completion.usage !== null ? totalOf(completion.usage) : 0;
}

// What a ledger is, in memory, in a commit and read back from disk, and what can be read off it.
// Nothing here changes one: that is ./ledger.ts. No I/O, no clock.
import type {
  GrantRecord,
  HeldRequest,
  TokenFigures,
  TokenUsage,
  UnreportedFigures,
} from "../contract/account.ts";
import { sortForSpending } from "./grants.ts";

/**
 * What a Hold is for. A Job's slice takes none of the places that Completions have, and its ending is
 * known until the Job says that it will not come back for it.
 */
export interface HeldFor extends HeldRequest {
  slice?: true;
}

export interface Hold extends HeldFor {
  leaseUntil: number;
  /** What the gateway last reported; the price if it never reports again. */
  progress: TokenUsage;
}

export interface Ending extends HeldFor {
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
  /** Endings of slices that were kept until now. */
  forgotten: string[];
  usage: UsageDelta[];
  unreported: UnreportedFigures;
  overrunTokens: number;
}

/**
 * What a restarted object reads back: the last commit, with the endings of the last minutes and those
 * that are kept.
 */
export interface Durable extends Omit<Commit, "forgotten" | "usage"> {
  /** Tokens by `keyMonth`, from the usage on record; older months may be left out. */
  keyMonths: [string, number][];
}

export interface Ledger {
  grants: GrantRecord[];
  granted: number;
  spent: number;
  held: number;
  holds: Map<string, Hold>;
  /** How many of `holds` are for slices. */
  slices: number;
  /** Ended requests of the last minutes, oldest first: what makes a repeat harmless. */
  ended: Map<string, Ending>;
  /** Set aside before a crash and not yet claimed by the request it was for. */
  setAside: { tokens: number; until: number };
  /** The end of the last lease that was given, and of the last that the disk knows or covers. */
  leases: { given: number; onDisk: number };
  block: number;
  keyMonths: Map<string, number>;
  /** `ended` counts each Hold that ended in full, or what it cost where that is more. */
  uncommitted: {
    ended: number;
    lapsed: number;
    endings: Ending[];
    forgotten: string[];
    usage: UsageDelta[];
  };
  unreported: UnreportedFigures;
  overrunTokens: number;
}

export function emptyDurable(now: number): Durable {
  return {
    at: now,
    block: 0,
    grants: [],
    holds: [],
    endings: [],
    unreported: { requests: 0, atMostTokens: 0, unclaimedTokens: 0 },
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
    slices: durable.holds.filter((hold) => hold.slice).length,
    ended: new Map(durable.endings.map((ending) => [ending.requestId, ending])),
    setAside: { tokens: Math.max(0, durable.block - held), until },
    leases: { given: until, onDisk: until },
    block: durable.block,
    keyMonths: new Map(durable.keyMonths),
    uncommitted: { ended: 0, lapsed: 0, endings: [], forgotten: [], usage: [] },
    unreported: { ...durable.unreported },
    overrunTokens: durable.overrunTokens,
  };
}

/** Completions that run: what a person's places are counted by. */
export function runningCompletions(ledger: Ledger): number {
  return ledger.holds.size - ledger.slices;
}

/** What was charged for a slice, or may yet be, is known until it is forgotten. */
export function isKept({ slice, how, usage }: Ending): boolean {
  return slice === true && (how === "expired" || totalTokens(usage) > 0);
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

/** A key's monthly limit counts by calendar month, UTC. */
export function keyMonth(keyId: string, at: number): string {
  return `${new Date(at).toISOString().slice(0, 7)} ${keyId}`;
}

/** Tokens of all keys in the calendar month of `at`, UTC; of months before, those that are remembered. */
export function spentInMonth(ledger: Ledger, at: number): number {
  const month = keyMonth("", at);
  let spent = 0;
  for (const [name, tokens] of ledger.keyMonths) if (name.startsWith(month)) spent += tokens;
  return spent;
}

export function heldByKey(ledger: Ledger, keyId: string): number {
  let held = 0;
  for (const hold of ledger.holds.values()) if (hold.keyId === keyId) held += hold.held;
  return held;
}

/** When `expire` next has something to do, or null. */
export function nextExpiry(ledger: Ledger): number | null {
  let next = ledger.setAside.tokens > 0 ? ledger.setAside.until : Infinity;
  for (const hold of ledger.holds.values()) next = Math.min(next, hold.leaseUntil);
  return next === Infinity ? null : next;
}

export function totalTokens(usage: TokenUsage): number {
  return usage.promptTokens + usage.completionTokens;
}

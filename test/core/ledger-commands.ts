// Random calls to a ledger, and an independent book of what each request should have come to. The
// book knows states and reports only; it never looks into the ledger to decide what is right.
import fc from "fast-check";
import type { TokenUsage } from "../../src/contract/account.ts";
import { ENDED_KEPT_MS, HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import {
  addGrant,
  commit,
  expire,
  forgetSlices,
  renewHold,
  settle,
  takeHold,
} from "../../src/core/ledger.ts";
import {
  type Commit,
  emptyDurable,
  figures,
  type HeldFor,
  type Ledger,
  openLedger,
} from "../../src/core/ledger-state.ts";

export type Command =
  | { call: "grant"; tokens: number; lastsMs: number | null }
  | { call: "hold"; tokens: number; key: number; model: number; slice: boolean }
  | { call: "repeatHold"; pick: number }
  | { call: "renew"; pick: number; percent: number }
  /** Of the Hold, in percent: 0 releases it, above 100 is a defect of the backend. */
  | { call: "settle"; pick: number; percent: number }
  /** Of a slice that has ended: no settlement comes any more. */
  | { call: "forget"; pick: number }
  | { call: "commit"; atRest: boolean }
  | { call: "pass"; ms: number };

/** What should have become of a request. `usage` is what it counts for once it has ended. */
interface Entry {
  request: HeldFor;
  state: "running" | "settled" | "expired";
  /** A slice's ending was told to be forgotten. */
  forgotten: boolean;
  leaseUntil: number;
  usage: TokenUsage;
  endedAt: number;
  /** Of its end, as `keyMonth` writes it. */
  month: string;
}

export interface Run {
  ledger: Ledger;
  now: number;
  grants: number;
  entries: Entry[];
  commits: Commit[];
}

/** Two minutes before a month turns, so that many runs cross it. */
export const START = Date.UTC(2026, 10, 30, 23, 58);

/** Of every slice. */
const SLICE_ITEMS = 3;

const pick = fc.nat({ max: 40 });
const lasts = fc.option(fc.integer({ min: 1, max: 400_000 }), { nil: null, freq: 2 });

export const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        call: fc.constant("grant" as const),
        tokens: fc.integer({ min: 1, max: 2_000 }),
        lastsMs: lasts,
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        call: fc.constant("hold" as const),
        tokens: fc.integer({ min: 1, max: 400 }),
        key: fc.nat({ max: 1 }),
        model: fc.nat({ max: 1 }),
        slice: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ call: fc.constant("repeatHold" as const), pick }) },
    {
      weight: 2,
      arbitrary: fc.record({
        call: fc.constant("renew" as const),
        pick,
        percent: fc.integer({ min: 0, max: 120 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        call: fc.constant("settle" as const),
        pick,
        percent: fc.oneof(fc.constant(0), fc.constant(100), fc.integer({ min: 1, max: 200 })),
      }),
    },
    { weight: 2, arbitrary: fc.record({ call: fc.constant("forget" as const), pick }) },
    {
      weight: 2,
      arbitrary: fc.record({ call: fc.constant("commit" as const), atRest: fc.boolean() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        call: fc.constant("pass" as const),
        ms: fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 120_000 })),
      }),
    },
  ),
  { maxLength: 60, size: "max" },
);

export function startRun(): Run {
  const ledger = openLedger(emptyDurable(START), HOLD_LEASE_MS);
  return { ledger, now: START, grants: 0, entries: [], commits: [] };
}

export function usageOf(tokens: number): TokenUsage {
  const promptTokens = Math.floor(tokens / 3);
  return { promptTokens, completionTokens: tokens - promptTokens };
}

export function totalOf(usage: TokenUsage): number {
  return usage.promptTokens + usage.completionTokens;
}

export function sumOf<Item>(items: Iterable<Item>, amount: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += amount(item);
  return sum;
}

function monthOf(entry: Pick<Entry, "request" | "endedAt">): string {
  return `${new Date(entry.endedAt).toISOString().slice(0, 7)} ${entry.request.keyId}`;
}

/** One call, made as a shell makes it: what has ended is ended first. */
export function perform(run: Run, command: Command): void {
  if (command.call === "pass") run.now += command.ms;
  expire(run.ledger, run.now);
  expireEntries(run);
  switch (command.call) {
    case "grant":
      grant(run, command.tokens, command.lastsMs);
      break;
    case "hold":
      hold(run, command);
      break;
    case "repeatHold":
      repeatHold(run, command.pick);
      break;
    case "renew":
      renew(run, command.pick, command.percent);
      break;
    case "settle":
      report(run, command.pick, command.percent);
      break;
    case "forget":
      forget(run, command.pick);
      break;
    case "commit":
      run.commits.push(commit(run.ledger, run.now, command.atRest));
      break;
    case "pass":
      break;
  }
}

function grant(run: Run, tokens: number, lastsMs: number | null): void {
  run.grants += 1;
  const expiresAt = lastsMs === null ? null : run.now + lastsMs;
  const id = `grant-${run.grants}`;
  addGrant(run.ledger, { id, tokens, note: "", at: run.now, expiresAt, used: 0, lapsed: 0 });
}

function hold(run: Run, wanted: Extract<Command, { call: "hold" }>): void {
  const request: HeldFor = {
    ...(wanted.slice && { slice: true as const }),
    requestId: `request-${run.entries.length}`,
    keyId: `key-${wanted.key}`,
    model: `model-${wanted.model}`,
    held: wanted.tokens,
  };
  const { available } = figures(run.ledger);
  const leaseUntil = run.now + HOLD_LEASE_MS;
  const taken = takeHold(run.ledger, request, leaseUntil);
  if (taken !== wanted.tokens <= available)
    throw new Error("a Hold is taken if and only if it fits");
  if (!taken) return;
  const usage = usageOf(0);
  const entry: Entry = {
    ...{ request, state: "running", forgotten: false, leaseUntil, usage, endedAt: 0, month: "" },
  };
  run.entries.push(entry);
}

function repeatHold(run: Run, at: number): void {
  const entry = chosen(run, at);
  if (entry?.state !== "running") return;
  if (!takeHold(run.ledger, entry.request, run.now + HOLD_LEASE_MS * 9)) {
    throw new Error("a repeat was refused");
  }
}

function renew(run: Run, at: number, percent: number): void {
  const entry = chosen(run, at);
  if (entry === undefined) return;
  const progress = usageOf(entry.request.slice ? 0 : share(entry, percent));
  const goesOn = renewHold(run.ledger, entry.request, progress, run.now + HOLD_LEASE_MS);
  if (goesOn !== (entry.state === "running")) throw new Error("only a running Hold is renewed");
  if (entry.state !== "running") return;
  entry.leaseUntil = run.now + HOLD_LEASE_MS;
  entry.usage = progress;
}

function report(run: Run, at: number, percent: number): void {
  const entry = chosen(run, at);
  if (entry === undefined) return;
  const usage = usageOf(share(entry, percent));
  settle(run.ledger, entry.request, usage, run.now, countsFor(entry));
  if (entry.state === "settled") return;
  if (entry.state === "running") {
    entry.endedAt = run.now;
    entry.month = monthOf(entry);
  }
  entry.state = "settled";
  entry.usage = usage;
}

/** How many requests its usage counts for. */
export function countsFor({ request }: Entry): number {
  return request.slice ? SLICE_ITEMS : 1;
}

function forget(run: Run, at: number): void {
  const entry = chosen(run, at);
  if (entry === undefined || !entry.request.slice) return;
  forgetSlices(run.ledger, [entry.request.requestId], run.now);
  if (entry.state === "running") return;
  entry.forgotten = true;
}

function expireEntries(run: Run): void {
  for (const entry of run.entries) {
    if (entry.state !== "running" || entry.leaseUntil > run.now) continue;
    entry.state = "expired";
    entry.endedAt = run.now;
    entry.month = monthOf(entry);
  }
}

function share(entry: Entry, percent: number): number {
  return Math.floor((entry.request.held * percent) / 100);
}

/** Any request so far, but none whose id may be forgotten: nobody repeats a call so late. */
function chosen(run: Run, at: number): Entry | undefined {
  const entry = run.entries[run.entries.length - 1 - (at % Math.max(1, run.entries.length))];
  if (entry === undefined || entry.state === "running") return entry;
  const isKept = entry.request.slice && (entry.state === "expired" || totalOf(entry.usage) > 0);
  if (isKept) return entry.forgotten ? undefined : entry;
  return entry.endedAt <= run.now - ENDED_KEPT_MS ? undefined : entry;
}

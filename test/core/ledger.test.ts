import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_AHEAD_TOKENS, ENDED_KEPT_MS, HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import {
  addGrant,
  commit,
  expire,
  figures,
  heldByKey,
  keyMonth,
  type Ledger,
  mustCommit,
  nextExpiry,
  renewHold,
  settle,
  takeHold,
  type UsageDelta,
} from "../../src/core/ledger.ts";
import {
  type Command,
  commands,
  perform,
  type Run,
  START,
  startRun,
  totalOf,
  usageOf,
} from "./ledger-commands.ts";
import { numRuns } from "./property-runs.ts";

function sum(amounts: Iterable<number>): number {
  let all = 0;
  for (const amount of amounts) all += amount;
  return all;
}

/** Runs the commands and checks after each of them. */
function always(check: (run: Run, command: Command) => void): void {
  fc.assert(
    fc.property(commands, (list) => {
      const run = startRun();
      for (const command of list) {
        perform(run, command);
        check(run, command);
      }
    }),
    { numRuns },
  );
}

function endingsOf(run: Run) {
  return [...run.commits.flatMap((one) => one.endings), ...run.ledger.uncommitted.endings];
}

function deltasOf(run: Run): UsageDelta[] {
  return [...run.commits.flatMap((one) => one.usage), ...run.ledger.uncommitted.usage];
}

function withTokens(tokens: number): Run {
  const run = startRun();
  perform(run, { call: "grant", tokens, lastsMs: null });
  return run;
}

function request(name: string, held: number) {
  return { requestId: name, keyId: "key", model: "model", held };
}

function snapshot(ledger: Ledger): Ledger {
  return structuredClone(ledger);
}

describe("after any calls in any order", () => {
  test("granted = available + held + spent, and available is never below 0", () => {
    always(({ ledger }) => {
      const { granted, spent, held, available } = figures(ledger);
      expect(available).toBeGreaterThanOrEqual(0);
      expect(granted).toBe(available + held + spent);
      expect(held).toBe(sum([...ledger.holds.values()].map((hold) => hold.held)));
      expect(granted).toBe(sum(ledger.grants.map((grant) => grant.tokens - grant.lapsed)));
      expect(spent).toBe(sum(ledger.grants.map((grant) => grant.used)));
      for (const { tokens, used, lapsed } of ledger.grants) {
        expect(Math.min(used, lapsed, tokens - used - lapsed)).toBeGreaterThanOrEqual(0);
      }
    });
  });

  test("each request runs or has ended as the book says, and each Hold ends once", () => {
    always((run) => {
      for (const { request: one, state } of run.entries) {
        expect(run.ledger.holds.has(one.requestId)).toBe(state === "running");
      }
      const ended = run.entries.filter((entry) => entry.state !== "running");
      // An expired Hold that is reported late has a second record, which puts the first right.
      const firsts = new Set<string>();
      for (const { requestId, how } of endingsOf(run)) {
        if (firsts.has(requestId)) expect(how).not.toBe("expired");
        firsts.add(requestId);
      }
      expect(firsts.size).toBe(ended.length);
      const corrections = endingsOf(run).length - firsts.size;
      const expired = ended.filter((entry) => entry.state === "expired").length;
      expect(run.ledger.unreported.requests).toBe(expired);
      expect(corrections).toBeLessThanOrEqual(ended.length - expired);
    });
  });

  test("what is spent is the first report of each request, or its last progress", () => {
    always((run) => {
      const last = new Map(endingsOf(run).map((ending) => [ending.requestId, ending]));
      const ended = run.entries.filter((entry) => entry.state !== "running");
      for (const { request: one, usage } of ended) {
        expect(last.get(one.requestId)?.usage).toEqual(usage);
      }
      const reported = sum(ended.map((entry) => totalOf(entry.usage)));
      expect(run.ledger.spent).toBe(sum([...last.values()].map((ending) => ending.charged)));
      expect(run.ledger.spent + run.ledger.overrunTokens).toBe(reported);
    });
  });

  test("a Hold is charged in full up to what it held", () => {
    always((run) => {
      const last = new Map(endingsOf(run).map((ending) => [ending.requestId, ending]));
      const expired = endingsOf(run).filter((ending) => ending.how === "expired");
      const wereExpired = new Set(expired.map((ending) => ending.requestId));
      for (const { requestId, charged, held, usage, how } of last.values()) {
        expect(charged).toBeLessThanOrEqual(totalOf(usage));
        // A late report finds the Hold's tokens given back, so only what is left can be charged.
        const wasLate = how !== "expired" && wereExpired.has(requestId);
        if (!wasLate) expect(charged).toBeGreaterThanOrEqual(Math.min(held, totalOf(usage)));
      }
    });
  });

  test("usage by day, Model and key adds up to what was reported", () => {
    always((run) => {
      const deltas = deltasOf(run);
      const counted = run.entries.filter(
        (one) => one.state !== "running" && totalOf(one.usage) > 0,
      );
      expect(sum(deltas.map((delta) => delta.requests))).toBe(counted.length);
      for (const field of ["promptTokens", "completionTokens"] as const) {
        const reported = sum(counted.map((entry) => entry.usage[field]));
        expect(sum(deltas.map((delta) => delta[field]))).toBe(reported);
      }
      const months = new Map<string, number>();
      for (const delta of deltas) {
        const month = keyMonth(delta.keyId, delta.at);
        months.set(month, (months.get(month) ?? 0) + totalOf(delta));
      }
      expect(run.ledger.keyMonths).toEqual(months);
      for (const entry of counted) expect(months.has(entry.month)).toBe(true);
    });
  });

  test("a commit covers all that is held, and nothing is left to write after it", () => {
    always(({ ledger, now, commits }, command) => {
      if (command.call !== "commit") return;
      const { granted, spent, held } = figures(ledger);
      expect(mustCommit(ledger)).toBe(false);
      expect(ledger.uncommitted).toEqual({ spent: 0, lapsed: 0, endings: [], usage: [] });
      const last = commits.at(-1);
      const ahead = command.atRest ? 0 : BLOCK_AHEAD_TOKENS;
      expect(last?.block).toBe(Math.min(held + ahead, granted - spent));
      expect(last?.holds).toEqual([...ledger.holds.values()]);
      expect(last?.at).toBe(now);
    });
  });

  test("the block covers what is held and spent, or the ledger asks for a commit", () => {
    always(({ ledger }) => {
      if (mustCommit(ledger)) return;
      const { held } = figures(ledger);
      expect(ledger.block).toBeGreaterThanOrEqual(held + ledger.uncommitted.spent);
    });
  });

  test("a repeated report changes nothing", () => {
    always(({ ledger, entries, now }) => {
      const settled = entries.filter((entry) => entry.state === "settled");
      const before = snapshot(ledger);
      for (const { request: one } of settled.slice(-3)) {
        if (!ledger.ended.has(one.requestId)) continue;
        expect(settle(ledger, one, usageOf(7), now)).toBeNull();
      }
      expect(ledger).toEqual(before);
    });
  });

  test("nothing is left to expire before the time that the ledger names", () => {
    always(({ ledger, now }, command) => {
      // A Grant added beside an expired one that is all held lets that one lapse at the next call.
      if (command.call === "grant") return;
      const next = nextExpiry(ledger);
      expect(next === null).toBe(ledger.holds.size === 0);
      if (next !== null) expect(next).toBeGreaterThan(now);
      const before = snapshot(ledger);
      expect(expire(ledger, now)).toBe(false);
      expect(ledger).toEqual(before);
    });
  });

  test("replaying any prefix of the calls gives the same ledger", () => {
    fc.assert(
      fc.property(commands, fc.nat({ max: 60 }), (list, length) => {
        const states = [snapshot(startRun().ledger)];
        const first = startRun();
        for (const command of list) {
          perform(first, command);
          states.push(snapshot(first.ledger));
        }
        const prefix = list.slice(0, length);
        const second = startRun();
        for (const command of prefix) perform(second, command);
        expect(second.ledger).toEqual(states[prefix.length]);
        expect(second.commits).toEqual(first.commits.slice(0, second.commits.length));
      }),
      { numRuns },
    );
  });
});

describe("a Hold", () => {
  test("gives back what was not used", () => {
    const { ledger, now } = withTokens(100);
    expect(takeHold(ledger, request("a", 60), now + HOLD_LEASE_MS)).toBe(true);
    expect(heldByKey(ledger, "key")).toBe(60);
    expect(figures(ledger)).toEqual({ granted: 100, spent: 0, held: 60, available: 40 });
    expect(settle(ledger, request("a", 60), usageOf(25), now)).toBeNull();
    expect(figures(ledger)).toEqual({ granted: 100, spent: 25, held: 0, available: 75 });
    expect(heldByKey(ledger, "key")).toBe(0);
  });

  test("costs its last progress when nobody renews it, until the report comes", () => {
    const { ledger, now } = withTokens(100);
    takeHold(ledger, request("a", 60), now + 10);
    expect(renewHold(ledger, request("a", 60), usageOf(20), now + 20)).toBe(true);
    expect(expire(ledger, now + 19)).toBe(false);
    expect(expire(ledger, now + 20)).toBe(true);
    expect(figures(ledger)).toEqual({ granted: 100, spent: 20, held: 0, available: 80 });
    expect(ledger.unreported).toEqual({ requests: 1, atMostTokens: 40 });
    expect(renewHold(ledger, request("a", 60), usageOf(30), now + 99)).toBe(false);
    settle(ledger, request("a", 60), usageOf(45), now + 30);
    expect(figures(ledger)).toEqual({ granted: 100, spent: 45, held: 0, available: 55 });
    expect(ledger.unreported).toEqual({ requests: 0, atMostTokens: 0 });
  });

  test("that a late report proves cheaper gives back what the lease assumed", () => {
    const { ledger, now } = withTokens(100);
    takeHold(ledger, request("a", 60), now + 10);
    renewHold(ledger, request("a", 60), usageOf(20), now + 20);
    expire(ledger, now + 20);
    settle(ledger, request("a", 60), usageOf(0), now + 30);
    expect(figures(ledger)).toEqual({ granted: 100, spent: 0, held: 0, available: 100 });
    expect(sum(ledger.uncommitted.usage.map((delta) => delta.requests))).toBe(0);
  });

  test("is charged as reported above itself, and the defect is named", () => {
    const { ledger, now } = withTokens(100);
    takeHold(ledger, request("a", 10), now + HOLD_LEASE_MS);
    expect(settle(ledger, request("a", 10), usageOf(30), now)).toBe("above_hold");
    takeHold(ledger, request("b", 10), now + HOLD_LEASE_MS);
    expect(settle(ledger, request("b", 10), usageOf(90), now)).toBe("above_available");
    expect(figures(ledger)).toEqual({ granted: 100, spent: 100, held: 0, available: 0 });
    expect(ledger.overrunTokens).toBe(20);
  });

  test("corrected late is charged once, however late the correction is repeated", () => {
    const { ledger, now } = withTokens(100);
    takeHold(ledger, request("a", 60), now + 10);
    expire(ledger, now + 10);
    const late = now + ENDED_KEPT_MS;
    settle(ledger, request("a", 60), usageOf(45), late);
    commit(ledger, late + 60_000, false);
    settle(ledger, request("a", 60), usageOf(45), late + 60_000);
    expect(figures(ledger).spent).toBe(45);
  });

  test("that is reported late no longer counts as beyond what was available", () => {
    const { ledger, now } = withTokens(10);
    takeHold(ledger, request("a", 10), now + 10);
    renewHold(ledger, request("a", 10), usageOf(15), now + 20);
    expire(ledger, now + 20);
    expect(ledger.overrunTokens).toBe(5);
    settle(ledger, request("a", 10), usageOf(8), now + 30);
    expect(ledger.overrunTokens).toBe(0);
    expect(figures(ledger).spent).toBe(8);
  });

  test("is forgotten after a while, so that memory does not grow", () => {
    const { ledger, now } = withTokens(100);
    for (const name of ["a", "b"]) takeHold(ledger, request(name, 10), now + HOLD_LEASE_MS);
    settle(ledger, request("a", 10), usageOf(5), now);
    settle(ledger, request("b", 10), usageOf(5), now + 1);
    commit(ledger, now + ENDED_KEPT_MS, false);
    expect([...ledger.ended.keys()]).toEqual(["b"]);
  });
});

describe("a Grant", () => {
  test("that expires takes what is available of it, and the rest once it is given back", () => {
    const run = startRun();
    const { ledger } = run;
    const { now } = run;
    const grant = { id: "g", tokens: 100, note: "", at: START, used: 0, lapsed: 0 };
    addGrant(ledger, { ...grant, expiresAt: now + 5 });
    takeHold(ledger, request("a", 60), now + HOLD_LEASE_MS);
    expect(expire(ledger, now + 4)).toBe(false);
    expect(expire(ledger, now + 5)).toBe(true);
    expect(figures(ledger)).toEqual({ granted: 60, spent: 0, held: 60, available: 0 });
    settle(ledger, request("a", 60), usageOf(10), now + 6);
    expect(figures(ledger)).toEqual({ granted: 10, spent: 10, held: 0, available: 0 });
  });

  test("that lapsed is on record before the next answer leaves", () => {
    const run = startRun();
    const { ledger } = run;
    perform(run, { call: "grant", tokens: 100, lastsMs: 5 });
    perform(run, { call: "grant", tokens: 100, lastsMs: null });
    perform(run, { call: "commit", atRest: false });
    expect(mustCommit(ledger)).toBe(false);
    perform(run, { call: "pass", ms: 5 });
    expect(mustCommit(ledger)).toBe(true);
    perform(run, { call: "commit", atRest: false });
    expect(mustCommit(ledger)).toBe(false);
  });
});

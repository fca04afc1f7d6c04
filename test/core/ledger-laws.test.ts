// What holds after any calls to the ledger in any order, judged by an independent book.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_AHEAD_TOKENS, HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import { expire, mustCommit, settle } from "../../src/core/ledger.ts";
import {
  figures,
  isKept,
  keyMonth,
  nextExpiry,
  openLedger,
  runningCompletions,
  type UsageDelta,
} from "../../src/core/ledger-state.ts";
import { readBack } from "./disk.ts";
import {
  type Command,
  commands,
  countsFor,
  perform,
  type Run,
  startRun,
  sumOf,
  totalOf,
  usageOf,
} from "./ledger-commands.ts";
import { numRuns } from "./property-runs.ts";

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

describe("after any calls in any order", () => {
  test("granted = available + held + spent, and available is never below 0", () => {
    always(({ ledger }) => {
      const { granted, spent, held, available } = figures(ledger);
      expect(available).toBeGreaterThanOrEqual(0);
      expect(granted).toBe(available + held + spent);
      expect(held).toBe(sumOf(ledger.holds.values(), (hold) => hold.held));
      expect(granted).toBe(sumOf(ledger.grants, (grant) => grant.tokens - grant.lapsed));
      expect(spent).toBe(sumOf(ledger.grants, (grant) => grant.used));
      const slices = [...ledger.holds.values()].filter((hold) => hold.slice);
      expect(runningCompletions(ledger)).toBe(ledger.holds.size - slices.length);
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
      const reported = sumOf(ended, (entry) => totalOf(entry.usage));
      expect(run.ledger.spent).toBe(sumOf(last.values(), (ending) => ending.charged));
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
      expect(sumOf(deltas, (delta) => delta.requests)).toBe(sumOf(counted, countsFor));
      for (const field of ["promptTokens", "completionTokens"] as const) {
        const reported = sumOf(counted, (entry) => entry.usage[field]);
        expect(sumOf(deltas, (delta) => delta[field])).toBe(reported);
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
      expect(ledger.uncommitted).toEqual({
        ended: 0,
        lapsed: 0,
        endings: [],
        forgotten: [],
        usage: [],
      });
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
      expect(ledger.block).toBeGreaterThanOrEqual(held + ledger.uncommitted.ended);
    });
  });

  test("a repeated report changes nothing", () => {
    always(({ ledger, entries, now }) => {
      const settled = entries.filter((entry) => entry.state === "settled");
      const before = structuredClone(ledger);
      for (const { request: one } of settled.slice(-3)) {
        if (!ledger.ended.has(one.requestId)) continue;
        expect(settle(ledger, one, usageOf(7), now)).toBeNull();
      }
      expect(ledger).toEqual(before);
    });
  });

  test("a slice's ending is known until it is forgotten, also after a restart", () => {
    always((run) => {
      const reopened = openLedger(readBack(run.commits, run.now), HOLD_LEASE_MS);
      const written = new Set(
        run.commits.flatMap((one) => one.endings).map((one) => one.requestId),
      );
      for (const { request: one, state, forgotten, usage } of run.entries) {
        if (!one.slice || state === "running" || forgotten) continue;
        if (state === "settled" && totalOf(usage) === 0) continue;
        const ending = run.ledger.ended.get(one.requestId);
        expect(ending !== undefined && isKept(ending)).toBe(true);
        if (written.has(one.requestId)) expect(reopened.ended.has(one.requestId)).toBe(true);
      }
      const kept = [...reopened.ended.values()].filter(isKept);
      const gone = new Set(run.commits.flatMap((one) => one.forgotten));
      expect(kept.some((one) => gone.has(one.requestId))).toBe(false);
    });
  });

  test("nothing is left to expire before the time that the ledger names", () => {
    always(({ ledger, now }, command) => {
      // A Grant added beside an expired one that is all held lets that one lapse at the next call.
      if (command.call === "grant") return;
      const next = nextExpiry(ledger);
      expect(next === null).toBe(ledger.holds.size === 0);
      if (next !== null) expect(next).toBeGreaterThan(now);
      const before = structuredClone(ledger);
      expect(expire(ledger, now)).toBe(false);
      expect(ledger).toEqual(before);
    });
  });

  test("replaying any prefix of the calls gives the same ledger", () => {
    fc.assert(
      fc.property(commands, fc.nat({ max: 60 }), (list, length) => {
        const states = [structuredClone(startRun().ledger)];
        const first = startRun();
        for (const command of list) {
          perform(first, command);
          states.push(structuredClone(first.ledger));
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

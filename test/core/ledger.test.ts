import { describe, expect, test } from "vitest";
import {
  BLOCK_AHEAD_TOKENS,
  ENDED_KEPT_MS,
  HOLD_LEASE_MS,
  HOLD_RENEW_MS,
} from "../../src/contract/limits.ts";
import {
  addGrant,
  commit,
  expire,
  mustCommit,
  renewHold,
  settle,
  takeHold,
} from "../../src/core/ledger.ts";
import { figures, heldByKey, openLedger } from "../../src/core/ledger-state.ts";
import { perform, type Run, START, startRun, sumOf, usageOf } from "./ledger-commands.ts";

function withTokens(tokens: number): Run {
  const run = startRun();
  perform(run, { call: "grant", tokens, lastsMs: null });
  return run;
}

function request(name: string, held: number) {
  return { requestId: name, keyId: "key", model: "model", held };
}

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
    expect(ledger.unreported).toEqual({ requests: 1, atMostTokens: 40, unclaimedTokens: 0 });
    expect(renewHold(ledger, request("a", 60), usageOf(30), now + 99)).toBe(false);
    settle(ledger, request("a", 60), usageOf(45), now + 30);
    expect(figures(ledger)).toEqual({ granted: 100, spent: 45, held: 0, available: 55 });
    expect(ledger.unreported).toEqual({ requests: 0, atMostTokens: 0, unclaimedTokens: 0 });
  });

  test("that a late report proves cheaper gives back what the lease assumed", () => {
    const { ledger, now } = withTokens(100);
    takeHold(ledger, request("a", 60), now + 10);
    renewHold(ledger, request("a", 60), usageOf(20), now + 20);
    expire(ledger, now + 20);
    settle(ledger, request("a", 60), usageOf(0), now + 30);
    expect(figures(ledger)).toEqual({ granted: 100, spent: 0, held: 0, available: 100 });
    expect(sumOf(ledger.uncommitted.usage, (delta) => delta.requests)).toBe(0);
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

describe("an object that lost its memory", () => {
  const fresh = { id: "g", note: "", at: START, expiresAt: null, used: 0, lapsed: 0 };

  /** Committed with `names` running, each with a Hold of 10, then reopened. */
  function reopened(names: string[]) {
    const before = startRun().ledger;
    addGrant(before, { ...fresh, tokens: BLOCK_AHEAD_TOKENS * 2 });
    for (const name of names) takeHold(before, request(name, 10), START + HOLD_LEASE_MS);
    const { usage: _, ...durable } = commit(before, START, false);
    return openLedger({ ...durable, keyMonths: [] }, HOLD_LEASE_MS);
  }

  test("keeps set aside what may run, and shows it as held", () => {
    const ledger = reopened(["on record"]);
    expect(figures(ledger)).toEqual({
      granted: BLOCK_AHEAD_TOKENS * 2,
      spent: 0,
      held: BLOCK_AHEAD_TOKENS + 10,
      available: BLOCK_AHEAD_TOKENS - 10,
    });
    expect(mustCommit(ledger)).toBe(false);
  });

  test("lets requests that it does not know have what was set aside for them", () => {
    const ledger = reopened(["on record"]);
    const { available } = figures(ledger);
    expect(renewHold(ledger, request("lost", 30), usageOf(5), START + HOLD_LEASE_MS)).toBe(true);
    expect(figures(ledger).available).toBe(available);
    settle(ledger, request("lost", 30), usageOf(20), START + 1);
    settle(ledger, request("lost", 30), usageOf(20), START + 2);
    expect(figures(ledger)).toMatchObject({ spent: 20, available: available + 10 });
    expect(mustCommit(ledger)).toBe(false);
  });

  test("gives back what nobody came for when its lease ends, and counts it", () => {
    const ledger = reopened(["on record"]);
    expect(expire(ledger, START + HOLD_LEASE_MS - 1)).toBe(false);
    expect(expire(ledger, START + HOLD_LEASE_MS)).toBe(true);
    expect(figures(ledger)).toMatchObject({ held: 0, available: BLOCK_AHEAD_TOKENS * 2 });
    const counted = { requests: 1, atMostTokens: 10, unclaimedTokens: BLOCK_AHEAD_TOKENS };
    expect(ledger.unreported).toEqual(counted);
    expect(commit(ledger, START + HOLD_LEASE_MS, true).unreported).toEqual(counted);
  });

  test("does not count as unclaimed what somebody came for", () => {
    const ledger = reopened([]);
    settle(ledger, request("lost", 30), usageOf(20), START + 1);
    expire(ledger, START + HOLD_LEASE_MS);
    const unclaimedTokens = BLOCK_AHEAD_TOKENS - 30;
    expect(ledger.unreported).toEqual({ requests: 0, atMostTokens: 0, unclaimedTokens });
  });

  test("finds an old block, which covers nothing that starts now", () => {
    const ledger = reopened([]);
    const now = START + HOLD_LEASE_MS;
    expire(ledger, now);
    takeHold(ledger, request("new", 10), now + HOLD_LEASE_MS);
    expect(mustCommit(ledger)).toBe(true);
    commit(ledger, now, false);
    expect(mustCommit(ledger)).toBe(false);
  });
});

describe("an answer waits for a write", () => {
  function busy(held: number) {
    const run = withTokens(1_000);
    takeHold(run.ledger, request("a", held), run.now + HOLD_LEASE_MS);
    perform(run, { call: "commit", atRest: true });
    expect(mustCommit(run.ledger)).toBe(false);
    return run;
  }

  test("when a Hold goes beyond the block", () => {
    const { ledger, now } = busy(10);
    takeHold(ledger, request("b", 1), now + HOLD_LEASE_MS);
    expect(mustCommit(ledger)).toBe(true);
  });

  test("when a Hold gets tokens of one whose end is not on disk yet", () => {
    const { ledger, now } = busy(10);
    settle(ledger, request("a", 10), usageOf(4), now);
    expect(mustCommit(ledger)).toBe(false);
    takeHold(ledger, request("b", 6), now + HOLD_LEASE_MS);
    expect(mustCommit(ledger)).toBe(true);
  });

  test("when a Hold cost more than it held", () => {
    const { ledger, now } = busy(10);
    settle(ledger, request("a", 10), usageOf(11), now);
    expect(mustCommit(ledger)).toBe(true);
  });

  test("when a late report costs more than the lease assumed", () => {
    const { ledger, now } = busy(10);
    expire(ledger, now + HOLD_LEASE_MS);
    commit(ledger, now + HOLD_LEASE_MS, true);
    settle(ledger, request("a", 10), usageOf(1), now + HOLD_LEASE_MS);
    expect(mustCommit(ledger)).toBe(true);
  });

  test("when the disk falls behind with the leases", () => {
    const { ledger, now } = busy(10);
    const far = now + HOLD_LEASE_MS + HOLD_RENEW_MS;
    renewHold(ledger, request("a", 10), usageOf(1), now + HOLD_LEASE_MS + 1);
    expect(mustCommit(ledger)).toBe(false);
    renewHold(ledger, request("a", 10), usageOf(2), far);
    expect(mustCommit(ledger)).toBe(true);
  });
});

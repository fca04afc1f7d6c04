import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  BLOCK_AHEAD_TOKENS,
  BLOCK_IDLE_MS,
  COMMIT_AFTER_MS,
  COMMIT_AT_SETTLEMENTS,
  HOLD_LEASE_MS,
  HOLD_RENEW_MS,
} from "../../src/contract/limits.ts";
import { held, NOON, openAccount, reasonOf, stopTheClock, usage } from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

const PLENTY = 1_000_000;

describe("an admission", () => {
  test("writes nothing before its answer while the block suffices, and is on record soon", async () => {
    const account = await openAccount(PLENTY);
    const before = await account.ledgerRow();
    expect(before).toMatchObject({ block: BLOCK_AHEAD_TOKENS, holds: [] });
    expect(await account.admit("one")).toMatchObject({ outcome: "admitted", held: 20 });
    expect(await account.ledgerRow()).toEqual(before);
    await account.written();
    expect((await account.ledgerRow()).holds).toMatchObject([{ requestId: "one", held: 20 }]);
  });

  test("is on disk before its answer where the block does not suffice", async () => {
    const account = await openAccount(PLENTY);
    const more = BLOCK_AHEAD_TOKENS + 1;
    const answer = await account.admit("one", { promptTokens: more, maxTokens: 1 });
    expect(answer).toMatchObject({ outcome: "admitted", held: more + 1 });
    expect(await account.ledgerRow()).toMatchObject({
      block: more + 1 + BLOCK_AHEAD_TOKENS,
      holds: [{ requestId: "one" }],
    });
  });

  test("is on disk before its answer once what ran before has used up the block", async () => {
    const account = await openAccount(PLENTY);
    const half = { promptTokens: BLOCK_AHEAD_TOKENS / 2, maxTokens: 1 };
    await account.admit("one", half);
    expect((await account.ledgerRow()).holds).toEqual([]);
    await account.admit("two", half);
    expect((await account.ledgerRow()).holds).toHaveLength(2);
  });

  test("repeated with its id gets the same Hold, and holds nothing twice", async () => {
    const account = await openAccount();
    const first = await account.admit("one");
    expect(await account.admit("one")).toEqual(first);
    await account.written();
    await account.evict();
    expect(await account.admit("one")).toMatchObject({ outcome: "admitted", held: 20 });
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1 });
  });

  test("settles what rides with it first, so that what it frees can be held", async () => {
    const account = await openAccount(20);
    await account.admit("one");
    const ended = [{ ...held("one"), usage: usage(10, 0) }];
    const next = { promptTokens: 5, maxTokens: 5 };
    const answer = await account.admit("two", next, ended);
    expect(answer).toMatchObject({
      ...{ outcome: "admitted", held: 10, settled: { commit: expect.any(Number) } },
      figures: { tokens: { granted: 20, spent: 10, held: 10, available: 0 } },
    });
  });

  test("that is repeated settles what rides with it once", async () => {
    const account = await openAccount(100);
    await account.admit("one");
    const ended = [{ ...held("one"), usage: usage(10, 3) }];
    await account.admit("two", {}, ended);
    await account.admit("two", {}, ended);
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1, tokens: { spent: 13 } });
  });

  test("that is refused settles what rides with it all the same", async () => {
    const account = await openAccount(20);
    await account.admit("one");
    const ended = [{ ...held("one"), usage: usage(20, 0) }];
    expect(reasonOf(await account.admit("two", {}, ended))).toBe("budget");
    await account.written();
    await account.evict();
    expect(await account.rpc.snapshot()).toMatchObject({ running: 0, tokens: { spent: 20 } });
  });

  test("of a request that has ended is refused, also after an eviction", async () => {
    const account = await openAccount();
    await account.admit("one");
    await account.settle(held("one"), usage(10, 3));
    expect(reasonOf(await account.admit("one"))).toBe("ended");
    await account.evict();
    expect(reasonOf(await account.admit("one"))).toBe("ended");
    expect(await account.rpc.snapshot()).toMatchObject({ running: 0, tokens: { spent: 13 } });
  });

  test("of what does not fit asks for the exact count, then lowers max_tokens, then refuses", async () => {
    const account = await openAccount(100);
    const inexact = { promptTokens: 95, maxTokens: 30, promptTokensExact: false };
    expect(reasonOf(await account.admit("one", inexact))).toBe("count_first");
    expect(await account.admit("one", { promptTokens: 80, maxTokens: 30 })).toMatchObject({
      ...{ outcome: "admitted", held: 100, maxTokens: 20 },
      figures: { tokens: { granted: 100, held: 100, available: 0 } },
    });
    const budget = { granted: 100, spent: 0, held: 100, available: 0, needed: 11 };
    expect(await account.admit("two")).toMatchObject({
      refusal: { reason: "budget", scope: "account", budget, heldWouldFree: true },
    });
    expect(await account.admit("three", { promptTokens: 100 })).toMatchObject({
      refusal: { reason: "budget", budget: { needed: 101 }, heldWouldFree: false },
    });
  });
});

describe("a renewal", () => {
  test("far beyond the lease that the disk knows is on disk before its answer", async () => {
    const account = await openAccount(PLENTY);
    await account.admit("one");
    await account.written();
    vi.setSystemTime(NOON + HOLD_RENEW_MS);
    await account.rpc.renew({ ...held("one"), progress: usage(10, 2) });
    expect((await account.ledgerRow()).holds).toMatchObject([
      { leaseUntil: NOON + HOLD_RENEW_MS + HOLD_LEASE_MS, progress: usage(10, 2) },
    ]);
  });

  test("of a request that has ended brings it not back", async () => {
    const account = await openAccount();
    await account.admit("one");
    await account.settle(held("one"), usage(10, 3));
    await account.rpc.renew({ ...held("one"), progress: usage(10, 2) });
    expect(await account.rpc.snapshot()).toMatchObject({ running: 0, tokens: { spent: 13 } });
  });
});

describe("a settlement", () => {
  test("is answered only when it is durable", async () => {
    const account = await openAccount();
    await account.admit("one");
    await account.written();
    let answered = false;
    const settled = account.rpc.settle({ ...held("one"), usage: usage(10, 3) }).then(() => {
      answered = true;
    });
    // Figures are true at once; the answer waits.
    await expect.poll(() => account.tokens()).toMatchObject({ spent: 13, held: 0 });
    await account.pass(COMMIT_AFTER_MS - 1);
    expect(answered).toBe(false);
    expect(await account.rows("SELECT * FROM endings")).toEqual([]);
    await account.pass(1);
    await settled;
    await account.crash();
    expect(await account.tokens()).toMatchObject({ spent: 13 });
    expect(await account.rows("SELECT * FROM endings")).toHaveLength(1);
  });

  test("gathers with those that come within the same moment into one write", async () => {
    const account = await openAccount();
    const ids = ["a", "b", "c", "d"];
    for (const id of ids) await account.admit(id);
    await Promise.all(ids.map((id) => account.settle(held(id), usage(10, 1))));
    const [row, ...more] = await account.rows("SELECT endings FROM endings");
    expect(more).toEqual([]);
    expect(JSON.parse(String(row?.endings))).toHaveLength(ids.length);
  });

  test("waits for no moment once so many have gathered", async () => {
    const account = await openAccount(PLENTY, { running: COMMIT_AT_SETTLEMENTS });
    const ids = Array.from({ length: COMMIT_AT_SETTLEMENTS }, (_, index) => `request ${index}`);
    for (const id of ids) await account.admit(id);
    await account.written();
    // The clock stands: these answers cannot come from a timer.
    await Promise.all(ids.map((id) => account.rpc.settle({ ...held(id), usage: usage(1, 1) })));
    expect(await account.rows("SELECT * FROM endings")).toHaveLength(1);
  });

  test("repeated changes nothing, also with other figures and after an eviction", async () => {
    const account = await openAccount();
    await account.admit("one");
    await account.settle(held("one"), usage(10, 3));
    await account.settle(held("one"), usage(10, 3));
    await account.evict();
    await account.settle(held("one"), usage(10, 9));
    expect(await account.tokens()).toMatchObject({ granted: 1_000, spent: 13 });
    expect(await account.rpc.usage({ from: "2100-03-15", to: "2100-03-15" })).toMatchObject([
      { requests: 1, promptTokens: 10, completionTokens: 3 },
    ]);
  });

  test("of nothing gives the whole Hold back and counts no request", async () => {
    const account = await openAccount();
    await account.admit("one");
    await account.settle(held("one"), usage(0, 0));
    expect(await account.tokens()).toEqual({ granted: 1_000, spent: 0, held: 0, available: 1_000 });
    expect(await account.rpc.usage({ from: "2100-03-15", to: "2100-03-15" })).toEqual([]);
  });

  test("above its Hold is charged as reported, and logged as a defect", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const account = await openAccount();
    await account.admit("one");
    await account.settle(held("one"), usage(10, 15));
    expect(await account.tokens()).toMatchObject({ spent: 25, available: 975 });
    expect(log.mock.calls).toMatchObject([[{ defect: "above_hold", requestId: "one", held: 20 }]]);
    log.mockRestore();
  });
});

describe("the block", () => {
  test("is written back once the Account is at rest", async () => {
    const account = await openAccount(PLENTY);
    await account.admit("one");
    await account.settle(held("one"), usage(10, 3));
    expect((await account.ledgerRow()).block).toBe(BLOCK_AHEAD_TOKENS);
    await account.pass(2 * BLOCK_IDLE_MS);
    expect((await account.ledgerRow()).block).toBe(0);
    await account.crash();
    expect(await account.tokens()).toMatchObject({ held: 0, available: PLENTY - 13 });
  });

  test("stays while a Completion runs", async () => {
    const account = await openAccount(PLENTY);
    await account.admit("one");
    await account.pass(3 * BLOCK_IDLE_MS);
    expect((await account.ledgerRow()).block).toBeGreaterThanOrEqual(BLOCK_AHEAD_TOKENS);
  });

  test("is set aside anew by the first admission after the rest", async () => {
    const account = await openAccount(PLENTY);
    await account.pass(HOLD_LEASE_MS);
    expect((await account.ledgerRow()).block).toBe(0);
    await account.admit("one");
    expect(await account.ledgerRow()).toMatchObject({
      block: 20 + BLOCK_AHEAD_TOKENS,
      holds: [{ requestId: "one" }],
    });
  });
});

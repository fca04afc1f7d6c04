// What a person sees when their object loses its memory while Completions run.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_AHEAD_TOKENS, COMMIT_AFTER_MS, HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import type { Account } from "../../src/durable-objects/account/account.ts";
import {
  type AccountUnderTest,
  forgetTimers,
  held,
  NOON,
  openAccount,
  reasonOf,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

const GRANTED = 100_000;

/** Granted = available + held + spent, at every look. */
async function tokens(account: AccountUnderTest) {
  const figures = await account.tokens();
  if (figures === null) throw new Error("the Account was opened");
  expect(figures.available + figures.held + figures.spent).toBe(figures.granted);
  expect(figures.available).toBeGreaterThanOrEqual(0);
  return figures;
}

describe("a Hold that is on record", () => {
  test.each(["evict", "crash"] as const)("goes on after a %s, and settles once", async (loss) => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.written();
    await account[loss]();
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1 });
    await account.settle(held("one"), usage(10, 3));
    await account.settle(held("one"), usage(10, 3));
    expect(await account.rpc.snapshot()).toMatchObject({ running: 0, tokens: { spent: 13 } });
  });

  test("is renewed after a crash, and costs what was reported when its lease ends", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.written();
    await account.crash();
    vi.setSystemTime(NOON + HOLD_LEASE_MS - 1);
    const renewal = { ...held("one"), progress: usage(10, 4) };
    expect(await account.rpc.renew(renewal)).toEqual({ goOn: true });
    vi.setSystemTime(NOON + HOLD_LEASE_MS + 1);
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1 });
    vi.setSystemTime(NOON + 2 * HOLD_LEASE_MS);
    expect(await account.rpc.snapshot()).toMatchObject({
      ...{ running: 0, unreported: { requests: 1, atMostTokens: 6 } },
      tokens: { spent: 14, held: 0, available: GRANTED - 14 },
    });
  });

  test("ends by alarm when neither its gateway nor any other call comes", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.written();
    await account.crash();
    await runInDurableObject(account.stub, async (_, { storage }) => {
      expect(await storage.getAlarm()).toBe(NOON + HOLD_LEASE_MS);
    });
    vi.setSystemTime(NOON + HOLD_LEASE_MS);
    expect(await runDurableObjectAlarm(account.stub)).toBe(true);
    expect(await account.ledgerRow()).toMatchObject({ holds: [] });
    expect(await account.rows("SELECT unreported_requests FROM ledger")).toEqual([
      { unreported_requests: 1 },
    ]);
    // What was set aside beyond the Hold comes back a lease after it was written.
    vi.setSystemTime(NOON + COMMIT_AFTER_MS + HOLD_LEASE_MS);
    expect(await runDurableObjectAlarm(account.stub)).toBe(true);
    expect(await account.ledgerRow()).toMatchObject({ block: 0 });
    expect(await runDurableObjectAlarm(account.stub)).toBe(false);
  });

  test("has an alarm again when the runtime's comes early", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.written();
    expect(await runDurableObjectAlarm(account.stub)).toBe(true);
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1 });
    await runInDurableObject(account.stub, async (_, { storage }) => {
      expect(await storage.getAlarm()).toBe(NOON + HOLD_LEASE_MS);
    });
  });

  test("is followed by the next lease's alarm", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.pass(40_000);
    await account.admit("two");
    await account.pass(HOLD_LEASE_MS - 40_000);
    expect(await runDurableObjectAlarm(account.stub)).toBe(true);
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1 });
    await runInDurableObject(account.stub, async (_, { storage }) => {
      expect(await storage.getAlarm()).toBe(NOON + 40_000 + HOLD_LEASE_MS);
    });
  });

  test("whose gateway reports after the lease's end is put right", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.pass(HOLD_LEASE_MS);
    expect(await account.rpc.snapshot()).toMatchObject({
      ...{ running: 0, unreported: { requests: 1, atMostTokens: 20 }, tokens: { spent: 0 } },
    });
    await account.written();
    await account.evict();
    await account.settle(held("one"), usage(10, 7));
    await account.settle(held("one"), usage(10, 7));
    expect(await account.rpc.snapshot()).toMatchObject({
      ...{ unreported: { requests: 0, atMostTokens: 0 }, tokens: { spent: 17 } },
    });
  });
});

describe("a Hold that was not yet on record", () => {
  test("shows as held with what was set aside, and settles into it", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.crash();
    const aside = { granted: GRANTED, spent: 0, held: BLOCK_AHEAD_TOKENS };
    expect(await tokens(account)).toMatchObject(aside);
    await account.settle(held("one"), usage(10, 3));
    expect(await tokens(account)).toMatchObject({ spent: 13, held: BLOCK_AHEAD_TOKENS - 20 });
    await account.crash();
    await account.settle(held("one"), usage(10, 3));
    expect(await tokens(account)).toMatchObject({ spent: 13 });
  });

  test("keeps what was set aside out of reach until its lease ends, then it comes back", async () => {
    const account = await openAccount(BLOCK_AHEAD_TOKENS);
    await account.admit("lost");
    await account.crash();
    expect(await account.admit("two")).toMatchObject({
      refusal: {
        ...{ reason: "budget", heldWouldFree: true },
        budget: { granted: BLOCK_AHEAD_TOKENS, held: BLOCK_AHEAD_TOKENS, available: 0 },
      },
    });
    vi.setSystemTime(NOON + HOLD_LEASE_MS);
    expect(await tokens(account)).toMatchObject({ held: 0, available: BLOCK_AHEAD_TOKENS });
    expect(reasonOf(await account.admit("two"))).toBe("admitted");
    // The lost one comes back after all: it is paid from what is left.
    await account.settle(held("lost"), usage(10, 3));
    expect(await tokens(account)).toMatchObject({ spent: 13, held: 20 });
  });

  test("that nobody came for is counted with what was set aside, once and for good", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("lost");
    await account.crash();
    vi.setSystemTime(NOON + HOLD_LEASE_MS);
    const unclaimedTokens = BLOCK_AHEAD_TOKENS;
    const counted = { unreported: { requests: 0, atMostTokens: 0, unclaimedTokens } };
    expect(await account.rpc.snapshot()).toMatchObject(counted);
    // Counted and not yet written: a crash now counts it again from what is on disk.
    await account.crash();
    expect(await account.rpc.snapshot()).toMatchObject(counted);
    await account.written();
    await account.evict();
    expect(await account.rpc.snapshot()).toMatchObject(counted);
  });

  test("goes on when its gateway renews it", async () => {
    const account = await openAccount(GRANTED);
    await account.admit("one");
    await account.crash();
    const renewal = { ...held("one"), progress: usage(10, 2) };
    expect(await account.rpc.renew(renewal)).toEqual({ goOn: true });
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1 });
    await account.settle(held("one"), usage(10, 5));
    expect(await account.rpc.snapshot()).toMatchObject({ running: 0, tokens: { spent: 15 } });
  });
});

describe("the waiting line", () => {
  test("is lost with the object's memory, and those who ask again are served", async () => {
    const account = await openAccount(100_000, { running: 1 });
    await account.admit("running");
    await account.written();
    const lost = account.admit("waiting").then(reasonOf, () => "broke off");
    await expect.poll(async () => (await account.rpc.snapshot())?.waiting).toBe(1);
    await account.crash();
    expect(await lost).toBe("broke off");
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1, waiting: 0 });
    const again = account.admit("waiting");
    await account.settle(held("running"), usage(10, 1));
    expect(reasonOf(await again)).toBe("admitted");
  });
});

describe("many Completions and crashes", () => {
  test("never spend more than was granted, and end with exactly what was reported", async () => {
    const account = await openAccount(2_000, { running: 100 });
    let spent = 0;
    for (let round = 0; round < 5; round += 1) {
      const ids = Array.from({ length: 30 }, (_, index) => `${round}-${index}`);
      const answers = await Promise.all(ids.map((id) => account.admit(id)));
      const running = ids.filter((_, index) => answers[index]?.outcome === "admitted");
      await account.crash();
      await tokens(account);
      const settled = running.map((id) => account.rpc.settle({ ...held(id), usage: usage(10, 1) }));
      await tokens(account);
      await account.written();
      await Promise.all(settled);
      spent += running.length * 11;
      vi.setSystemTime(Date.now() + HOLD_LEASE_MS);
      expect(await tokens(account)).toMatchObject({ spent, held: 0 });
    }
    expect(spent).toBeGreaterThan(1_000);
  });
});

describe("a write that fails", () => {
  test("ends the object, so that its memory never runs ahead of the disk", async () => {
    const account = await openAccount(GRANTED);
    const failed = await runInDurableObject(
      account.stub as DurableObjectStub<Account>,
      async (instance, { storage }) => {
        storage.sql.exec(
          "CREATE TRIGGER full BEFORE INSERT ON grants BEGIN SELECT raise(FAIL, 'full'); END",
        );
        const other = { id: "second", tokens: 5, note: "", expiresAt: null };
        return await instance.grant(other).then(() => "granted", String);
      },
    ).catch(String);
    expect(failed).not.toBe("granted");
    forgetTimers();
    expect(await account.tokens()).toMatchObject({ granted: GRANTED });
    expect(await account.rpc.grants()).toHaveLength(1);
  });
});

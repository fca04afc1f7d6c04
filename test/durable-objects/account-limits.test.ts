import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DEFAULT_ACCOUNT_LIMITS } from "../../src/contract/limits.ts";
import {
  type AccountUnderTest,
  hashOf,
  held,
  KEY,
  openAccount,
  reasonOf,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

async function startAndEnd(account: AccountUnderTest, id: string) {
  const answer = await account.admit(id);
  if (answer.outcome === "admitted") await account.settle(held(id), usage(1, 1));
  return answer;
}

function count(account: AccountUnderTest) {
  return account.rpc.identify(hashOf(KEY), { countsAsStart: true });
}

describe("the starts of a minute", () => {
  test("may all come at once, and the next one is told when it may come", async () => {
    const account = await openAccount(1_000, { startsPerMinute: 3 });
    for (const id of ["a", "b", "c"]) expect(reasonOf(await account.admit(id))).toBe("admitted");
    expect(await account.admit("d")).toMatchObject({
      refusal: { reason: "rate", retryAfterMs: 20_000 },
      figures: { startsPerMinute: 3, startsRemaining: 0, startsResetMs: 60_000 },
    });
    await account.pass(20_000);
    expect(reasonOf(await account.admit("d"))).toBe("admitted");
  });

  test("are known again after an eviction", async () => {
    const account = await openAccount(100_000, { startsPerMinute: 2 });
    await startAndEnd(account, "a");
    await startAndEnd(account, "b");
    await account.evict();
    expect(reasonOf(await account.admit("c"))).toBe("rate");
  });

  test("are one count for Completions and for calls that the backend works for", async () => {
    const account = await openAccount(1_000, { startsPerMinute: 2 });
    expect(reasonOf(await count(account))).toBe("identified");
    expect(reasonOf(await account.admit("a"))).toBe("admitted");
    expect(await count(account)).toMatchObject({
      refusal: { reason: "rate", retryAfterMs: 30_000 },
      figures: { startsRemaining: 0 },
    });
    const looking = await account.rpc.identify(hashOf(KEY), { countsAsStart: false });
    expect(reasonOf(looking)).toBe("identified");
  });

  test("counted by such calls alone are known again after an eviction", async () => {
    const account = await openAccount(1_000, { startsPerMinute: 2 });
    await count(account);
    await count(account);
    await account.written();
    await account.evict();
    expect(reasonOf(await count(account))).toBe("rate");
  });

  test("are not used up by what another limit refuses", async () => {
    const account = await openAccount(20, { startsPerMinute: 1, running: 1, waiting: 1 });
    expect(reasonOf(await account.admit("too large", { promptTokens: 100 }))).toBe("budget");
    const inexact = { promptTokens: 50, promptTokensExact: false };
    expect(reasonOf(await account.admit("inexact", inexact))).toBe("count_first");
    expect(reasonOf(await account.admit("no key", { keyHash: "x" }))).toBe("key_unknown");
    expect(reasonOf(await account.admit("a"))).toBe("admitted");
  });
});

describe("a person's own limits", () => {
  test("stand in place of the defaults, each by itself", async () => {
    const account = await openAccount(1_000, { running: 2 });
    expect(await account.rpc.snapshot()).toMatchObject({
      limits: { ...DEFAULT_ACCOUNT_LIMITS, running: 2 },
    });
  });

  test("apply from the moment they are changed, and survive an eviction", async () => {
    const account = await openAccount(100_000);
    const limits = { running: 1, waiting: 1, startsPerMinute: 2 };
    const changed = await account.rpc.change({ limits: { running: 1, waiting: 1 } });
    expect(changed).toMatchObject({ ok: true });
    await account.rpc.change({ limits: { startsPerMinute: 2 } });
    await account.crash();
    expect(await account.rpc.snapshot()).toMatchObject({ limits, profile: { limits } });
    expect(await account.rpc.change({ limits })).toMatchObject({ ok: true, value: { limits } });
    await startAndEnd(account, "a");
    await startAndEnd(account, "b");
    expect(reasonOf(await account.admit("c"))).toBe("rate");
  });

  test("that are lowered stop nothing that runs", async () => {
    const account = await openAccount(1_000, { running: 3 });
    for (const id of ["a", "b", "c"]) await account.admit(id);
    await account.rpc.change({ limits: { running: 1 } });
    const renewal = { ...held("a"), progress: usage(10, 1) };
    expect(await account.rpc.renew(renewal)).toEqual({ goOn: true });
    const waiting = account.admit("d");
    await account.settle(held("a"), usage(10, 1));
    await account.settle(held("b"), usage(10, 1));
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1, waiting: 1 });
    await account.settle(held("c"), usage(10, 1));
    expect(reasonOf(await waiting)).toBe("admitted");
  });
});

describe("a disabled person", () => {
  test("is refused at once and after an eviction, until enabled again", async () => {
    const account = await openAccount();
    await account.admit("running");
    await account.rpc.change({ disabled: true });
    await account.evict();
    expect(reasonOf(await count(account))).toBe("account_disabled");
    expect(reasonOf(await account.admit("a"))).toBe("account_disabled");
    const renewal = { ...held("running"), progress: usage(10, 1) };
    const refusal = { reason: "account_disabled" };
    expect(await account.rpc.renew(renewal)).toEqual({ goOn: false, refusal });
    await account.rpc.change({ disabled: false });
    expect(reasonOf(await count(account))).toBe("identified");
  });

  test("keeps role, keys, tokens and usage", async () => {
    const account = await openAccount();
    await startAndEnd(account, "a");
    await account.rpc.change({ role: "admin" });
    await account.rpc.change({ disabled: true });
    await account.rpc.change({ disabled: false });
    expect(await account.rpc.snapshot()).toMatchObject({
      profile: { role: "admin" },
      tokens: { granted: 1_000, spent: 2 },
    });
    expect(await account.rpc.keys()).toHaveLength(1);
  });
});

describe("a key's monthly limit", () => {
  test("bounds what the key holds and spends, also after an eviction", async () => {
    const account = await openAccount(100_000);
    await account.rpc.changeKey(KEY, { monthlyTokenLimit: 45 });
    await startAndEnd(account, "a");
    await account.admit("b");
    await account.admit("c");
    expect(await account.admit("d")).toMatchObject({
      refusal: {
        ...{ reason: "budget", scope: "key", heldWouldFree: true },
        budget: { granted: 45, spent: 2, held: 40, available: 3 },
      },
    });
    await account.settle(held("b"), usage(10, 10));
    await account.settle(held("c"), usage(10, 10));
    await account.evict();
    expect(await account.admit("e", { promptTokens: 3 })).toMatchObject({
      refusal: {
        ...{ reason: "budget", scope: "key", heldWouldFree: false },
        budget: { granted: 45, spent: 42, held: 0, available: 3 },
      },
    });
    expect(await account.admit("f", { promptTokens: 1 })).toMatchObject({ maxTokens: 2 });
  });

  test("is whole again on the first of the next month, UTC", async () => {
    vi.setSystemTime(Date.UTC(2100, 2, 31, 23, 59, 59));
    const account = await openAccount(100_000);
    await account.rpc.changeKey(KEY, { monthlyTokenLimit: 20 });
    await account.admit("a");
    await account.settle(held("a"), usage(10, 10));
    expect(reasonOf(await account.admit("b"))).toBe("budget");
    await account.evict();
    expect(reasonOf(await account.admit("b"))).toBe("budget");
    vi.setSystemTime(Date.UTC(2100, 3, 1));
    expect(reasonOf(await account.admit("b"))).toBe("admitted");
  });
});

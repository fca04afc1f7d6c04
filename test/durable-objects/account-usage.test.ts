import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import {
  type AccountUnderTest,
  hashOf,
  held,
  KEY,
  MODEL,
  mintRequest,
  openAccount,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

const YEAR = { from: "2100-01-01", to: "2100-12-31" };

async function run(account: AccountUnderTest, id: string, key = KEY, model = MODEL) {
  await account.admit(id, { keyHash: hashOf(key), model });
  await account.settle(held(id, { keyId: key, model }), usage(10, 3));
}

describe("usage", () => {
  test("is summed by day, Model and key", async () => {
    const account = await openAccount();
    await account.rpc.mint(mintRequest("second"));
    await run(account, "a");
    await run(account, "b");
    await run(account, "c", "second");
    await run(account, "d", KEY, "other model");
    const one = { requests: 1, promptTokens: 10, completionTokens: 3 };
    const two = { requests: 2, promptTokens: 20, completionTokens: 6 };
    const day = "2100-03-15";
    const rows = [
      { day, model: MODEL, keyId: KEY, ...two },
      { day, model: MODEL, keyId: "second", ...one },
      { day, model: "other model", keyId: KEY, ...one },
    ];
    expect(await account.rpc.usage(YEAR)).toEqual(rows);
    await account.evict();
    expect(await account.rpc.usage(YEAR)).toEqual(rows);
  });

  test("shows what is settled but not written yet", async () => {
    const account = await openAccount();
    await account.admit("a");
    const settled = account.rpc.settle({ ...held("a"), usage: usage(10, 3) });
    expect(await account.rpc.usage(YEAR)).toMatchObject([{ requests: 1 }]);
    await settled;
  });

  test("belongs to the day on which it was settled, and turns at midnight UTC", async () => {
    vi.setSystemTime(Date.UTC(2100, 2, 15, 23, 59, 59, 700));
    const account = await openAccount();
    await account.admit("before");
    await account.admit("after");
    await account.settle(held("before"), usage(10, 1));
    await account.pass(50);
    await account.settle(held("after"), usage(10, 2));
    expect(await account.rpc.usage(YEAR)).toMatchObject([
      { day: "2100-03-15", requests: 1, completionTokens: 1 },
      { day: "2100-03-16", requests: 1, completionTokens: 2 },
    ]);
  });

  test("settled together around midnight is told apart", async () => {
    vi.setSystemTime(Date.UTC(2100, 2, 15, 23, 59, 59, 900));
    const account = await openAccount();
    await account.admit("before");
    await account.admit("after");
    const before = account.rpc.settle({ ...held("before"), usage: usage(10, 1) });
    await account.rpc.snapshot();
    vi.setSystemTime(Date.UTC(2100, 2, 16));
    await account.settle(held("after"), usage(10, 2));
    await before;
    expect(await account.rpc.usage(YEAR)).toMatchObject([
      { day: "2100-03-15", completionTokens: 1 },
      { day: "2100-03-16", completionTokens: 2 },
    ]);
    expect(await account.rows("SELECT * FROM endings")).toHaveLength(1);
  });

  test("that a late report puts right stays with the day on which the lease ended", async () => {
    vi.setSystemTime(Date.UTC(2100, 2, 15, 23, 58));
    const account = await openAccount();
    await account.admit("late");
    await account.rpc.renew({ ...held("late"), progress: usage(10, 2) });
    await account.pass(HOLD_LEASE_MS);
    expect(await account.rpc.usage(YEAR)).toMatchObject([
      { day: "2100-03-15", requests: 1, promptTokens: 10, completionTokens: 2 },
    ]);
    await account.evict();
    vi.setSystemTime(Date.UTC(2100, 2, 16, 0, 1));
    await account.settle(held("late"), usage(10, 9));
    expect(await account.rpc.usage(YEAR)).toEqual([
      {
        ...{ day: "2100-03-15", model: MODEL, keyId: KEY },
        ...{ requests: 1, promptTokens: 10, completionTokens: 9 },
      },
    ]);
    expect(await account.tokens()).toMatchObject({ spent: 19 });
  });

  test("that a late report takes back counts no request", async () => {
    const account = await openAccount();
    await account.admit("late");
    await account.rpc.renew({ ...held("late"), progress: usage(10, 2) });
    await account.pass(HOLD_LEASE_MS);
    expect(await account.tokens()).toMatchObject({ spent: 12 });
    await account.settle(held("late"), usage(0, 0));
    expect(await account.rpc.usage(YEAR)).toMatchObject([
      { requests: 0, promptTokens: 0, completionTokens: 0 },
    ]);
    expect(await account.tokens()).toMatchObject({ spent: 0 });
  });

  test("of a range has both of its ends and nothing else", async () => {
    const account = await openAccount();
    for (const day of [14, 15, 16, 17]) {
      vi.setSystemTime(Date.UTC(2100, 2, day, 12));
      await run(account, `day ${day}`);
    }
    const rows = await account.rpc.usage({ from: "2100-03-15", to: "2100-03-16" });
    expect(rows.map(({ day }) => day)).toEqual(["2100-03-15", "2100-03-16"]);
  });
});

// What an Account does for Jobs: one Hold a slice, whatever becomes of keys, places and memory.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HeldSlice, SliceAdmitRequest } from "../../src/contract/account-slices.ts";
import { APP_KEY_ID } from "../../src/contract/jobs.ts";
import { ENDED_KEPT_MS, HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import {
  AccountUnderTest,
  KEY,
  MODEL,
  mintRequest,
  openAccount,
  reasonOf,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

function request(holdId: string, change: Partial<SliceAdmitRequest> = {}): SliceAdmitRequest {
  return { holdId, keyId: KEY, model: MODEL, tokens: 100, ...change };
}

function slice(holdId: string, change: Partial<HeldSlice> = {}): HeldSlice {
  return { holdId, keyId: KEY, model: MODEL, held: 100, ...change };
}

async function settle(account: AccountUnderTest, holdId: string, requests = 4) {
  const settled = account.rpc.settleSlices([{ ...slice(holdId), usage: usage(10, 30), requests }]);
  await account.rpc.snapshot();
  await account.written();
  return await settled;
}

async function forget(account: AccountUnderTest, holdId: string) {
  const forgotten = account.rpc.forgetSlices([holdId]);
  await account.rpc.snapshot();
  await account.written();
  await forgotten;
}

async function keptOnDisk(account: AccountUnderTest) {
  return (await account.rows("SELECT hold_id FROM slice_endings")).map((row) => row.hold_id);
}

describe("a slice's Hold", () => {
  test("takes none of the places that Completions have, and no start", async () => {
    const account = await openAccount(1_000, { running: 1, waiting: 0, startsPerMinute: 1 });
    expect(await account.rpc.admitSlice(request("a"))).toEqual({ outcome: "admitted", held: 100 });
    expect(await account.rpc.admitSlice(request("b"))).toEqual({ outcome: "admitted", held: 100 });
    expect(await account.rpc.snapshot()).toMatchObject({ running: 0, tokens: { held: 200 } });
    expect(await account.admit("live")).toMatchObject({ outcome: "admitted" });
  });

  test("asked for again is the same one", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    expect(await account.rpc.admitSlice(request("a"))).toEqual({ outcome: "admitted", held: 100 });
    expect(await account.tokens()).toMatchObject({ held: 100 });
  });

  test("is never lowered: what does not fit is refused with the figures", async () => {
    const account = await openAccount(99);
    expect(await account.rpc.admitSlice(request("a"))).toEqual({
      outcome: "refused",
      refusal: {
        ...{ reason: "budget", scope: "account", heldWouldFree: false },
        budget: { granted: 99, spent: 0, held: 0, available: 99, needed: 100 },
      },
    });
  });

  test("that only running requests keep from fitting says so", async () => {
    const account = await openAccount(100);
    await account.admit("live");
    const answer = await account.rpc.admitSlice(request("a"));
    expect(answer).toMatchObject({ refusal: { reason: "budget", heldWouldFree: true } });
  });

  test.each([
    ["was revoked", KEY],
    ["is the App's", APP_KEY_ID],
  ])("is taken for a key that %s", async (_, keyId) => {
    const account = await openAccount();
    await account.rpc.revoke(KEY, "");
    const answer = await account.rpc.admitSlice(request("a", { keyId }));
    expect(answer).toMatchObject({ outcome: "admitted" });
    expect(await account.rpc.renewSlice(slice("a", { keyId }))).toEqual({ goOn: true });
  });

  test("is bounded by its key's monthly limit, also after the key was revoked", async () => {
    const account = await openAccount();
    await account.rpc.mint(mintRequest("narrow", { monthlyTokenLimit: 150 }));
    const keyId = "narrow";
    expect(reasonOf(await account.rpc.admitSlice(request("a", { keyId })))).toBe("admitted");
    await account.rpc.revoke(keyId, "");
    const answer = await account.rpc.admitSlice(request("b", { keyId }));
    expect(answer).toMatchObject({ refusal: { scope: "key", budget: { available: 50 } } });
  });

  test("is refused to a disabled person, and not renewed", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await account.rpc.change({ disabled: true });
    expect(reasonOf(await account.rpc.admitSlice(request("b")))).toBe("account_disabled");
    expect(await account.rpc.renewSlice(slice("a"))).toEqual({ goOn: false });
  });

  test("that nobody renews ends by its lease, costs nothing, and counts as unreported", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await account.pass(HOLD_LEASE_MS - 1);
    expect(await account.rpc.renewSlice(slice("a"))).toEqual({ goOn: true });
    await account.pass(HOLD_LEASE_MS);
    expect(await account.rpc.renewSlice(slice("a"))).toEqual({ goOn: false });
    expect(reasonOf(await account.rpc.admitSlice(request("a")))).toBe("ended");
    expect(await account.rpc.snapshot()).toMatchObject({
      ...{ unreported: { requests: 1, atMostTokens: 100 } },
      tokens: { held: 0, spent: 0 },
    });
  });
});

describe("a slice that is dropped", () => {
  test("gives its tokens back at once, costs nothing, and counts as unreported", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await account.rpc.dropSlice(slice("a"));
    await account.rpc.dropSlice(slice("a"));
    expect(await account.rpc.snapshot()).toMatchObject({
      ...{ unreported: { requests: 1, atMostTokens: 100 } },
      tokens: { held: 0, spent: 0 },
    });
  });

  test("and was committed after all is charged, and no longer unreported", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await account.rpc.dropSlice(slice("a"));
    await settle(account, "a");
    await account.rpc.dropSlice(slice("a"));
    expect(await account.rpc.snapshot()).toMatchObject({
      ...{ unreported: { requests: 0, atMostTokens: 0 } },
      tokens: { held: 0, spent: 40 },
    });
  });
});

describe("a slice's settlement", () => {
  test("charges once, and counts its items under its key", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await settle(account, "a");
    await settle(account, "a");
    expect(await account.tokens()).toMatchObject({ held: 0, spent: 40 });
    const day = { from: "2100-03-15", to: "2100-03-15" };
    expect(await account.rpc.usage(day)).toMatchObject([
      { keyId: KEY, model: MODEL, requests: 4, promptTokens: 10, completionTokens: 30 },
    ]);
  });

  test("is durable when it is answered", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await settle(account, "a");
    await account.crash();
    expect(await account.tokens()).toMatchObject({ spent: 40 });
  });

  test("puts right what the lease assumed, however late, and changes nothing when repeated", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await account.pass(HOLD_LEASE_MS);
    await account.rpc.snapshot();
    await account.written();
    await account.crash();
    vi.setSystemTime(Date.now() + 10 * ENDED_KEPT_MS);
    await settle(account, "a");
    await account.crash();
    vi.setSystemTime(Date.now() + 10 * ENDED_KEPT_MS);
    await settle(account, "a");
    expect(await account.rpc.snapshot()).toMatchObject({
      ...{ unreported: { requests: 0, atMostTokens: 0 } },
      tokens: { held: 0, spent: 40 },
    });
  });

  test("of no usage gives the Hold back, and needs no forgetting", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    const nothing = { ...slice("a"), usage: usage(0, 0), requests: 0 };
    const settled = account.rpc.settleSlices([nothing]);
    await account.rpc.snapshot();
    await account.written();
    await settled;
    expect(await account.tokens()).toMatchObject({ held: 0, spent: 0 });
    expect(await keptOnDisk(account)).toEqual([]);
  });
});

describe("a slice that is to be forgotten", () => {
  test("is gone from the disk when that is answered, and was there until then", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await settle(account, "a");
    expect(await keptOnDisk(account)).toEqual(["a"]);
    await forget(account, "a");
    expect(await keptOnDisk(account)).toEqual([]);
    await forget(account, "a");
    expect(await account.tokens()).toMatchObject({ spent: 40 });
  });

  test("is not charged by a settlement that was still on its way", async () => {
    const account = await openAccount();
    await account.rpc.admitSlice(request("a"));
    await settle(account, "a");
    await forget(account, "a");
    await settle(account, "a");
    expect(await account.tokens()).toMatchObject({ spent: 40, held: 0 });
  });
});

test("an Account that nobody opened takes no slice", async () => {
  const unknown = new AccountUnderTest();
  expect(reasonOf(await unknown.rpc.admitSlice(request("a")))).toBe("account_disabled");
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Identification } from "../../src/contract/account.ts";
import {
  type AccountUnderTest,
  hashOf,
  held,
  KEY,
  mintRequest,
  NOON,
  openAccount,
  reasonOf,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

function identify(account: AccountUnderTest, keyId: string): Promise<Identification> {
  return account.rpc.identify(hashOf(keyId), { countsAsStart: false });
}

describe("a key", () => {
  test("is known by its hash from the moment it is minted, also after an eviction", async () => {
    const account = await openAccount();
    const minted = await account.rpc.mint(mintRequest("second", { name: "sweeps" }));
    expect(minted).toMatchObject({ ok: true, value: { id: "second", name: "sweeps" } });
    await account.evict();
    const answer = await identify(account, "second");
    expect(answer).toMatchObject({
      outcome: "identified",
      identity: { key: { id: "second", name: "sweeps", createdAt: NOON, revokedAt: null } },
    });
    expect(reasonOf(await identify(account, "third"))).toBe("key_unknown");
  });

  test("is stored as its hash alone", async () => {
    const account = await openAccount(0);
    const [row] = await account.rows("SELECT * FROM keys");
    expect(row).toMatchObject({ id: KEY, hash: hashOf(KEY) });
    expect(Object.keys(row ?? {})).not.toContain("key");
  });

  test("minted again with the same content is the same key", async () => {
    const account = await openAccount();
    const first = await account.rpc.mint(mintRequest("second"));
    vi.setSystemTime(NOON + 5_000);
    expect(await account.rpc.mint(mintRequest("second"))).toEqual(first);
    await account.evict();
    expect(await account.rpc.mint(mintRequest("second"))).toEqual(first);
    expect(await account.rpc.keys()).toHaveLength(2);
  });

  test.each([
    ["name", mintRequest(KEY, { name: "another" })],
    ["secret", mintRequest(KEY, { keyHash: "another" })],
    ["scope", mintRequest(KEY, { scope: "admin" })],
    ["expiry", mintRequest(KEY, { expiresAt: NOON + 1 })],
    ["monthly limit", mintRequest(KEY, { monthlyTokenLimit: 1 })],
    ["id for the same secret", mintRequest("another", { keyHash: hashOf(KEY) })],
  ])("minted again with another %s is a conflict and stays as it was", async (_, request) => {
    const account = await openAccount();
    const before = await account.rpc.keys();
    expect(await account.rpc.mint(request)).toEqual({ ok: false, reason: "conflict" });
    expect(await account.rpc.keys()).toEqual(before);
    expect(reasonOf(await identify(account, KEY))).toBe("identified");
  });

  test("can be renamed, and given a limit and an expiry, which an eviction keeps", async () => {
    const account = await openAccount();
    const change = { name: "renamed", monthlyTokenLimit: 25, expiresAt: NOON + 60_000 };
    const changed = await account.rpc.changeKey(KEY, change);
    expect(changed).toMatchObject({ ok: true, value: { id: KEY, ...change } });
    expect(await account.rpc.changeKey(KEY, change)).toEqual(changed);
    await account.evict();
    expect(await account.rpc.keys()).toMatchObject([{ id: KEY, ...change }]);
    expect(await account.rpc.changeKey(KEY, { expiresAt: null })).toMatchObject({
      value: { name: "renamed", monthlyTokenLimit: 25, expiresAt: null },
    });
  });

  test("is refused from its expiry on, and lets run what it started before", async () => {
    const account = await openAccount();
    await account.rpc.changeKey(KEY, { expiresAt: NOON + 1_000 });
    expect(reasonOf(await account.admit("before"))).toBe("admitted");
    await account.pass(999);
    expect(reasonOf(await identify(account, KEY))).toBe("identified");
    await account.pass(1);
    expect(await identify(account, KEY)).toMatchObject({
      refusal: { reason: "key_expired", at: NOON + 1_000 },
    });
    expect(reasonOf(await account.admit("after"))).toBe("key_expired");
    const renewal = { ...held("before"), progress: usage(10, 1) };
    expect(await account.rpc.renew(renewal)).toEqual({ goOn: true });
  });

  test("is refused from its revocation on, with the reason and the time", async () => {
    const account = await openAccount();
    await account.admit("running");
    const revoked = await account.rpc.revoke(KEY, "leaked");
    expect(revoked).toMatchObject({ ok: true, value: { revokedAt: NOON, revokedWhy: "leaked" } });
    await account.crash();
    const refusal = { reason: "key_revoked", at: NOON, why: "leaked" };
    expect(await identify(account, KEY)).toMatchObject({ outcome: "refused", refusal });
    expect(await account.admit("after")).toMatchObject({ outcome: "refused", refusal });
    const renewal = { ...held("running"), progress: usage(10, 1) };
    expect(await account.rpc.renew(renewal)).toEqual({ goOn: false, refusal });
  });

  test("revoked again keeps its first reason and time", async () => {
    const account = await openAccount();
    const first = await account.rpc.revoke(KEY, "leaked");
    vi.setSystemTime(NOON + 5_000);
    expect(await account.rpc.revoke(KEY, "another reason")).toEqual(first);
  });

  test("that does not exist can be neither changed nor revoked", async () => {
    const account = await openAccount();
    const unknown = { ok: false, reason: "unknown" };
    expect(await account.rpc.changeKey("no such", { name: "x" })).toEqual(unknown);
    expect(await account.rpc.revoke("no such", "x")).toEqual(unknown);
  });

  test("is on record as used by what it started last", async () => {
    const account = await openAccount();
    expect(await account.rpc.keys()).toMatchObject([{ lastUsedAt: null }]);
    vi.setSystemTime(NOON + 7_000);
    await account.admit("one");
    await account.written();
    await account.evict();
    expect(await account.rpc.keys()).toMatchObject([{ lastUsedAt: NOON + 7_000 }]);
    vi.setSystemTime(NOON + 9_000);
    await account.rpc.identify(hashOf(KEY), { countsAsStart: true });
    await account.written();
    await account.evict();
    expect(await account.rpc.keys()).toMatchObject([{ lastUsedAt: NOON + 9_000 }]);
  });

  test("is not used by looking at the Account", async () => {
    const account = await openAccount();
    await identify(account, KEY);
    expect(await account.rpc.keys()).toMatchObject([{ lastUsedAt: null }]);
  });
});

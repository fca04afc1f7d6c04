import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pack, unpack } from "../../src/contract/packed.ts";
import {
  AccountUnderTest,
  completion,
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

const grant = { id: "second", tokens: 500, note: "for the sweep", expiresAt: null };

describe("a Grant", () => {
  test("is on disk before it is answered", async () => {
    const account = await openAccount(0);
    const answer = await account.rpc.grant(grant);
    // The clock stands, so nothing that was only to be written soon is written.
    expect(await account.rows("SELECT id, tokens, used FROM grants")).toEqual([
      { id: "second", tokens: 500, used: 0 },
    ]);
    await account.crash();
    expect(await account.rpc.grants()).toEqual([{ ...grant, at: NOON, used: 0, lapsed: 0 }]);
    expect(await account.rpc.grant(grant)).toEqual(answer);
  });

  test("given again with the same content adds nothing", async () => {
    const account = await openAccount(1_000);
    const first = await account.rpc.grant(grant);
    vi.setSystemTime(NOON + 5_000);
    expect(await account.rpc.grant(grant)).toEqual(first);
    await account.evict();
    expect(await account.rpc.grant(grant)).toEqual(first);
    expect(await account.tokens()).toMatchObject({ granted: 1_500 });
  });

  test.each([
    ["amount", { ...grant, tokens: 501 }],
    ["note", { ...grant, note: "" }],
    ["expiry", { ...grant, expiresAt: NOON + 1 }],
  ])("given again with another %s is a conflict", async (_, other) => {
    const account = await openAccount(1_000);
    await account.rpc.grant(grant);
    expect(await account.rpc.grant(other)).toEqual({ ok: false, reason: "conflict" });
    expect(await account.tokens()).toMatchObject({ granted: 1_500 });
  });

  test("lapses at its end, as far as it is neither spent nor held", async () => {
    const account = await openAccount(0);
    await account.rpc.grant({ ...grant, id: "short", tokens: 100, expiresAt: NOON + 60_000 });
    await account.admit("one");
    await account.settle(held("one"), usage(10, 5));
    await account.admit("two");
    await account.pass(60_000);
    expect(await account.tokens()).toEqual({ granted: 35, spent: 15, held: 20, available: 0 });
    await account.settle(held("two"), usage(10, 1));
    expect(await account.tokens()).toEqual({ granted: 26, spent: 26, held: 0, available: 0 });
    await account.crash();
    expect(await account.tokens()).toMatchObject({ granted: 26, spent: 26 });
    expect(await account.rpc.grants()).toMatchObject([{ id: "short", used: 26, lapsed: 74 }]);
  });

  test("that lapses is on disk before the next answer", async () => {
    const account = await openAccount(0);
    await account.rpc.grant({ ...grant, expiresAt: NOON + 60_000 });
    vi.setSystemTime(NOON + 60_000);
    expect(await account.tokens()).toMatchObject({ granted: 0 });
    expect(await account.rows("SELECT lapsed FROM grants")).toEqual([{ lapsed: 500 }]);
  });

  test("starts those who waited in line, if its tokens are what they lacked", async () => {
    const account = await openAccount(20, { running: 1 });
    await account.admit("running");
    const waiting = account.admit("waiting");
    await account.rpc.grant(grant);
    await account.settle(held("running"), usage(10, 10));
    expect(await waiting).toMatchObject({ outcome: "admitted" });
  });
});

describe("an Account that nobody opened", () => {
  test("answers each call as unknown, and keeps no state", async () => {
    const account = new AccountUnderTest();
    const { rpc } = account;
    const unknown = { ok: false, reason: "unknown" };
    expect(reasonOf(await rpc.identify(hashOf(KEY), { countsAsStart: true }))).toBe("key_unknown");
    const call = pack({ request: completion("one"), ended: [] });
    expect(reasonOf(unpack(await rpc.admit(call)))).toBe("key_unknown");
    expect(await rpc.renew({ ...held("one"), progress: usage(1, 1) })).toMatchObject({
      goOn: false,
    });
    await rpc.settle({ ...held("one"), usage: usage(1, 1) });
    await rpc.leave("one");
    expect(await rpc.mint(mintRequest(KEY))).toEqual(unknown);
    expect(await rpc.changeKey(KEY, { name: "x" })).toEqual(unknown);
    expect(await rpc.revoke(KEY, "x")).toEqual(unknown);
    expect(await rpc.grant(grant)).toEqual(unknown);
    expect(await rpc.change({ disabled: true })).toEqual(unknown);
    expect(await rpc.snapshot()).toBeNull();
    expect(await rpc.keys()).toEqual([]);
    expect(await rpc.grants()).toEqual([]);
    expect(await rpc.usage({ from: "2100-01-01", to: "2100-12-31" })).toEqual([]);
    for (const table of ["profile", "ledger", "grants", "endings", "keys", "usage"]) {
      expect(await account.rows(`SELECT * FROM ${table}`), table).toEqual([]);
    }
    await runInDurableObject(account.stub, async (_, { storage }) => {
      expect(await storage.getAlarm()).toBeNull();
    });
  });
});

describe("opening an Account", () => {
  test("a second time changes nothing", async () => {
    const account = await openAccount(1_000, { running: 2 });
    const before = await account.rpc.snapshot();
    const other = { personId: account.name, role: "admin", disabled: true, limits: {} } as const;
    expect(await account.rpc.open(other)).toEqual(before);
    await account.evict();
    expect(await account.rpc.snapshot()).toMatchObject({
      profile: { role: "member", disabled: false, limits: { running: 2 } },
    });
  });
});

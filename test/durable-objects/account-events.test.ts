// What an Account has its person told, whichever object loses its memory. The Webhooks object here is the
// real one, with an endpoint that nobody answers: its deliveries say what it was handed.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import { eventTypes } from "../../src/contract/outgoing-webhooks.ts";
import type { Account } from "../../src/durable-objects/account/account.ts";
import { webhooksOf } from "../../src/durable-objects/objects.ts";
import {
  type AccountUnderTest,
  held,
  KEY,
  NOON,
  openAccount,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

/** A new stub for each call: one that saw its object crash is of no use any more. */
const webhooks = (account: AccountUnderTest) => webhooksOf(env, account.name);

async function listen(account: AccountUnderTest): Promise<AccountUnderTest> {
  const url = "http://127.0.0.1:9/";
  await webhooks(account).add({ id: "endpoint", url, events: eventTypes });
  return account;
}

/** What was handed over, oldest first. */
async function told(account: AccountUnderTest): Promise<{ id: string; type: string }[]> {
  const { rows } = await webhooks(account).deliveries({ after: null, limit: 50 });
  return rows.map(({ event }) => event).reverse();
}

function polled(account: AccountUnderTest) {
  return expect.poll(async () => (await told(account)).map(({ type }) => type));
}

async function dataOf(account: AccountUnderTest, index: number): Promise<unknown> {
  const { rows } = await webhooks(account).deliveries({ after: null, limit: 50 });
  const found = await webhooks(account).delivery(rows.reverse()[index]?.id ?? "");
  return (JSON.parse(found?.body ?? "") as { data: unknown }).data;
}

/** Nobody can hand anything over until this is let go. */
async function deafen(account: AccountUnderTest): Promise<() => Promise<void>> {
  const run = (sql: string) =>
    runInDurableObject(env.WEBHOOKS.getByName(account.name), (_, { storage }) => {
      storage.sql.exec(sql);
    });
  await run("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT raise(FAIL, 'full'); END");
  return () => run("DROP TRIGGER full");
}

describe("a key that is revoked", () => {
  test("is told of once, with the first reason, by id, name and start", async () => {
    const account = await listen(await openAccount(0));
    await account.rpc.revoke(KEY, "it leaked");
    await account.rpc.revoke(KEY, "again");
    await polled(account).toEqual(["key.revoked"]);
    expect(await dataOf(account, 0)).toEqual({
      key: { id: KEY, name: KEY, start: "ctn_" },
      reason: "it leaked",
    });
  });

  test("is told of after a crash, by the alarm, when it could not be before", async () => {
    const account = await listen(await openAccount(0));
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const letGo = await deafen(account);
    await account.rpc.revoke(KEY, "it leaked");
    await expect.poll(() => log.mock.calls.length).toBeGreaterThan(0);
    await account.crash();
    await letGo();
    vi.setSystemTime(NOON + 2 * HOLD_LEASE_MS);
    expect(await runDurableObjectAlarm(account.stub)).toBe(true);
    await polled(account).toEqual(["key.revoked"]);
    await account.crash();
    await account.rpc.snapshot();
    expect(await told(account)).toHaveLength(1);
    log.mockRestore();
  });

  test("is told of after a crash also by an Account that has nothing else to see to", async () => {
    const account = await listen(await openAccount(0));
    // How it stands has been told, and no alarm is set.
    await runInDurableObject(account.stub, (object) => (object as Account).alarm());
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const letGo = await deafen(account);
    await account.rpc.revoke(KEY, "it leaked");
    await account.crash();
    await letGo();
    vi.setSystemTime(NOON + 2 * HOLD_LEASE_MS);
    expect(await runDurableObjectAlarm(account.stub)).toBe(true);
    await polled(account).toEqual(["key.revoked"]);
    log.mockRestore();
  });
});

describe("a Grant", () => {
  test("is told of once, with what it gives and what there is now", async () => {
    const account = await listen(await openAccount(0));
    const grant = { id: "grant", tokens: 1_000, note: "for the sweep", expiresAt: null };
    await account.rpc.grant(grant);
    await account.rpc.grant(grant);
    await polled(account).toEqual(["tokens.granted"]);
    expect(await dataOf(account, 0)).toEqual({
      grant: { id: "grant", tokens: 1_000, note: "for the sweep", expires_at: null },
      tokens: { granted: 1_000, spent: 0, held: 0, available: 1_000 },
    });
  });
});

describe("tokens that are low", () => {
  /** Spends so many, and lets the commit pass that judges it. */
  async function spend(account: AccountUnderTest, id: string, tokens: number): Promise<void> {
    await account.admit(id, { maxTokens: Math.max(1, tokens - 10) });
    await account.settle(held(id, { held: tokens }), usage(10, tokens - 10));
  }

  test("are told of once, when less than a tenth is left, and again after another Grant", async () => {
    const account = await listen(await openAccount(1_000));
    await spend(account, "one", 900);
    expect(await told(account)).toEqual([]);
    await spend(account, "two", 20);
    await spend(account, "three", 20);
    await polled(account).toEqual(["tokens.low"]);
    expect(await dataOf(account, 0)).toMatchObject({
      tokens: { granted: 1_000, spent: 920, held: 0, available: 80 },
      below: 100,
    });
    await account.rpc.grant({ id: "more", tokens: 940, note: "", expiresAt: null });
    await spend(account, "four", 910);
    await polled(account).toEqual(["tokens.low", "tokens.granted", "tokens.low"]);
    const ids = (await told(account)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  test("are not told of while requests only hold them", async () => {
    const account = await listen(await openAccount(1_000));
    await account.admit("one", { maxTokens: 980 });
    await account.written();
    expect((await account.tokens())?.available).toBe(10);
    expect(await told(account)).toEqual([]);
  });

  test("are not told of again by an object that starts anew", async () => {
    const account = await listen(await openAccount(1_000));
    await spend(account, "one", 950);
    await polled(account).toEqual(["tokens.low"]);
    await account.crash();
    await spend(account, "two", 20);
    await account.written();
    expect(await told(account)).toHaveLength(1);
  });
});

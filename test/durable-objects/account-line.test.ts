import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Admission } from "../../src/contract/account.ts";
import { HOLD_LEASE_MS, LINE_RETRY_AFTER_MS, LINE_WAIT_MS } from "../../src/contract/limits.ts";
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

/** One runs, and those of `ids` wait behind it, in this order. `answered` tells who has been. */
async function lineOf(account: AccountUnderTest, ids: string[]) {
  await account.admit("running");
  const answered: string[] = [];
  const answers = new Map<string, Promise<Admission>>();
  for (const [before, id] of ids.entries()) {
    const answer = account.admit(id);
    answers.set(id, answer);
    // Whoever still waits when the file ends goes with the Account.
    answer.then(
      () => answered.push(id),
      () => undefined,
    );
    await expect
      .poll(async () => (await account.rpc.snapshot())?.waiting, { interval: 1 })
      .toBe(before + 1);
  }
  const reason = async (id: string) => {
    const answer = await answers.get(id);
    return answer === undefined ? "never came" : reasonOf(answer);
  };
  return { answered, reason };
}

describe("the waiting line", () => {
  test("starts each as a place comes free, first come, first served", async () => {
    const account = await openAccount(1_000, { running: 1 });
    const { answered, reason } = await lineOf(account, ["a", "b", "c"]);
    await account.settle(held("running"), usage(10, 1));
    expect(await reason("a")).toBe("admitted");
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1, waiting: 2 });
    expect(answered).toEqual(["a"]);
    await account.settle(held("a"), usage(10, 1));
    await account.settle(held("b"), usage(10, 1));
    expect(await reason("c")).toBe("admitted");
    expect(answered).toEqual(["a", "b", "c"]);
  });

  test("holds no tokens for those who wait", async () => {
    const account = await openAccount(1_000, { running: 1 });
    await lineOf(account, ["a", "b"]);
    expect(await account.tokens()).toMatchObject({ held: 20, available: 980 });
  });

  test("lets nobody pass who comes while others wait, though a place is free", async () => {
    const account = await openAccount(1_000, { running: 1 });
    const { answered, reason } = await lineOf(account, ["a", "b"]);
    const settled = account.rpc.settle({ ...held("running"), usage: usage(10, 1) });
    const late = account.admit("late");
    expect(await reason("a")).toBe("admitted");
    await expect.poll(async () => (await account.rpc.snapshot())?.waiting).toBe(2);
    expect(answered).toEqual(["a"]);
    await account.written();
    await settled;
    await account.settle(held("a"), usage(10, 1));
    expect(await reason("b")).toBe("admitted");
    await account.settle(held("b"), usage(10, 1));
    expect(reasonOf(await late)).toBe("admitted");
  });

  test("is left by a request whose client is gone, and the next takes its place", async () => {
    const account = await openAccount(1_000, { running: 1 });
    const { reason } = await lineOf(account, ["a", "b"]);
    await account.rpc.leave("a");
    expect(await reason("a")).toBe("ended");
    await account.rpc.leave("a");
    await account.settle(held("running"), usage(10, 1));
    expect(await reason("b")).toBe("admitted");
    expect(await account.rpc.snapshot()).toMatchObject({ running: 1, waiting: 0 });
  });

  test("turns away who comes when it is full, and says when to come again", async () => {
    const account = await openAccount(1_000, { running: 1, waiting: 2 });
    const { answered } = await lineOf(account, ["a", "b"]);
    expect(await account.admit("c")).toMatchObject({
      outcome: "refused",
      refusal: { reason: "line_full", retryAfterMs: LINE_RETRY_AFTER_MS },
      figures: { tokens: { held: 20 } },
    });
    expect(answered).toEqual([]);
  });

  test("is given up after its longest wait, each by its own clock", async () => {
    const account = await openAccount(1_000, { running: 1 });
    const { reason, answered } = await lineOf(account, ["a"]);
    await account.pass(10_000);
    const later = account.admit("later");
    await account.rpc.renew({ ...held("running"), progress: usage(10, 1) });
    await account.pass(LINE_WAIT_MS - 10_000);
    expect(await reason("a")).toBe("line_wait_over");
    expect(answered).toEqual(["a"]);
    expect(await account.rpc.snapshot()).toMatchObject({ waiting: 1 });
    await account.pass(10_000);
    expect(await later).toMatchObject({
      refusal: { reason: "line_wait_over", retryAfterMs: LINE_RETRY_AFTER_MS },
    });
  });

  test("has one place for a request, whose first call is answered when it is repeated", async () => {
    const account = await openAccount(1_000, { running: 1 });
    const { reason } = await lineOf(account, ["a"]);
    const again = account.admit("a");
    expect(await reason("a")).toBe("ended");
    expect(await account.rpc.snapshot()).toMatchObject({ waiting: 1 });
    await account.settle(held("running"), usage(10, 1));
    expect(reasonOf(await again)).toBe("admitted");
  });

  test("sends away at once whose key is revoked, and only those", async () => {
    const account = await openAccount(1_000, { running: 1 });
    await account.rpc.mint(mintRequest("second"));
    const { reason, answered } = await lineOf(account, ["a", "b"]);
    const other = account.admit("other", { keyHash: hashOf("second") });
    await account.rpc.revoke(KEY, "leaked");
    expect(await reason("a")).toBe("key_revoked");
    expect(await reason("b")).toBe("key_revoked");
    expect(answered).toEqual(["a", "b"]);
    await account.settle(held("running"), usage(10, 1));
    expect(await other).toMatchObject({ outcome: "admitted", keyId: "second" });
  });

  test("sends everybody away at once when the person is disabled", async () => {
    const account = await openAccount(1_000, { running: 1 });
    const { reason } = await lineOf(account, ["a", "b"]);
    await account.rpc.change({ disabled: true });
    expect(await reason("a")).toBe("account_disabled");
    expect(await reason("b")).toBe("account_disabled");
  });

  test("starts as many as a raised limit lets run", async () => {
    const account = await openAccount(1_000, { running: 1 });
    const { reason } = await lineOf(account, ["a", "b", "c"]);
    await account.rpc.change({ limits: { running: 3 } });
    expect(await reason("a")).toBe("admitted");
    expect(await reason("b")).toBe("admitted");
    expect(await account.rpc.snapshot()).toMatchObject({ running: 3, waiting: 1 });
  });

  test("goes on when a lease ends that nobody renewed", async () => {
    const account = await openAccount(1_000, { running: 1 });
    await account.admit("running");
    await account.pass(HOLD_LEASE_MS - 1_000);
    const waiting = account.admit("waiting");
    await account.rpc.snapshot();
    vi.setSystemTime(NOON + HOLD_LEASE_MS);
    expect(await runDurableObjectAlarm(account.stub)).toBe(true);
    expect(reasonOf(await waiting)).toBe("admitted");
  });

  test("gives a place to those whose tokens suffice, and a refusal to those whose do not", async () => {
    const account = await openAccount(40, { running: 1 });
    const { reason } = await lineOf(account, ["a", "b", "c"]);
    await account.settle(held("running"), usage(10, 10));
    await account.settle(held("a"), usage(10, 10));
    expect(await reason("b")).toBe("budget");
    expect(await reason("c")).toBe("budget");
    expect(await account.tokens()).toEqual({ granted: 40, spent: 40, held: 0, available: 0 });
  });
});

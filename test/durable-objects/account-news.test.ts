// A renewal that waits: it is one call in its whole time, and hears of the end of its key at once.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RenewAnswer } from "../../src/contract/account.ts";
import { HOLD_RENEW_MS } from "../../src/contract/limits.ts";
import {
  type AccountUnderTest,
  held,
  KEY,
  mintRequest,
  NOON,
  openAccount,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

interface Waiting {
  answer: Promise<RenewAnswer>;
  isAnswered(): boolean;
}

async function waits(account: AccountUnderTest, id: string, keyId = KEY): Promise<Waiting> {
  let answered = false;
  const renewal = { ...held(id, { keyId }), progress: usage(10, 1) };
  const answer = account.rpc.renew(renewal, HOLD_RENEW_MS).then((said) => {
    answered = true;
    return said;
  });
  // The object has taken the renewal before what is called after it.
  await account.rpc.snapshot();
  return { answer, isAnswered: () => answered };
}

describe("a renewal that waits", () => {
  test("is answered after its time, and not before", async () => {
    const account = await openAccount();
    await account.admit("one");
    const { answer, isAnswered } = await waits(account, "one");
    await account.pass(HOLD_RENEW_MS - 1);
    expect(isAnswered()).toBe(false);
    await account.pass(1);
    expect(await answer).toEqual({ goOn: true });
  });

  test("hears at once that its key was revoked, at the very same moment", async () => {
    const account = await openAccount();
    await account.admit("one");
    const { answer } = await waits(account, "one");
    await account.rpc.revoke(KEY, "leaked");
    const refusal = { reason: "key_revoked", at: NOON, why: "leaked" };
    expect(await answer).toEqual({ goOn: false, refusal });
  });

  test("hears at once that the person was disabled", async () => {
    const account = await openAccount();
    await account.admit("one");
    const { answer } = await waits(account, "one");
    await account.rpc.change({ disabled: true });
    expect(await answer).toEqual({ goOn: false, refusal: { reason: "account_disabled" } });
  });

  test("by another key than the revoked one is told to go on", async () => {
    const account = await openAccount();
    await account.rpc.mint(mintRequest("other"));
    await account.admit("one");
    const { answer } = await waits(account, "one");
    await account.rpc.revoke("other", "leaked");
    expect(await answer).toEqual({ goOn: true });
  });

  test("ends with its Completion, so that nothing waits for nobody", async () => {
    const account = await openAccount();
    await account.admit("one");
    const { answer } = await waits(account, "one");
    await account.settle(held("one"), usage(10, 5));
    expect(await answer).toEqual({ goOn: true });
  });

  test("that comes again, since its connection broke, takes the place of the first", async () => {
    const account = await openAccount();
    await account.admit("one");
    const first = await waits(account, "one");
    const second = await waits(account, "one");
    expect(await first.answer).toEqual({ goOn: true });
    await account.rpc.revoke(KEY, "leaked");
    expect(await second.answer).toMatchObject({ goOn: false });
  });
});

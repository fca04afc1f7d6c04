import { describe, expect, it, vi } from "vitest";
import type { AccountRpc, CommitMark, SettleRequest } from "../../src/contract/account.ts";
import type { AccountLink } from "../../src/durable-objects/objects.ts";
import {
  type Riders,
  settleHold,
  settleWaiting,
  withRiders,
} from "../../src/worker/accounting/settle-hold.ts";

interface Call {
  requestId: string;
  wait: boolean;
  answer: (mark: CommitMark) => void;
  fail: () => void;
}

/** An Account whose answers the test gives, one by one. */
class ScriptedAccount {
  readonly id = crypto.randomUUID();
  readonly calls: Call[] = [];

  readonly link: AccountLink = () => {
    const settle: AccountRpc["settle"] = (request, options) =>
      new Promise((resolve, reject) => {
        this.calls.push({
          requestId: request.requestId,
          wait: options?.wait ?? true,
          answer: resolve,
          fail: () => reject(new Error("the object restarted")),
        });
      });
    return { settle } as AccountRpc;
  };

  /** Starts a settlement; `done` becomes true when nobody has to wait for it any more. */
  settle(requestId: string): { done: boolean } {
    const state = { done: false };
    void settleHold(this.link, this.id, requestOf(requestId)).then(() => {
      state.done = true;
    });
    return state;
  }

  call(number: number): Promise<Call> {
    return vi.waitUntil(() => this.calls[number]);
  }

  get asked(): string[] {
    return this.calls.map(({ requestId, wait }) => `${requestId}${wait ? " waits" : ""}`);
  }
}

function requestOf(requestId: string): SettleRequest {
  const usage = { promptTokens: 1, completionTokens: 1 };
  return { requestId, keyId: "key", model: "local", held: 2, usage };
}

/** What an admission that begins and ends now takes along. */
function takeRiders(accountId: string): Riders | null {
  let taken: Riders | null = null;
  void withRiders(accountId, async (riders) => {
    taken = riders;
  });
  return taken;
}

const commit = (number: number, incarnation = "a"): CommitMark => ({ incarnation, commit: number });

describe("settlements that run into one commit", () => {
  it("are waited for by the first alone, which ends when all are durable", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    const second = account.settle("second");
    expect(account.asked).toEqual(["first waits"]);
    (await account.call(1)).answer(commit(1));
    await vi.waitUntil(() => second.done);
    expect(first.done).toBe(false);
    (await account.call(0)).answer(commit(1));
    await vi.waitUntil(() => first.done);
    expect(account.calls).toHaveLength(2);
  });

  it("are settled again by the first if its commit did not cover them", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    account.settle("late");
    (await account.call(1)).answer(commit(2));
    (await account.call(0)).answer(commit(1));
    const again = await account.call(2);
    expect(account.asked).toEqual(["first waits", "late", "late waits"]);
    expect(first.done).toBe(false);
    again.answer(commit(2));
    await vi.waitUntil(() => first.done);
  });

  it("are settled again by the first if the object lost its memory meanwhile", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    account.settle("lost");
    (await account.call(1)).answer(commit(1, "before"));
    (await account.call(0)).fail();
    (await account.call(2)).answer(commit(1, "after"));
    (await account.call(3)).answer(commit(1, "after"));
    await vi.waitUntil(() => first.done);
    expect(account.asked).toEqual(["first waits", "lost", "first waits", "lost waits"]);
  });

  it("are settled by the first if their own call is not answered in time", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    account.settle("unanswered");
    await account.call(1);
    (await account.call(0)).answer(commit(1));
    (await account.call(2)).answer(commit(2));
    await vi.waitUntil(() => first.done);
    expect(account.asked).toEqual(["first waits", "unanswered", "unanswered waits"]);
  });

  it("do not take on one that comes after their commit", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    (await account.call(0)).answer(commit(1));
    await vi.waitUntil(() => first.done);
    account.settle("next");
    expect(account.asked).toEqual(["first waits", "next waits"]);
  });

  it("are of one Account only", () => {
    const one = new ScriptedAccount();
    const other = new ScriptedAccount();
    one.settle("first");
    other.settle("first");
    expect(one.asked).toEqual(["first waits"]);
    expect(other.asked).toEqual(["first waits"]);
  });
});

describe("a settlement that waits for the Account's next admission", () => {
  it("rides with it, and makes no call of its own", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    const second = account.settle("second");
    const riders = takeRiders(account.id);
    expect(riders?.requests).toEqual([requestOf("second")]);
    riders?.arrived(commit(1));
    await vi.waitUntil(() => second.done);
    (await account.call(0)).answer(commit(1));
    await vi.waitUntil(() => first.done);
    expect(account.asked).toEqual(["first waits"]);
  });

  it("rides once", () => {
    const account = new ScriptedAccount();
    account.settle("first");
    account.settle("second");
    expect(takeRiders(account.id)?.requests).toHaveLength(1);
    expect(takeRiders(account.id)).toBeNull();
  });

  it("is settled by its keeper if the admission never answers", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    account.settle("second");
    takeRiders(account.id);
    (await account.call(0)).answer(commit(1));
    (await account.call(1)).answer(commit(2));
    await vi.waitUntil(() => first.done);
    expect(account.asked).toEqual(["first waits", "second waits"]);
  });

  it("is settled by its keeper if the admission's commit came too late for the keeper's", async () => {
    const account = new ScriptedAccount();
    const first = account.settle("first");
    account.settle("second");
    takeRiders(account.id)?.arrived(commit(2));
    (await account.call(0)).answer(commit(1));
    (await account.call(1)).answer(commit(2));
    await vi.waitUntil(() => first.done);
    expect(account.asked).toEqual(["first waits", "second waits"]);
  });

  it("is sent before anybody reads the Account's figures", async () => {
    const account = new ScriptedAccount();
    account.settle("first");
    account.settle("second");
    const sent = settleWaiting(account.link, account.id);
    (await account.call(1)).answer(commit(1));
    await sent;
    expect(account.asked).toEqual(["first waits", "second"]);
    expect(takeRiders(account.id)).toBeNull();
  });

  it("does not wait while an admission stands in line for what it frees", async () => {
    const account = new ScriptedAccount();
    const inLine = Promise.withResolvers<void>();
    const admission = withRiders(account.id, () => inLine.promise);
    account.settle("first");
    account.settle("second");
    expect(account.asked).toEqual(["first waits", "second"]);
    inLine.resolve();
    await admission;
    account.settle("third");
    expect(account.asked).toEqual(["first waits", "second"]);
  });

  it("goes by its own call once it has waited", async () => {
    const account = new ScriptedAccount();
    account.settle("first");
    account.settle("second");
    await account.call(1);
    expect(takeRiders(account.id)).toBeNull();
    expect(account.asked).toEqual(["first waits", "second"]);
  });
});

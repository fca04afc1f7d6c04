// Renewals of a Hold under a clock that only the test moves, by an Account that answers as it is told.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AccountRpc, Refusal, RenewAnswer } from "../../src/contract/account.ts";
import { HOLD_LEASE_MS, HOLD_LISTEN_AFTER_MS, HOLD_RENEW_MS } from "../../src/contract/limits.ts";
import { keepHold } from "../../src/worker/accounting/hold-lease.ts";
import { type Watch, watchRequest } from "../../src/worker/forward/watch.ts";

const NOON = Date.UTC(2100, 2, 15, 12);

interface Call {
  at: number;
  fresh: boolean;
  answer: (answer: RenewAnswer) => void;
  fail: () => void;
}

let calls: Call[];
let refusals: Refusal[];
let watch: Watch;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: NOON });
  calls = [];
  refusals = [];
  watch = watchRequest(new AbortController().signal);
  keepHold({
    account: (fresh = false) => {
      const renew = () =>
        new Promise<RenewAnswer>((resolve, reject) => {
          const fail = () => reject(new Error("the object restarted"));
          calls.push({ at: Date.now() - NOON, fresh, answer: resolve, fail });
        });
      return { renew } as Partial<AccountRpc> as AccountRpc;
    },
    held: { requestId: "one", keyId: "key", model: "local", held: 10 },
    watch,
    everyMs: HOLD_RENEW_MS,
    progress: () => ({ promptTokens: 1, completionTokens: 1 }),
    onRefused: (refusal) => refusals.push(refusal),
  });
});

afterEach(() => {
  watch.end();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const last = (): Call => calls.at(-1) ?? expect.fail("nobody has renewed");

test("a request that ends soon makes no call", async () => {
  await pass(HOLD_LISTEN_AFTER_MS - 1);
  watch.end();
  await pass(HOLD_LEASE_MS);
  expect(calls).toEqual([]);
});

test("a renewal that waited its whole time is followed by the next at once", async () => {
  await pass(HOLD_LISTEN_AFTER_MS);
  await pass(HOLD_RENEW_MS);
  last().answer({ goOn: true });
  await pass(0);
  expect(calls.map(({ at }) => at)).toEqual([
    HOLD_LISTEN_AFTER_MS,
    HOLD_LISTEN_AFTER_MS + HOLD_RENEW_MS,
  ]);
});

test("a renewal that is never answered is made again, by another stub, while the lease lasts", async () => {
  await pass(HOLD_LISTEN_AFTER_MS);
  await pass(HOLD_RENEW_MS);
  last().answer({ goOn: true });
  await pass(0);
  // The renewal before this one is the last that arrived.
  const { at: arrivedAt } = calls[0] ?? expect.fail("nobody has renewed");
  await pass(HOLD_LEASE_MS - HOLD_RENEW_MS - 1);
  expect(calls).toHaveLength(3);
  expect(last().fresh).toBe(true);
  expect(last().at - arrivedAt).toBeLessThan(HOLD_LEASE_MS);
  last().answer({ goOn: false, refusal: { reason: "account_disabled" } });
  await pass(0);
  expect(refusals).toEqual([{ reason: "account_disabled" }]);
});

test("renewals that fail at once do not press on the object", async () => {
  await pass(HOLD_LISTEN_AFTER_MS);
  for (let seconds = 0; seconds < 30; seconds++) {
    last().fail();
    await pass(1_000);
  }
  expect(calls.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => 1_000 + n * 5_000));
});

test("news of another request of the person's is listened for again at the next beat", async () => {
  await pass(HOLD_LISTEN_AFTER_MS);
  last().answer({ goOn: true });
  await pass(HOLD_LISTEN_AFTER_MS);
  expect(calls).toHaveLength(2);
  expect(refusals).toEqual([]);
});

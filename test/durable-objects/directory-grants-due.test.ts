// An approval gives its Grant, whoever is cut off where.
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Decision } from "../../src/contract/directory.ts";
import { GRANT_DUE_AFTER_MS } from "../../src/contract/limits.ts";
import { accountOf, directoryOf } from "../../src/durable-objects/objects.ts";
import { NOON } from "./account-under-test.ts";
import { person } from "./directory-under-test.ts";

const approved: Decision = { decision: "approved", by: "operator", tokens: 500, note: "go" };

// No machine's clock is there yet, so an alarm only comes where a test runs it.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOON }));
afterEach(() => void vi.useRealTimers());

/** New ones for each call: a stub that saw its object crash is of no use any more. */
const directory = () => directoryOf(env);
const stub = () => env.DIRECTORY.getByName("directory");

/** Decided, and nothing given: whoever decided was cut off. */
async function decided(decision: Decision): Promise<string> {
  const asking = { ...person(crypto.randomUUID()), id: crypto.randomUUID() };
  await directory().addPerson(asking);
  const profile = { personId: asking.id, role: asking.role, disabled: false, limits: {} };
  await accountOf(env, asking.id).open(profile);
  const ask = { id: asking.id, personId: asking.id, tokens: 900, reason: "a sweep" };
  await directory().askForTokens(ask);
  await directory().decideTokenRequest(asking.id, decision);
  return asking.id;
}

async function grantsOf(id: string) {
  return (await accountOf(env, id).grants()).map(({ tokens, note }) => ({ tokens, note }));
}

/** The alarm, and what it begins. */
async function alarm(): Promise<void> {
  expect(await runDurableObjectAlarm(stub())).toBe(true);
}

test("what was approved and not granted is granted by the alarm, once", async () => {
  const id = await decided(approved);
  await runInDurableObject(stub(), async (_, { storage }) => {
    expect(await storage.getAlarm()).toBe(NOON + GRANT_DUE_AFTER_MS);
  });
  await alarm();
  expect(await grantsOf(id)).toEqual([]);
  vi.setSystemTime(NOON + GRANT_DUE_AFTER_MS);
  await alarm();
  await expect.poll(() => grantsOf(id)).toEqual([{ tokens: 500, note: "go" }]);
  await directory().granted(id);
  await accountOf(env, id).grant({ id: `grant_${id}`, tokens: 500, note: "go", expiresAt: null });
  expect(await grantsOf(id)).toHaveLength(1);
});

test("a crash of the Directory keeps it due, and the next page of an Admin sees to it", async () => {
  const id = await decided(approved);
  await abortAllDurableObjects();
  vi.setSystemTime(NOON + GRANT_DUE_AFTER_MS);
  await directory().openTokenRequests();
  await expect.poll(() => grantsOf(id)).toEqual([{ tokens: 500, note: "go" }]);
});

test("a Grant that cannot be given keeps none of the others waiting", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const first = await decided(approved);
  await runInDurableObject(stub(), (_, { storage }) => {
    const withoutAccount = "UPDATE token_requests SET person_id = 'nobody' WHERE id = ?";
    storage.sql.exec(withoutAccount, first);
  });
  vi.setSystemTime(NOON + 1);
  const second = await decided(approved);
  vi.setSystemTime(NOON + 1 + GRANT_DUE_AFTER_MS);
  await directory().openTokenRequests();
  await expect.poll(() => grantsOf(second)).toEqual([{ tokens: 500, note: "go" }]);
  await expect.poll(() => log.mock.calls.length).toBe(1);
  await directory().granted(first);
  log.mockRestore();
});

test("what was granted is due no more", async () => {
  const id = await decided(approved);
  await directory().granted(id);
  vi.setSystemTime(NOON + GRANT_DUE_AFTER_MS);
  await alarm();
  await directory().openTokenRequests();
  expect(await grantsOf(id)).toEqual([]);
});

test("a rejection gives nothing", async () => {
  const id = await decided({ decision: "rejected", by: "operator", tokens: 0, note: "no" });
  vi.setSystemTime(NOON + GRANT_DUE_AFTER_MS);
  await directory().openTokenRequests();
  expect(await grantsOf(id)).toEqual([]);
});

test("a decision has its row in the audit log with it", async () => {
  const id = await decided(approved);
  const filter = { who: null, whom: id, what: null, after: null, limit: 9 };
  expect((await directory().audit(filter)).rows).toEqual([
    {
      ...{ id: `request.approve ${id}`, at: NOON, who: "operator", what: "request.approve" },
      ...{ whom: id, detail: { request: id, tokens: 500, note: "go" } },
    },
  ]);
});

// A Job's slices at a real Account: charged once, whatever is said again, and nothing is kept there.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { FORGET_AFTER_MS } from "../../src/contract/job-limits.ts";
import { accountOf, jobListOf, jobOf, spendLimitOf } from "../../src/durable-objects/objects.ts";
import { claimOf, JobUnderTest, nameOf, resultOf, until } from "./job-under-test.ts";

/** A Job of a person with so many tokens, at objects as they are, while no turns are handed out. */
async function jobOfPerson(items: readonly number[], tokens = 10_000) {
  await spendLimitOf(env).change({ pausedByHand: true });
  const personId = crypto.randomUUID();
  const account = accountOf(env, personId);
  await account.open({ personId, role: "member", disabled: false, limits: {} });
  const grant = { id: "grant", tokens, note: "", expiresAt: null };
  expect(await account.grant(grant)).toMatchObject({ ok: true });
  const made = new JobUnderTest();
  const job = () => jobOf(env, made.id);
  await job().create(made.newJob(items, { personId }));
  const spent = async () => (await accountOf(env, personId).snapshot())?.tokens;
  return { made, personId, account: () => accountOf(env, personId), job, spent };
}

type Made = Awaited<ReturnType<typeof jobOfPerson>>;

/** Claims a slice, and takes its Hold. */
async function claimAndHold({ job, account }: Made) {
  const claim = claimOf(await job().claim("ticket"));
  const { holdId, keyId, model } = claim;
  const admission = await account().admitSlice({ holdId, keyId, model, tokens: 100 });
  expect(admission).toEqual({ outcome: "admitted", held: 100 });
  return claim;
}

async function keptEndings({ personId }: Made): Promise<number> {
  const stub = env.ACCOUNT.getByName(personId);
  return await runInDurableObject(stub, (_, { storage }) => {
    const count = "SELECT count(*) AS kept FROM slice_endings";
    return storage.sql.exec<{ kept: number }>(count).one().kept;
  });
}

describe("a slice that is done", () => {
  test("is charged once, though the Job and the Account were gone and all was said twice", async () => {
    const made = await jobOfPerson([3, 4]);
    const [first, second] = [await claimAndHold(made), await claimAndHold(made)];
    expect(await made.spent()).toMatchObject({ held: 200, spent: 0 });
    await made.made.evict();
    for (const claim of [first, second, first, second]) {
      expect(await made.job().commit(nameOf(claim), resultOf(claim))).toBe(true);
      await made.made.evict();
    }
    await until(async () => {
      expect(await made.spent()).toMatchObject({ held: 0, spent: 3 + 1 + 4 + 1 });
      expect(await keptEndings(made)).toBe(0);
    });
    const today = new Date().toISOString().slice(0, 10);
    const usage = await made.account().usage({ from: today, to: today });
    expect(usage).toMatchObject([{ keyId: "key", model: "local", requests: 7, promptTokens: 7 }]);
    const { rows } = await jobListOf(env, made.personId).jobs({ after: null, limit: 1 });
    expect(rows).toMatchObject([{ state: "completed", counts: { total: 7, succeeded: 7 } }]);
  });

  test("costs nothing of the attempt that lost its claim, and its Hold is forgotten as well", async () => {
    const made = await jobOfPerson([2]);
    const slow = await claimAndHold(made);
    await made.job().giveBack(nameOf(slow), { why: "stopped" });
    const second = await claimAndHold(made);
    expect(await made.job().commit(nameOf(slow), resultOf(slow))).toBe(false);
    expect(await made.job().commit(nameOf(second), resultOf(second))).toBe(true);
    // What a consumer that stops says of its Hold.
    const { holdId, keyId, model } = slow;
    const usage = { promptTokens: 0, completionTokens: 0 };
    await made.account().settleSlices([{ holdId, keyId, model, held: 100, usage, requests: 0 }]);
    await until(async () => expect(await made.spent()).toMatchObject({ held: 0, spent: 4 }));
    await until(async () => expect(await keptEndings(made)).toBe(1));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + FORGET_AFTER_MS });
    await runDurableObjectAlarm(made.made.stub);
    await until(async () => expect(await keptEndings(made)).toBe(0));
    vi.useRealTimers();
  });
});

describe("a Job that was cancelled", () => {
  test("keeps and charges what was done, and the Account forgets what was not", async () => {
    const made = await jobOfPerson([1, 1, 1]);
    const [done, stopped] = [await claimAndHold(made), await claimAndHold(made)];
    await made.job().commit(nameOf(done), resultOf(done));
    expect(await made.job().cancel()).toMatchObject({ cancelledAt: expect.any(Number) });
    expect(await made.job().renew(nameOf(stopped))).toEqual({ goOn: false });
    await made.job().giveBack(nameOf(stopped), { why: "stopped" });
    expect(await made.job().record()).toMatchObject({
      ...{ state: "cancelled", counts: { total: 3, succeeded: 1, failed: 0 } },
    });
    expect(await made.job().parts()).toMatchObject({ parts: [{ from: 0 }], complete: true });
    await until(async () => expect(await made.spent()).toMatchObject({ spent: 2 }));
  });
});

// What is done to a person reaches their Jobs: tokens set them going, disabling cancels them.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { jobListOf, jobOf, spendLimitOf } from "../../src/durable-objects/objects.ts";
import { grantTokens } from "../../src/worker/deeds/grants.ts";
import { changeKey } from "../../src/worker/deeds/keys.ts";
import { changePerson } from "../../src/worker/deeds/people.ts";
import { approveRequest, askForTokens } from "../../src/worker/deeds/token-requests.ts";
import { newPerson } from "./calling.ts";
import { doing } from "./doing.ts";

/** So no turn is handed out, and no Job runs. */
beforeAll(async () => void (await spendLimitOf(env).change({ pausedByHand: true })));

/** A Job of theirs that waits for tokens. */
async function pausedJob(personId: string): Promise<string> {
  const id = `job_${crypto.randomUUID()}`;
  const job = jobOf(env, id);
  const slice = { from: 0, items: 1, offset: 0, bytes: 10, large: false };
  await job.create({
    ...{ id, personId, keyId: "key", name: "", model: "local", contentHash: "hash" },
    ...{ inputKey: "input", slices: [slice], batch: null },
  });
  const answer = await job.claim("ticket");
  if (answer.outcome === "nothing") throw new Error("there was nothing to claim");
  const budget = { granted: 0, spent: 0, held: 0, available: 0, needed: 1 };
  const refusal = { budget, scope: "account", heldWouldFree: false } as const;
  await job.giveBack({ from: 0, attempt: 1 }, { why: "budget", ...refusal });
  expect(await waitsForTokens(id)).toBe(true);
  return id;
}

async function waitsForTokens(jobId: string): Promise<boolean> {
  return (await jobOf(env, jobId).record())?.pause?.reason === "budget_exceeded";
}

async function goesOn(jobId: string): Promise<void> {
  await vi.waitFor(async () => expect(await waitsForTokens(jobId)).toBe(false));
}

describe("a Job that waits for tokens", () => {
  test("goes on after a Grant", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const [job, other] = [await pausedJob(id), await pausedJob("somebody-else")];
    await doing((c) => grantTokens(c, "operator", id, { tokens: 5, note: "", expiresAt: null }));
    await goesOn(job);
    expect(await waitsForTokens(other)).toBe(true);
  });

  test("goes on after an approved request", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const job = await pausedJob(id);
    const asked = await doing((c) => askForTokens(c, id, { tokens: 5, reason: "a sweep" }));
    await doing((c) => approveRequest(c, "operator", asked.id, { note: "" }));
    await goesOn(job);
  });

  test("goes on after its key's monthly limit was changed, and not after its name was", async () => {
    const { id, keyId } = await newPerson({ tokens: 0 });
    const job = await pausedJob(id);
    await doing((c) => changeKey(c, id, keyId, { name: "renamed" }));
    expect(await waitsForTokens(job)).toBe(true);
    await doing((c) => changeKey(c, id, keyId, { monthlyTokenLimit: 1_000 }));
    await goesOn(job);
  });
});

describe("a person who is disabled", () => {
  test("has their Jobs cancelled, and a repeat of that cancels no later one", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const job = await pausedJob(id);
    const disable = { id: "once", disabled: true };
    await doing((c) => changePerson(c, "operator", id, disable));
    const isCancelled = async () => (await jobOf(env, job).record())?.state === "cancelled";
    await vi.waitFor(async () => expect(await isCancelled()).toBe(true));
    await vi.waitFor(async () => expect(await jobListOf(env, id).unended()).toBe(0));
    await doing((c) => changePerson(c, "operator", id, { disabled: false }));
    const later = await pausedJob(id);
    await doing((c) => changePerson(c, "operator", id, disable));
    expect(await waitsForTokens(later)).toBe(true);
  });

  test("is disabled where nobody can be told", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const { id } = await newPerson({ tokens: 0 });
    const done = await doing((c) => {
      const get = () => ({ cancelAll: () => Promise.reject(new Error("unreachable")) });
      c.env = { ...c.env, JOB_LIST: { idFromName: () => id, get } } as unknown as typeof c.env;
      return changePerson(c, "operator", id, { disabled: true });
    });
    expect(done.person.disabled).toBe(true);
    const [line] = logged.mock.calls
      .map(([of]) => of)
      .filter(({ event }) => event === "jobs_not_told");
    expect(line).toMatchObject({ word: "cancelAll", requestId: expect.any(String) });
    logged.mockRestore();
  });
});

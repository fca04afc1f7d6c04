// A person's Jobs: list, show, cancel, remove; and that they are nobody else's.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { JOBS_UNENDED_MOST, SLICE_ITEMS_MOST } from "../../../src/contract/job-limits.ts";
import type { JobListRpc } from "../../../src/contract/job-list.ts";
import { jobOf } from "../../../src/durable-objects/objects.ts";
import { call, errorOf, newPerson, type Person, read } from "../calling.ts";
import {
  claimAll,
  finishSlice,
  model,
  postJob,
  type ShownJob,
  stored,
  submit,
} from "./submitting.ts";

interface Page {
  object: string;
  data: ShownJob[];
  has_more: boolean;
}

const get = <T>({ key }: Person, path: string) => read<T>(call(`/v1/jobs${path}`, { key }));
const cancel = ({ key }: Person, id: string) =>
  read<ShownJob>(call(`/v1/jobs/${id}/cancel`, { method: "POST", key }));
const remove = ({ key }: Person, id: string) => call(`/v1/jobs/${id}`, { method: "DELETE", key });

describe("a list of Jobs", () => {
  test("has the newest first, in pages that go on behind an id", async () => {
    const person = await newPerson();
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.unshift((await submit(person, 1, `${at}`)).id);
    const first = await get<Page>(person, "?limit=2");
    expect(first).toMatchObject({ object: "list", has_more: true });
    const second = await get<Page>(person, `?limit=2&after=${first.data[1]?.id}`);
    const last = await get<Page>(person, `?limit=2&after=${second.data[1]?.id}`);
    expect(last.has_more).toBe(false);
    const listed = [first, second, last].flatMap(({ data }) => data.map(({ id }) => id));
    expect(listed).toEqual(ids);
  });

  test("is empty for who has none, and refuses what is no page", async () => {
    const { key } = await newPerson();
    expect(await read<Page>(call("/v1/jobs", { key }))).toMatchObject({
      data: [],
      has_more: false,
    });
    for (const query of ["limit=0", "limit=201", "limit=x", "after=nothing", "before=x"]) {
      const error = await errorOf(call(`/v1/jobs?${query}`, { key }));
      expect(error).toMatchObject({ status: 400, code: "invalid_request" });
    }
  });
});

describe("a Job that is shown", () => {
  test("says how far it is, in seconds and tokens", async () => {
    const person = await newPerson();
    const total = SLICE_ITEMS_MOST + 1;
    const { id } = await submit(person, total);
    await finishSlice(
      person,
      id,
      Array.from({ length: SLICE_ITEMS_MOST }, () => ({ text: "{}", ok: true })),
    );
    const job = await get<ShownJob>(person, `/${id}`);
    expect(job.progress).toMatchObject({
      total,
      succeeded: SLICE_ITEMS_MOST,
      failed: 0,
      tokens: 0,
    });
    expect(Math.abs(job.created_at - Date.now() / 1_000)).toBeLessThan(60);
    expect(job.ended_at).toBeNull();
  });

  test("that waits says for what, and what to do", async () => {
    const person = await newPerson();
    const { id } = await submit(person, 1);
    const answer = await jobOf(env, id).claim("a test's");
    if (answer.outcome === "nothing") throw new Error("there is no slice to claim");
    const budget = { granted: 10, spent: 8, held: 0, available: 2, needed: 5 };
    const { slice, attempt } = answer.claim;
    await jobOf(env, id).giveBack(
      { from: slice.from, attempt },
      { why: "budget", budget, scope: "account", heldWouldFree: false },
    );
    const shown = await get<ShownJob & { pause: object }>(person, `/${id}`);
    expect(shown.state).toBe("paused");
    expect(shown.pause).toMatchObject({
      reason: "budget_exceeded",
      message: expect.stringMatching(/available 2, .* needs 5\. Ask for more tokens/),
      budget,
    });
  });
});

describe("cancelling", () => {
  test("ends a Job of which nothing runs, at once and for good", async () => {
    const person = await newPerson();
    const { id } = await submit(person, 40);
    const cancelled = await cancel(person, id);
    expect(cancelled.state).toBe("cancelled");
    expect(cancelled.ended_at).not.toBeNull();
    expect(await cancel(person, id)).toEqual(cancelled);
    expect(await claimAll(id)).toEqual([]);
  });
});

describe("removing", () => {
  test("takes a Job that has ended with all that is stored of it", async () => {
    const person = await newPerson();
    const { id } = await submit(person, 1);
    await cancel(person, id);
    const gone = await read(remove(person, id));
    expect(gone).toEqual({ id, object: "job", deleted: true });
    await expect.poll(() => stored(person)).toEqual([]);
    expect(await errorOf(call(`/v1/jobs/${id}`, { key: person.key }))).toMatchObject({
      status: 404,
    });
    await expect.poll(async () => (await get<Page>(person, "")).data).toEqual([]);
  });

  test("is refused while it runs, and says to cancel it", async () => {
    const person = await newPerson();
    const { id } = await submit(person, 1);
    const error = await errorOf(remove(person, id));
    expect(error).toMatchObject({ status: 409, code: "conflict", retry: "false" });
    expect(error.message).toContain("Cancel it first");
    expect(await stored(person)).toHaveLength(1);
  });
});

const ofOne = [
  ["GET", ""],
  ["DELETE", ""],
  ["POST", "/cancel"],
  ["GET", "/results"],
] as const;

test.each(ofOne)(
  "%s /v1/jobs/{id}%s of another person is a 404, as of none",
  async (method, of) => {
    const [owner, other] = [await newPerson(), await newPerson({ role: "admin", scope: "admin" })];
    const { id } = await submit(owner, 1);
    const unknown = `job_${"0".repeat(26)}`;
    const told = [];
    for (const asked of [id, unknown, "job_x", "nothing", "batch_x"]) {
      const error = await errorOf(call(`/v1/jobs/${asked}${of}`, { method, key: other.key }));
      expect(error).toMatchObject({ status: 404, code: "not_found" });
      told.push(error.message);
    }
    expect(new Set(told).size).toBe(1);
    expect((await get<ShownJob>(owner, `/${id}`)).cancelled_at).toBeNull();
  },
);

test("a person has at most so many Jobs under way; a repeat of one is none more", async () => {
  const person = await newPerson();
  const body = { model, prompts: ["a"] };
  const repeated = { "idempotency-key": "the first" };
  const { id } = await read<ShownJob>(postJob(person.key, body, repeated));
  const record = await jobOf(env, id).record();
  if (record === null) throw new Error("the Job is not there");
  await runInDurableObject(env.JOB_LIST.getByName(person.id), async (instance) => {
    const list = instance as unknown as JobListRpc;
    for (let at = 1; at < JOBS_UNENDED_MOST; at++) {
      await list.put({ ...record, id: `job_${String(at).padStart(26, "0")}` });
    }
  });
  const error = await errorOf(postJob(person.key, body));
  expect(error).toMatchObject({ status: 429, code: "rate_limited", retry: "true" });
  expect(error.message).toContain("cancel some");
  expect(await read(postJob(person.key, body, repeated))).toMatchObject({ id });
});

// What is left of a Job, and when it goes.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { JOB_KEPT_DAYS } from "../../src/contract/job-limits.ts";
import { jobFolder } from "../../src/contract/job-store.ts";
import { JobUnderTest, NOON, tablesOf, until, workOff } from "./job-under-test.ts";

const KEPT_MS = JOB_KEPT_DAYS * 86_400_000;

let made: JobUnderTest;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  made = new JobUnderTest();
});
afterEach(() => void vi.useRealTimers());

function folder(): string {
  return jobFolder("ada", made.id);
}

async function store(keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => env.JOB_STORE.put(key, "x")));
}

async function stored(prefix: string): Promise<string[]> {
  return (await env.JOB_STORE.list({ prefix })).objects.map(({ key }) => key);
}

/** A Job that is done and told to everybody. */
async function done(): Promise<void> {
  await made.wake(async (job) => {
    await job.create(made.newJob([1]));
    await workOff(job);
    await until(() => expect(made.others.forgotten).toHaveLength(1));
    await until(() => expect(made.others.records.at(-1)?.state).toBe("completed"));
    await until(() => expect(made.others.turns.at(-1)).toBe(`leave ${made.id}`));
  });
}

describe("removing a Job", () => {
  test("takes its input and results, its place in the list and its rows, and no other's", async () => {
    const other = `${jobFolder("ada", "another")}input.jsonl`;
    await store([`${folder()}input.jsonl`, `${folder()}results/0-1-all.jsonl`, other]);
    await done();
    await made.wake(async (job, storage) => {
      expect(await job.remove()).toBe(true);
      expect([await job.record(), await job.parts(), await job.cancel()]).toEqual([
        null,
        null,
        null,
      ]);
      await until(() => expect(tablesOf(storage)).toEqual([]));
      expect(made.others.dropped).toEqual([made.id]);
      expect(await stored(folder())).toEqual([]);
      expect(await stored(other)).toEqual([other]);
      expect(await storage.getAlarm()).toBeNull();
      expect(await job.remove()).toBe(true);
    });
  });

  test("is refused while it runs", async () => {
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      expect(await job.remove()).toBe(false);
      await job.claim("t");
      await job.cancel();
      expect(await job.remove()).toBe(false);
      expect(await job.record()).toMatchObject({ state: "running" });
    });
  });

  test("comes by itself after so many days, also where the alarm for it never came", async () => {
    await store([`${folder()}input.jsonl`]);
    await done();
    await made.wake(async (job, storage) => {
      expect(await job.record()).toMatchObject({ removedAt: NOON + KEPT_MS });
      expect(await storage.getAlarm()).toBe(NOON + KEPT_MS);
      await storage.deleteAlarm();
      vi.setSystemTime(NOON + KEPT_MS - 1);
      expect(await job.record()).not.toBeNull();
    });
    vi.setSystemTime(NOON + KEPT_MS);
    await made.wake(async (job) => {
      await job.alarm();
      await until(() => expect(made.others.dropped).toEqual([made.id]));
      await until(async () => expect(await job.record()).toBeNull());
      expect(await stored(folder())).toEqual([]);
    });
  });

  test("takes more than the store lists at once", async () => {
    made.others.storePage = 2;
    await store([0, 1, 2, 3, 4].map((from) => `${folder()}results/${from}-1-all.jsonl`));
    await done();
    await made.wake(async (job) => {
      await job.remove();
      await until(() => expect(made.others.dropped).toEqual([made.id]));
    });
    expect(await stored(folder())).toEqual([]);
  });

  test("leaves no settlement unsaid, and goes on where it was when the object was gone", async () => {
    const { others } = made;
    others.deaf.add("settleSlices").add("drop");
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      await workOff(job);
      expect(await job.remove()).toBe(true);
      await until(() => expect(others.failures).toBeGreaterThanOrEqual(2));
    });
    others.deaf.delete("drop");
    await made.wake(async (job, storage) => {
      await job.alarm();
      await until(() => expect(others.dropped).toEqual([made.id]));
      expect(await job.record()).toBeNull();
      expect(storage.sql.exec("SELECT count(*) AS rows FROM closings").one()).toEqual({ rows: 1 });
      const conflict = { ok: false, reason: "conflict" };
      expect(await job.create(made.newJob([1]))).toEqual(conflict);
    });
    others.deaf.clear();
    await made.wake(async (job, storage) => {
      await job.alarm();
      await until(() => expect(others.forgotten).toHaveLength(1));
      await until(() => expect(tablesOf(storage)).toEqual([]));
    });
  });

  test("lets another of the same id be made, with an alarm of its own", async () => {
    await done();
    await made.wake(async (job, storage) => {
      await job.remove();
      await until(async () => expect(await storage.getAlarm()).toBeNull());
      const again = await job.create(made.newJob([2], { contentHash: "other" }));
      expect(again).toMatchObject({ ok: true, record: { counts: { total: 2 } } });
      await job.claim("t");
      await until(async () => expect(await storage.getAlarm()).not.toBeNull());
    });
  });
});

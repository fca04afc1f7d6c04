// What a Job has its person told, whatever is lost on the way.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  claimOf,
  JobUnderTest,
  NOON,
  nameOf,
  resultOf,
  tablesOf,
  until,
  workOff,
} from "./job-under-test.ts";

let made: JobUnderTest;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  made = new JobUnderTest();
});
afterEach(() => void vi.useRealTimers());

const types = () => made.others.emitted.map(({ type }) => type);

describe("a Job's end", () => {
  test("is told once, with the counts that it ended with", async () => {
    await made.wake(async (job) => {
      await job.create(made.newJob([2, 1]));
      await workOff(job);
      await workOff(job);
      await until(() => expect(types()).toEqual(["job.completed"]));
      await job.record();
      await job.cancel();
    });
    await made.wake(async (job) => void (await job.record()));
    expect(made.others.emitted).toMatchObject([
      {
        id: `evt_job_completed_${made.id}_${NOON}`,
        data: { job: { id: made.id, state: "completed", progress: { total: 3, succeeded: 3 } } },
      },
    ]);
  });

  test("is told as cancelled where somebody cancelled it", async () => {
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      await job.cancel();
      await until(() => expect(types()).toEqual(["job.cancelled"]));
    });
  });

  test("is told by the next object where it could not be before, under the same id", async () => {
    made.others.deaf.add("emit");
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      await workOff(job);
      await until(() => expect(made.others.failures).toBeGreaterThan(0));
    });
    await made.evict();
    made.others.deaf.clear();
    vi.setSystemTime(NOON + 60_000);
    await made.wake(async (job) => {
      await job.record();
      await until(() => expect(made.others.emitted).toHaveLength(1));
    });
    expect(made.others.emitted).toMatchObject([{ id: `evt_job_completed_${made.id}_${NOON}` }]);
  });

  test("is told before the Job is removed for good", async () => {
    made.others.deaf.add("emit");
    await made.wake(async (job, storage) => {
      await job.create(made.newJob([1]));
      await workOff(job);
      await until(() => expect(made.others.forgotten).toHaveLength(1));
      await until(() => expect(made.others.turns.at(-1)).toBe(`leave ${made.id}`));
      expect(await job.remove()).toBe(true);
      await until(() => expect(made.others.dropped).toEqual([made.id]));
      expect(tablesOf(storage)).toContain("job");
      made.others.deaf.clear();
      vi.setSystemTime(NOON + 60_000);
      await job.alarm();
      await until(() => expect(types()).toEqual(["job.completed"]));
      await until(() => expect(tablesOf(storage)).toEqual([]));
    });
  });

  test("of another Job that has the id of one that was removed is told too", async () => {
    for (const at of [NOON, NOON + 1_000]) {
      vi.setSystemTime(at);
      await made.wake(async (job, storage) => {
        await job.create(made.newJob([1]));
        await job.cancel();
        await until(() => expect(made.others.emitted.at(-1)?.at).toBe(at));
        await job.remove();
        await until(() => expect(tablesOf(storage)).toEqual([]));
      });
    }
    expect(types()).toEqual(["job.cancelled", "job.cancelled"]);
  });
});

describe("a Job's pause", () => {
  const budget = { granted: 10, spent: 10, held: 0, available: 0, needed: 5 };
  const refused = { why: "budget", budget, scope: "account", heldWouldFree: false } as const;

  test("is told with its reason, once for each pause", async () => {
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      for (const pause of [1, 2]) {
        vi.setSystemTime(NOON + pause * 60_000);
        await job.giveBack(nameOf(claimOf(await job.claim("t"))), refused);
        await job.record();
        await until(() => expect(types()).toEqual(Array(pause).fill("job.paused")));
        vi.setSystemTime(NOON + pause * 60_000 + 1);
        await job.tokensChanged();
      }
      const claim = claimOf(await job.claim("t"));
      await job.commit(nameOf(claim), resultOf(claim));
      await until(() => expect(types()).toEqual(["job.paused", "job.paused", "job.completed"]));
    });
    expect(made.others.emitted[0]).toMatchObject({
      at: NOON + 60_000,
      data: { job: { pause: { reason: "budget_exceeded", since: "2100-03-15T12:01:00.000Z" } } },
    });
  });

  test("is not told again by an object that finds the Job still paused", async () => {
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      await job.modelWaits("spend_cap");
      await until(() => expect(types()).toEqual(["job.paused"]));
    });
    await made.evict();
    await made.wake(async (job) => {
      expect(await job.record()).toMatchObject({ state: "paused" });
      await job.modelWaits("spend_cap");
    });
    expect(types()).toEqual(["job.paused"]);
  });
});

// What the Job object keeps, and whom it tells, whenever it is gone in between.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PAUSE_RETRY_MS, TICKET_LEASE_MS } from "../../src/contract/job-limits.ts";
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

describe("a Job that is made", () => {
  test("is in the person's list before that is answered, and in line for a turn", async () => {
    const { others } = made;
    const answer = await made.wake(async (job) => {
      const created = await job.create(made.newJob([2, 3]));
      expect(others.records).toMatchObject([{ id: made.id, state: "queued", personId: "ada" }]);
      await until(() => expect(others.turns).toEqual([`enter ${made.id} of ada`]));
      return created;
    });
    expect(answer).toMatchObject({
      ...{ ok: true, inputKey: "input" },
      record: { counts: { total: 5, succeeded: 0, failed: 0 }, createdAt: NOON },
    });
  });

  test("is the same when it is made again, with the input of the first, and no other's", async () => {
    await made.wake((job) => job.create(made.newJob([2])));
    await made.wake(async (job) => {
      const again = await job.create(made.newJob([2], { inputKey: "another" }));
      expect(again).toMatchObject({ ok: true, inputKey: "input" });
      const conflict = { ok: false, reason: "conflict" };
      expect(await job.create(made.newJob([2], { contentHash: "other" }))).toEqual(conflict);
      expect(await job.create(made.newJob([2], { personId: "eve" }))).toEqual(conflict);
    });
  });

  test("is made where the list cannot be told, and told to it by alarm", async () => {
    const { others } = made;
    others.deaf.add("put").add("enter");
    await made.wake(async (job, storage) => {
      expect(await job.create(made.newJob([1]))).toMatchObject({ ok: true });
      await until(() => expect(others.failures).toBe(2));
      await until(async () => expect(await storage.getAlarm()).toBeLessThanOrEqual(NOON + 1_000));
    });
    others.deaf.clear();
    await made.wake(async (job) => {
      await job.alarm();
      await until(() => expect([others.records.length, others.turns.length]).toEqual([1, 1]));
    });
  });

  test("has more slices than one statement writes", async () => {
    await made.wake((job) => job.create(made.newJob(Array(10_001).fill(1))));
    await made.wake(async (job) => {
      expect(await job.record()).toMatchObject({ counts: { total: 10_001 } });
      expect(claimOf(await job.claim("t")).slice).toMatchObject({ from: 0, items: 1 });
    });
  });

  test("is unknown to whoever asks before", async () => {
    await made.wake(async (job, storage) => {
      expect([await job.record(), await job.parts(), await job.cancel()]).toEqual([
        null,
        null,
        null,
      ]);
      expect(await job.claim("t")).toEqual({ outcome: "nothing" });
      expect(await job.renew({ from: 0, attempt: 1 })).toEqual({ goOn: false });
      expect(await job.remove()).toBe(true);
      expect(await storage.getAlarm()).toBeNull();
      // Else whoever tries ids makes objects that nothing ever removes.
      expect(tablesOf(storage)).toEqual([]);
    });
  });
});

describe("whatever was answered", () => {
  test("is known after the object was gone: claims, splits, what is done, pauses", async () => {
    const [first, second] = await made.wake(async (job) => {
      await job.create(made.newJob([4, 2, 1]));
      const claims = [claimOf(await job.claim("t")), claimOf(await job.claim("t"))] as const;
      const rest = { from: 1, offset: 10 };
      await job.giveBack(nameOf(claims[0]), { why: "split", rest });
      return claims;
    });
    await made.wake(async (job) => {
      expect(await job.commit(nameOf(second), resultOf(second))).toBe(true);
      expect(claimOf(await job.claim("t")).slice).toMatchObject({ from: 1, items: 3, offset: 10 });
    });
    await made.wake(async (job) => {
      expect(await job.renew(nameOf(first))).toEqual({ goOn: true });
      expect(await job.commit(nameOf(second), resultOf(second))).toBe(true);
      const done = { ...first, slice: { ...first.slice, items: 1 } };
      expect(await job.commit(nameOf(first), resultOf(done))).toBe(true);
      await job.modelWaits("spend_cap");
    });
    await made.wake(async (job) => {
      expect(await job.parts()).toEqual({
        parts: [{ from: 0, attempt: 1, bytes: 7, succeededBytes: 7 }],
        complete: false,
      });
      expect(await job.record()).toMatchObject({
        ...{ state: "paused", pause: { reason: "spend_cap", since: NOON } },
        counts: { total: 7, succeeded: 3, failed: 0 },
        usage: { promptTokens: 3, completionTokens: 2 },
      });
    });
  });

  test("is no claim's of which the lease went to another", async () => {
    const slow = await made.wake(async (job) => {
      await job.create(made.newJob([2]));
      return claimOf(await job.claim("t"));
    });
    vi.setSystemTime(NOON + TICKET_LEASE_MS);
    await made.wake(async (job) => {
      const second = claimOf(await job.claim("t"));
      expect(second).toMatchObject({ attempt: 2, holdId: `${made.id}-0-2` });
      expect(await job.commit(nameOf(slow), resultOf(slow))).toBe(false);
      expect(await job.renew(nameOf(slow))).toEqual({ goOn: false });
      expect(await job.commit(nameOf(second), resultOf(second))).toBe(true);
      expect(await job.commit(nameOf(slow), resultOf(slow))).toBe(false);
      expect(await job.record()).toMatchObject({ state: "completed" });
    });
  });

  test("is refused and logged where a result is not of the slice's items", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    await made.wake(async (job) => {
      await job.create(made.newJob([2]));
      const claim = claimOf(await job.claim("t"));
      const wrong = { ...resultOf(claim), counts: { succeeded: 1, failed: 0 } };
      expect(await job.commit(nameOf(claim), wrong)).toBe(false);
      expect(logged.mock.calls).toMatchObject([[{ event: "job_commit_defect", from: 0 }]]);
    });
    logged.mockRestore();
  });
});

describe("a settlement", () => {
  test("is told to the Account, with what was charged, and then forgotten there", async () => {
    const { others } = made;
    await made.wake(async (job, storage) => {
      await job.create(made.newJob([3]));
      const claim = await workOff(job);
      const holdId = `${made.id}-0-1`;
      await until(() => expect(others.forgotten).toEqual([holdId]));
      expect(others.settled).toEqual([
        {
          holdId,
          keyId: "key",
          model: "local",
          held: 100,
          requests: 3,
          usage: resultOf(claim).usage,
        },
      ]);
      expect(storage.sql.exec("SELECT * FROM closings").toArray()).toEqual([]);
    });
  });

  test("that could not be told is told later, though the object was gone", async () => {
    const { others } = made;
    others.deaf.add("settleSlices");
    await made.wake(async (job, storage) => {
      await job.create(made.newJob([1, 1]));
      await workOff(job);
      await until(() => expect(others.failures).toBeGreaterThan(0));
      await until(async () => expect(await storage.getAlarm()).toBeLessThanOrEqual(NOON + 1_000));
      await workOff(job);
    });
    others.deaf.clear();
    await made.wake(async (job) => {
      await job.alarm();
      await until(() => expect(others.forgotten).toHaveLength(2));
      expect(others.settled.map(({ holdId }) => holdId)).toEqual(others.forgotten);
    });
  });

  test("is not told again once it is durable, and is not forgotten before", async () => {
    const { others } = made;
    others.deaf.add("forgetSlices");
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      await workOff(job);
      await until(() => expect(others.failures).toBe(1));
    });
    others.deaf.clear();
    await made.wake(async (job) => {
      await job.alarm();
      await until(() => expect(others.forgotten).toEqual([`${made.id}-0-1`]));
      expect(others.settled).toHaveLength(1);
    });
  });

  test("of a later attempt lets the Account forget those before it, when their Holds have ended", async () => {
    const { others } = made;
    await made.wake(async (job, storage) => {
      await job.create(made.newJob([1]));
      await job.giveBack(nameOf(claimOf(await job.claim("t"))), { why: "stopped" });
      await workOff(job);
      await until(() => expect(others.settled).toHaveLength(1));
      await until(() =>
        expect(storage.sql.exec("SELECT settlement FROM closings").one()).toEqual({
          settlement: null,
        }),
      );
      expect(others.forgotten).toEqual([]);
    });
    vi.setSystemTime(NOON + 300_000);
    await made.wake(async (job) => {
      await job.alarm();
      await until(() => expect(others.forgotten).toEqual([`${made.id}-0-1`, `${made.id}-0-2`]));
    });
  });

  test("that gave free what the Job waits for brings the next turn at once", async () => {
    const { others } = made;
    const budget = { granted: 9, spent: 9, held: 0, available: 0, needed: 1 };
    await made.wake(async (job) => {
      await job.create(made.newJob([1, 1]));
      const [done, waits] = [claimOf(await job.claim("t")), claimOf(await job.claim("t"))];
      const refusal = { budget, scope: "account", heldWouldFree: true } as const;
      await job.giveBack(nameOf(waits), { why: "budget", ...refusal });
      expect(await job.claim("t")).toEqual({ outcome: "nothing" });
      await job.commit(nameOf(done), resultOf(done));
      await until(() => expect(others.forgotten).toHaveLength(1));
      expect(await job.claim("t")).toMatchObject({ outcome: "claimed" });
    });
  });
});

describe("the Dispatcher", () => {
  test("hears that nothing is left to do, and that there is again", async () => {
    const { others } = made;
    const [enter, leave] = [`enter ${made.id} of ada`, `leave ${made.id}`];
    await made.wake(async (job, storage) => {
      await job.create(made.newJob([1]));
      await until(() => expect(others.turns).toEqual([enter]));
      const claim = claimOf(await job.claim("t"));
      await until(() => expect(others.turns).toEqual([enter, leave]));
      await job.giveBack(nameOf(claim), { why: "stopped" });
      await until(() => expect(others.turns).toEqual([enter, leave, enter]));
      await job.claim("t");
      await until(() => expect(others.turns).toEqual([enter, leave, enter, leave]));
      const leaseEnd = NOON + TICKET_LEASE_MS;
      await until(async () => expect(await storage.getAlarm()).toBeLessThanOrEqual(leaseEnd));
    });
    vi.setSystemTime(NOON + TICKET_LEASE_MS);
    await made.wake(async (job) => {
      await job.alarm();
      await until(() => expect(others.turns.slice(4)).toEqual([enter]));
    });
  });

  test("hears it again from a Job that starts again, and only then", async () => {
    const { others } = made;
    await made.wake((job) => job.create(made.newJob([1])));
    await until(() => expect(others.turns).toHaveLength(1));
    await made.wake(async (job) => {
      for (const _ of [1, 2]) await job.record();
      await until(() => expect(others.turns).toHaveLength(2));
      await job.record();
      expect(others.turns).toHaveLength(2);
    });
  });

  test("hears that a cancelled Job has left, also when that failed and the object was gone", async () => {
    const { others } = made;
    others.deaf.add("leave");
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      await until(() => expect(others.turns).toHaveLength(1));
      expect(await job.cancel()).toMatchObject({ state: "cancelled" });
      await until(() => expect(others.failures).toBe(1));
    });
    others.deaf.clear();
    await made.wake(async (job) => {
      await job.alarm();
      await until(() => expect(others.turns).toEqual([expect.anything(), `leave ${made.id}`]));
    });
  });

  test("hears again of a Job that has work, where the answer to its leaving was lost", async () => {
    const { others } = made;
    const budget = { granted: 9, spent: 9, held: 0, available: 0, needed: 1 };
    const refusal = { why: "budget", budget, scope: "account", heldWouldFree: false } as const;
    await made.wake(async (job) => {
      await job.create(made.newJob([1]));
      await until(() => expect(others.turns).toHaveLength(1));
      // The Dispatcher may have done what it could not answer.
      others.deaf.add("leave");
      await job.giveBack(nameOf(claimOf(await job.claim("t"))), refusal);
      await until(() => expect(others.failures).toBe(1));
      await job.tokensChanged();
      vi.setSystemTime(NOON + 60_000);
      await job.alarm();
      await until(() => expect(others.turns).toEqual(Array(2).fill(`enter ${made.id} of ada`)));
    });
  });

  test("hears of a Job that waits for tokens when it tries again, or when there are more", async () => {
    const { others } = made;
    const budget = { granted: 9, spent: 9, held: 0, available: 0, needed: 1 };
    const refusal = { why: "budget", budget, scope: "account", heldWouldFree: false } as const;
    await made.wake(async (job, storage) => {
      await job.create(made.newJob([1]));
      await until(() => expect(others.turns).toHaveLength(1));
      await job.giveBack(nameOf(claimOf(await job.claim("t"))), refusal);
      await until(() => expect(others.turns).toHaveLength(2));
      vi.setSystemTime(NOON + PAUSE_RETRY_MS);
      await storage.deleteAlarm();
    });
    await made.wake(async (job) => {
      expect(await job.record()).toMatchObject({ state: "paused" });
      await until(() => expect(others.turns.at(-1)).toBe(`enter ${made.id} of ada`));
      await job.giveBack(nameOf(claimOf(await job.claim("t"))), refusal);
      await until(() => expect(others.turns.at(-1)).toBe(`leave ${made.id}`));
      await job.tokensChanged();
      await until(() => expect(others.turns.at(-1)).toBe(`enter ${made.id} of ada`));
    });
  });
});

describe("the person's list", () => {
  test("hears of another state at once, and of more progress once a second", async () => {
    const { others } = made;
    const heard = () => others.records.map(({ state, counts }) => [state, counts.succeeded]);
    await made.wake(async (job, storage) => {
      await job.create(made.newJob([1, 1, 1, 1]));
      await workOff(job);
      await until(() => expect(heard().at(-1)?.[0]).toBe("running"));
      const [before] = [heard().length, await workOff(job), await workOff(job)];
      expect(heard()).toHaveLength(before);
      expect(await storage.getAlarm()).toBeLessThanOrEqual(NOON + 1_000);
      vi.setSystemTime(NOON + 1_000);
      await job.alarm();
      await until(() => expect(heard().at(-1)).toEqual(["running", 3]));
      await workOff(job);
      await until(() => expect(heard().at(-1)).toEqual(["completed", 4]));
      const versions = others.records.map(({ version }) => version);
      expect(versions).toEqual([...versions].sort((one, other) => one - other));
    });
  });
});

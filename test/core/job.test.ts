// A Job's slices, call by call.
import { describe, expect, test } from "vitest";
import {
  SLICE_ATTEMPTS_MOST,
  SLICE_REST_MS,
  TICKET_LEASE_MS,
} from "../../src/contract/job-limits.ts";
import { recordOf } from "../../src/core/job-record.ts";
import { nextChange } from "../../src/core/job-state.ts";
import { JobWorld, START, type Worker } from "./job-world.ts";

/** The worker of a claim that is given now. */
function claim(world: JobWorld): Worker {
  const before = world.workers.length;
  world.claim("none");
  const worker = world.workers[before];
  if (worker === undefined) throw new Error("there was nothing to claim");
  return worker;
}

function claimsNothing(world: JobWorld): boolean {
  const before = world.workers.length;
  world.claim("none");
  return world.workers.length === before;
}

function standing(world: JobWorld) {
  return recordOf(world.book, world.now);
}

describe("claims", () => {
  test("are of the first slice that nobody has, each for one alone", () => {
    const world = new JobWorld([2, 3, 4]);
    expect(standing(world)).toMatchObject({ state: "queued", startedAt: null });
    const claims = [claim(world), claim(world)].map((worker) => worker.claim);
    expect(claims).toMatchObject([
      { slice: { from: 0, items: 2, offset: 0, bytes: 20 }, attempt: 1, holdId: "job-0-1" },
      { slice: { from: 2, items: 3, offset: 20, bytes: 30 }, attempt: 1, holdId: "job-2-1" },
    ]);
    expect(claims[0]).toMatchObject({ inputKey: "input", personId: "person", failAll: false });
    expect(standing(world)).toMatchObject({ state: "running", startedAt: START });
  });

  test("are anybody's once their lease is over, and what came of the older one is not taken", () => {
    const world = new JobWorld([2, 2]);
    const slow = claim(world);
    world.pass(TICKET_LEASE_MS - 1);
    expect(claim(world).claim.slice.from).toBe(2);
    expect(claimsNothing(world)).toBe(true);
    world.pass(1);
    const second = claim(world);
    expect(second.claim).toMatchObject({ slice: { from: 0 }, attempt: 2, holdId: "job-0-2" });
    world.commit(slow, 0, "none");
    expect(slow.state).toBe("gone");
    world.commit(second, 0, "none");
    expect(standing(world).usage).toEqual({ promptTokens: 2, completionTokens: 2 });
  });

  test("are still their worker's after the lease, while nobody else has come", () => {
    const world = new JobWorld([2]);
    const slow = claim(world);
    world.pass(2 * TICKET_LEASE_MS);
    world.commit(slow, 0, "none");
    expect(standing(world).state).toBe("completed");
  });

  test("last as long as they are renewed, which is seldom a write", () => {
    const world = new JobWorld([1]);
    const worker = claim(world);
    for (let second = 0; second < 200; second += 1) {
      world.pass(1_000);
      world.renew(worker, "none");
      expect(claimsNothing(world)).toBe(true);
    }
    const { until } = world.book.slices[0] ?? {};
    world.renew(worker, "none");
    expect(world.book.slices[0]?.until).toBe(until);
  });

  test("that were given back are the next, whichever were claimed meanwhile", () => {
    const world = new JobWorld([1, 1, 1]);
    const first = claim(world);
    claim(world);
    world.giveBack(first, { why: "stopped" }, "none");
    expect(claim(world).claim).toMatchObject({ slice: { from: 0 }, attempt: 2 });
    expect(claim(world).claim.slice.from).toBe(2);
  });
});

describe("a slice that is split", () => {
  test("is two, and the claim goes on with the first, also where it says so twice", () => {
    const world = new JobWorld([5, 1]);
    const worker = claim(world);
    const rest = { from: 2, offset: 20 };
    world.giveBack(worker, { why: "split", rest }, "none");
    world.giveBack(worker, { why: "split", rest }, "none");
    expect(world.book.slices.map(({ from, items, bytes }) => [from, items, bytes])).toEqual([
      [0, 2, 20],
      [2, 3, 30],
      [5, 1, 10],
    ]);
    expect(claim(world).claim.slice).toMatchObject({ from: 2, items: 3, offset: 20, bytes: 30 });
    world.commit(worker, 0, "none");
    expect(standing(world).counts).toEqual({ total: 6, succeeded: 2, failed: 0 });
  });

  test("is not split where its items do not reach", () => {
    const world = new JobWorld([3, 3]);
    const worker = claim(world);
    for (const from of [0, 3, 4]) {
      world.giveBack(worker, { why: "split", rest: { from, offset: from * 10 } }, "none");
    }
    expect(world.book.slices).toHaveLength(2);
  });
});

describe("a slice whose workers break", () => {
  test("rests for a while that doubles, while the others go on", () => {
    const world = new JobWorld([1, 1]);
    for (const waitMs of [SLICE_REST_MS, 2 * SLICE_REST_MS, 4 * SLICE_REST_MS]) {
      const worker = claim(world);
      expect(worker.claim.slice.from).toBe(0);
      world.giveBack(worker, { why: "broke" }, "none");
      const other = claim(world);
      expect(other.claim.slice.from).toBe(1);
      expect(nextChange(world.book, world.now)).toBe(world.now + waitMs);
      world.giveBack(other, { why: "stopped" }, "none");
      world.pass(waitMs);
    }
  });

  test("is given out to be failed after so many, whether they said so or died", () => {
    const world = new JobWorld([2]);
    for (let death = 0; death < SLICE_ATTEMPTS_MOST; death += 1) {
      const worker = claim(world);
      expect(worker.claim.failAll).toBe(false);
      if (death % 2 === 0) world.giveBack(worker, { why: "broke" }, "none");
      world.pass(2_000_000);
    }
    const last = claim(world);
    expect(last.claim).toMatchObject({ failAll: true, attempt: SLICE_ATTEMPTS_MOST + 1 });
    world.commit(last, 0, "none");
    expect(standing(world)).toMatchObject({
      ...{ state: "completed", counts: { total: 2, succeeded: 0, failed: 2 } },
      usage: { promptTokens: 0, completionTokens: 0 },
    });
  });

  test("fails the Job when not even that can be done, and keeps what is done", () => {
    const world = new JobWorld([1, 1]);
    world.commit(claim(world), 0, "none");
    for (let death = 0; death < 2 * SLICE_ATTEMPTS_MOST; death += 1) {
      world.giveBack(claim(world), { why: "broke" }, "none");
      world.pass(2_000_000);
    }
    expect(claimsNothing(world)).toBe(true);
    const { state, failure, counts, endedAt } = standing(world);
    expect({ state, counts }).toEqual({
      ...{ state: "failed", counts: { total: 2, succeeded: 1, failed: 0 } },
    });
    expect(failure).toContain("submit the other items again");
    expect(endedAt).toBe(world.now);
    expect(world.download()).toEqual(["0 by 1"]);
  });

  test("dies no death by being stopped, however often", () => {
    const world = new JobWorld([1]);
    for (let stop = 0; stop < 3 * SLICE_ATTEMPTS_MOST; stop += 1) {
      world.giveBack(claim(world), { why: "stopped" }, "none");
    }
    expect(claim(world).claim.failAll).toBe(false);
  });
});

describe("cancelling", () => {
  test("ends a Job of which nothing runs at once", () => {
    const world = new JobWorld([1, 1]);
    world.cancel("none");
    const at = world.now;
    world.pass(5);
    world.cancel("none");
    const ended = { state: "cancelled", cancelledAt: at, endedAt: at };
    expect(standing(world)).toMatchObject(ended);
    expect(claimsNothing(world)).toBe(true);
  });

  test("stops who works, counts and charges what is done by then, and ends with the last", () => {
    const world = new JobWorld([2, 2, 2]);
    const [done, stopped] = [claim(world), claim(world)];
    world.cancel("none");
    expect(standing(world)).toMatchObject({ state: "running", cancelledAt: START, endedAt: null });
    world.renew(stopped, "none");
    expect(stopped.state).toBe("gone");
    world.commit(done, 1, "none");
    expect(standing(world).endedAt).toBeNull();
    world.giveBack(stopped, { why: "stopped" }, "none");
    expect(standing(world)).toMatchObject({
      ...{ state: "cancelled", endedAt: START, counts: { total: 6, succeeded: 1, failed: 1 } },
    });
    world.comeToRest();
    expect([...world.charges.keys()]).toEqual(["job-0-1"]);
  });

  test("waits for a dead worker no longer than its lease, and takes nothing from it then", () => {
    const world = new JobWorld([1]);
    const dead = claim(world);
    world.cancel("none");
    expect(nextChange(world.book, world.now)).toBe(START + TICKET_LEASE_MS);
    world.pass(TICKET_LEASE_MS);
    world.commit(dead, 0, "none");
    expect(dead.state).toBe("gone");
    expect(standing(world)).toMatchObject({ state: "cancelled", counts: { succeeded: 0 } });
  });

  test("comes with the word that the person is disabled", () => {
    const world = new JobWorld([1, 1]);
    world.giveBack(claim(world), { why: "disabled" }, "none");
    expect(standing(world).state).toBe("cancelled");
  });

  test("changes nothing of a Job that has ended", () => {
    const world = new JobWorld([1]);
    world.commit(claim(world), 0, "none");
    world.cancel("none");
    expect(standing(world)).toMatchObject({ state: "completed", cancelledAt: null });
  });
});

describe("results", () => {
  test("end before the first slice that is to come, and have all that is done once it has ended", () => {
    const world = new JobWorld([1, 1, 1]);
    const [first, , third] = [claim(world), claim(world), claim(world)];
    world.commit(third as Worker, 0, "none");
    expect(world.download()).toEqual([]);
    world.commit(first, 0, "none");
    expect(world.download()).toEqual(["0 by 1"]);
    world.cancel("none");
    world.pass(TICKET_LEASE_MS);
    world.renew(first, "none");
    expect(world.download()).toEqual(["0 by 1", "2 by 1"]);
  });

  test("are of exactly the slice's items, or they are not taken", () => {
    const world = new JobWorld([3]);
    const worker = claim(world);
    worker.items = 2;
    expect(() => world.commit(worker, 0, "none")).toThrow("a worker knows what it has");
    expect(standing(world)).toMatchObject({ state: "running", counts: { succeeded: 0 } });
  });
});

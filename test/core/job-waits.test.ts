// What a Job waits for, and when it goes on.
import { beforeEach, describe, expect, test } from "vitest";
import {
  HELD_RETRY_MS,
  HELD_SHOWN_AFTER_MS,
  MODEL_WAIT_DOUBTED_MS,
  PAUSE_RETRY_MS,
  RATE_WINDOW_JOB_MS,
} from "../../src/contract/job-limits.ts";
import { recordOf } from "../../src/core/job-record.ts";
import { claimable, nextChange } from "../../src/core/job-state.ts";
import { budget, JobWorld, START, type Worker } from "./job-world.ts";

let world: JobWorld;
beforeEach(() => {
  world = new JobWorld([1, 1, 1, 1]);
});

/** The worker of a claim that is given now; null when there is none. */
function claim(): Worker | null {
  const before = world.workers.length;
  world.claim("none");
  return world.workers[before] ?? null;
}

function claimed(): Worker {
  const worker = claim();
  if (worker === null) throw new Error("there was nothing to claim");
  return worker;
}

function refused(worker: Worker, heldWouldFree = false): void {
  world.giveBack(worker, { why: "budget", budget, scope: "key", heldWouldFree }, "none");
}

function standing() {
  return recordOf(world.book, world.now);
}

const paused = { reason: "budget_exceeded", since: START, budget, scope: "key" };

describe("a Job without tokens", () => {
  test("is paused with the figures, and has nothing to do", () => {
    refused(claimed());
    expect(standing()).toMatchObject({ state: "paused", pause: paused });
    expect(claim()).toBeNull();
    expect(nextChange(world.book, world.now)).toBe(START + PAUSE_RETRY_MS);
  });

  test("tries with one slice after a while, and stays paused when that is refused", () => {
    refused(claimed());
    world.pass(PAUSE_RETRY_MS);
    const probe = claimed();
    expect(standing()).toMatchObject({ state: "paused", pause: paused });
    expect(claim()).toBeNull();
    refused(probe);
    expect(standing().pause).toEqual(paused);
    expect(nextChange(world.book, world.now)).toBe(world.now + PAUSE_RETRY_MS);
  });

  test("goes on when the slice that it tried with is done", () => {
    refused(claimed());
    world.pass(PAUSE_RETRY_MS);
    world.commit(claimed(), 0, "none");
    expect(standing()).toMatchObject({ state: "running", pause: null });
    expect([claim(), claim()]).not.toContain(null);
  });

  test("tries with another where the first one's worker stopped or died", () => {
    refused(claimed());
    world.pass(PAUSE_RETRY_MS);
    world.giveBack(claimed(), { why: "stopped" }, "none");
    claimed();
    world.pass(PAUSE_RETRY_MS * 2);
    expect(claim()).not.toBeNull();
    expect(claim()).toBeNull();
  });

  test("goes on at once when there may be more", () => {
    refused(claimed());
    world.pass(5);
    world.tokensChanged("none");
    expect(standing()).toMatchObject({ state: "running", pause: null });
    expect([claim(), claim(), claim(), claim()]).not.toContain(null);
  });

  test("does not pause for what was refused before there were more", () => {
    const worker = claimed();
    world.pass(5);
    world.tokensChanged("none");
    refused(worker);
    expect(standing().state).toBe("running");
    world.pass(1);
    refused(claimed());
    expect(standing().state).toBe("paused");
  });

  test("is not set going by a slice that was held for before it paused", () => {
    const [held, other] = [claimed(), claimed()];
    refused(other);
    world.commit(held, 0, "none");
    expect(standing().state).toBe("paused");
  });
});

describe("a Job whose tokens are held by what runs", () => {
  test("is not shown as paused, and tries again within about a second", () => {
    refused(claimed(), true);
    expect(standing()).toMatchObject({ state: "running", pause: null });
    expect(claim()).toBeNull();
    expect(nextChange(world.book, world.now)).toBe(START + HELD_RETRY_MS);
    world.pass(HELD_RETRY_MS);
    expect([claim(), claim()]).not.toContain(null);
  });

  test("is shown as paused when that lasts", () => {
    for (let waited = 0; waited < HELD_SHOWN_AFTER_MS; waited += HELD_RETRY_MS) {
      refused(claimed(), true);
      expect(standing().state).toBe("running");
      world.pass(HELD_RETRY_MS);
    }
    expect(standing()).toMatchObject({ state: "paused", pause: paused });
  });

  test("tries again at once when its own settlement has given tokens free", () => {
    const [done, waits] = [claimed(), claimed()];
    world.commit(done, 0, "none");
    refused(waits, true);
    expect(claimable(world.book, world.now)).toBeNull();
    world.settle(true, "none");
    expect(claim()).not.toBeNull();
  });
});

describe("a Job whose Model is not there", () => {
  test.each(["model_starting", "spend_cap"] as const)("is paused for %s until it is", (reason) => {
    world.modelWaits(reason, "none");
    world.pass(7);
    world.modelWaits(reason, "none");
    const pause = { reason, since: START, budget: null, scope: null };
    expect(standing()).toMatchObject({ state: "paused", pause });
    expect(claimable(world.book, world.now)).not.toBeNull();
    world.modelWaits(null, "none");
    expect(standing()).toMatchObject({ state: "queued", pause: null });
  });

  test("is paused no more when a turn comes long after", () => {
    claimed();
    world.modelWaits("spend_cap", "none");
    world.pass(MODEL_WAIT_DOUBTED_MS - 1);
    claimed();
    expect(standing().state).toBe("paused");
    world.pass(1);
    claimed();
    expect(standing().state).toBe("running");
  });

  test("is paused for tokens where it waits for these too, and only for these", () => {
    const worker = claimed();
    world.modelWaits("model_starting", "none");
    refused(worker);
    expect(standing().pause?.reason).toBe("budget_exceeded");
    world.tokensChanged("none");
    expect(standing().state).toBe("running");
  });

  test("waits no more when it was cancelled", () => {
    claimed();
    world.modelWaits("spend_cap", "none");
    world.cancel("none");
    expect(standing()).toMatchObject({ state: "running", pause: null });
  });
});

describe("when a Job will be done", () => {
  /** So many slices of one item each, one after the other. */
  function work(slices: number, msEach: number): void {
    for (let slice = 0; slice < slices; slice += 1) {
      const worker = claimed();
      world.pass(msEach);
      world.commit(worker, 0, "none");
    }
  }

  test("is foreseen by the rate of the last minutes", () => {
    world = new JobWorld(Array(1_000).fill(1));
    work(1, 1_000);
    expect(standing().etaSeconds).toBeNull();
    work(9, 1_000);
    expect(standing().etaSeconds).toBe(990);
    work(400, 500);
    const sinceFast = standing().etaSeconds;
    expect(sinceFast).toBeGreaterThanOrEqual(295);
    expect(sinceFast).toBeLessThanOrEqual(300);
  });

  test("is not known while it waits, after it, and once nothing has been done for long", () => {
    world = new JobWorld(Array(100).fill(1));
    work(10, 1_000);
    const worker = claimed();
    expect(standing().etaSeconds).not.toBeNull();
    world.pass(RATE_WINDOW_JOB_MS + 10_000);
    expect(standing().etaSeconds).toBeNull();
    refused(worker);
    world.tokensChanged("none");
    work(2, 1_000);
    expect(standing().etaSeconds).toBeNull();
    work(3, 1_000);
    expect(standing().etaSeconds).toBe(85);
  });

  test("is foreseen without the pause that it comes out of, whatever was done in that", () => {
    world = new JobWorld(Array(100).fill(1));
    work(10, 1_000);
    const [late, poor] = [claimed(), claimed()];
    refused(poor);
    world.pass(1_000);
    world.commit(late, 0, "none");
    world.pass(40_000);
    world.tokensChanged("none");
    work(5, 1_000);
    expect(standing().etaSeconds).toBe(84);
  });
});

// What holds of a Job whatever happens to its workers, to the answers they wait for, and to its memory.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextClosing } from "../../src/core/job-closings.ts";
import { recordOf } from "../../src/core/job-record.ts";
import { claimable, hasLiveClaims, nextChange } from "../../src/core/job-state.ts";
import { lives, take } from "./job-steps.ts";
import { JobWorld } from "./job-world.ts";
import { sumOf } from "./ledger-commands.ts";
import { numRuns } from "./property-runs.ts";

interface Checks {
  stops?: boolean;
  each?: (world: JobWorld) => void;
  atRest?: (world: JobWorld) => void;
}

function always({ stops = true, each = () => {}, atRest = () => {} }: Checks): void {
  fc.assert(
    fc.property(lives({ stops }), ([items, steps]) => {
      const world = new JobWorld(items);
      for (const step of steps) {
        take(world, step);
        each(world);
      }
      world.comeToRest();
      atRest(world);
    }),
    { numRuns: numRuns * 2 },
  );
}

describe("whoever dies, and whenever memory is lost", () => {
  test("a Job that nobody stops has each of its lines once, in the input's order", () => {
    always({
      stops: false,
      atRest: (world) => {
        const { counts, state } = recordOf(world.book, world.now);
        const lines = world.download().map((line) => Number.parseInt(line, 10));
        expect(state).toBe("completed");
        expect(lines).toEqual(Array.from({ length: counts.total }, (_, item) => item));
        expect(counts.succeeded + counts.failed).toBe(counts.total);
      },
    });
  });

  test("the counts, the usage and the errors are those of the slices that are done", () => {
    always({
      each: ({ book }) => {
        const { counts, errors } = book.progress;
        const done = book.slices.filter(({ state }) => state === "done");
        expect(counts.succeeded + counts.failed).toBe(sumOf(done, ({ items }) => items));
        expect(sumOf(errors, ({ count }) => count)).toBe(counts.failed);
        const parts = sumOf(done, ({ part }) => part?.succeededBytes ?? 0);
        expect(counts.succeeded * 7).toBe(parts);
      },
    });
  });

  test("each slice that is done is charged once, with the usage of the attempt that counts", () => {
    always({
      atRest: ({ book, charges }) => {
        const done = book.slices.filter(({ state }) => state === "done");
        expect(charges.size).toBe(done.length);
        for (const [holdId, settlements] of charges)
          expect([holdId, settlements.length]).toEqual([holdId, 1]);
        for (const { from, attempt } of done)
          expect(charges.has(`job-${from}-${attempt}`)).toBe(true);
        const charged = [...charges.values()].flat();
        const { promptTokens, completionTokens } = book.progress.usage;
        expect(sumOf(charged, ({ usage }) => usage.promptTokens)).toBe(promptTokens);
        expect(sumOf(charged, ({ usage }) => usage.completionTokens)).toBe(completionTokens);
        expect(sumOf(charged, ({ requests }) => requests)).toBe(book.progress.counts.succeeded);
      },
    });
  });

  test("what was answered to be committed stays so", () => {
    always({
      each: ({ book, committed }) => {
        const done = book.slices.filter(({ state }) => state === "done");
        const items = new Map(
          done.map((slice) => [`job-${slice.from}-${slice.attempt}`, slice.items]),
        );
        for (const [holdId, count] of committed) expect(items.get(holdId)).toBe(count);
      },
    });
  });

  test("what could be downloaded stays where it is, and only grows", () => {
    const seen = new WeakMap<JobWorld, string[]>();
    const look = (world: JobWorld) => {
      const before = seen.get(world) ?? [];
      const lines = world.download();
      expect(lines.slice(0, before.length)).toEqual(before);
      seen.set(world, lines);
    };
    always({ each: look, atRest: look });
  });

  test("nothing is claimed of a Job that was cancelled, and all that ran ends", () => {
    const claims = new WeakMap<JobWorld, number>();
    always({
      each: (world) => {
        const { book, workers } = world;
        if (book.progress.cancelledAt === null) return;
        expect(workers.length).toBe(claims.get(world) ?? workers.length);
        claims.set(world, workers.length);
      },
      atRest: ({ book, now }) => {
        const wasCancelled = book.progress.cancelledAt !== null;
        if (wasCancelled) expect(recordOf(book, now).state).toBe("cancelled");
        expect(hasLiveClaims(book, now)).toBe(false);
      },
    });
  });

  test("the Account ends with no Hold, and keeps no ending of the Job's", () => {
    always({
      atRest: ({ book, holds, endings }) => {
        expect([holds.size, endings.size]).toEqual([0, 0]);
        expect(nextClosing(book)).toBeNull();
      },
    });
  });

  test("there is always something to claim, somebody at work, or a time to look again", () => {
    always({
      each: (world) => {
        // As the alarm does, which was set for what came due.
        world.call("none", () => {});
        const { book, now } = world;
        if (book.progress.endedAt !== null) return;
        const next = nextChange(book, now);
        if (next !== null) expect(next).toBeGreaterThan(now);
        else expect(claimable(book, now)).not.toBeNull();
      },
    });
  });

  test("the slices are the input, without gaps and overlaps", () => {
    always({
      each: ({ book }) => {
        let [item, offset] = [0, 0];
        for (const slice of book.slices) {
          expect([slice.from, slice.offset]).toEqual([item, offset]);
          item += slice.items;
          offset += slice.bytes;
        }
        expect([item, offset]).toEqual([book.items, book.items * 10]);
      },
    });
  });
});

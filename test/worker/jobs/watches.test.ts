// Watches that go from call to call, under a clock that only the test moves.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Watches } from "../../../src/worker/jobs/watches.ts";

const MINUTE = 60_000;

let slice: AbortController;
let watches: Watches;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  slice = new AbortController();
  watches = new Watches(slice.signal);
});

afterEach(() => {
  watches.end();
  vi.useRealTimers();
});

test("a call that ended leaves its watch to the next", async () => {
  const first = await watches.use(async (watch) => watch);
  expect(await watches.use(async (watch) => watch)).toBe(first);
});

test("calls at once have a watch each", async () => {
  const both = await watches.use((first) => watches.use(async (second) => [first, second]));
  expect(new Set(both).size).toBe(2);
});

test("what a call waited for does not reach the next", async () => {
  const late = vi.fn();
  const told = vi.fn();
  await watches.use(async (watch) => {
    watch.wait(MINUTE, late);
    watch.every(MINUTE, late);
    watch.onStop(told);
  });
  await watches.use(async (watch) => {
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    watch.stop({ why: "client_left" });
  });
  expect(late).not.toHaveBeenCalled();
  expect(told).not.toHaveBeenCalled();
});

test("a wait of the next call ends in time, whatever timer the call before it left", async () => {
  const late = vi.fn();
  await watches.use(async (watch) => watch.wait(2 * MINUTE, () => undefined));
  await watches.use(async (watch) => {
    watch.wait(MINUTE, late);
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(late).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
  });
  expect(late).toHaveBeenCalledTimes(1);
});

test("a call that was stopped takes its watch with it", async () => {
  const stopped = await watches.use(async (watch) => {
    watch.stop({ why: "client_left" });
    return watch;
  });
  const next = await watches.use(async (watch) => watch);
  expect(next).not.toBe(stopped);
  expect(next.signal.aborted).toBe(false);
});

test("a call that fails leaves its watch too", async () => {
  const failing = watches.use(async () => {
    throw new Error("broke off");
  });
  await expect(failing).rejects.toThrow("broke off");
  expect(await watches.use(async ({ signal }) => signal.aborted)).toBe(false);
});

test("a slice that is stopped stops each of its calls", async () => {
  const signals = await watches.use((first) =>
    watches.use(async (second) => {
      slice.abort();
      return [first.signal.aborted, second.signal.aborted];
    }),
  );
  expect(signals).toEqual([true, true]);
  expect(await watches.use(async ({ signal }) => signal.aborted)).toBe(true);
});

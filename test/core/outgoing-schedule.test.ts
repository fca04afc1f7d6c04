// When a delivery is tried again, and when an endpoint is given up.
import { describe, expect, test } from "vitest";
import {
  isGivenUp,
  judgeAttempt,
  nextTry,
  RETRIES_AFTER_MS,
  stillFailing,
} from "../../src/core/outgoing-schedule.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("an attempt", () => {
  const answered = (status: number | null) =>
    judgeAttempt({ at: 0, durationMs: 1, status, problem: status === null ? "timeout" : null });

  test("is a delivery where the answer is 2xx, and nowhere else", () => {
    expect([200, 204, 299].map(answered)).toEqual(["delivered", "delivered", "delivered"]);
    expect([199, 301, 307, 400, 404, 429, 500, 503].map(answered)).toEqual(Array(8).fill("failed"));
    expect(answered(null)).toBe("failed");
  });

  test("says with 410 that nothing may come any more", () => {
    expect(answered(410)).toBe("gone");
  });
});

test("a delivery is tried ten times, at the times that Standard Webhooks propose", () => {
  const waits = "5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h";
  const shown = RETRIES_AFTER_MS.map((ms) => {
    if (ms < 60_000) return `${ms / 1_000} s`;
    return ms < HOUR_MS ? `${ms / 60_000} min` : `${ms / HOUR_MS} h`;
  });
  expect(shown.join(", ")).toBe(waits);
  expect(nextTry(1, 1_000)).toBe(6_000);
  expect(nextTry(9, 0)).toBe(DAY_MS);
  expect(nextTry(10, 0)).toBeNull();
});

describe("an endpoint", () => {
  /** After an attempt that failed at each of these times. */
  function afterFailures(...times: readonly number[]) {
    let failing = null;
    for (const at of times) failing = stillFailing(failing, at);
    if (failing === null) throw new Error("no attempt failed");
    return failing;
  }

  test("is given up when every attempt of five days has failed", () => {
    const daily = [0, 1, 2, 3, 4].map((day) => day * DAY_MS);
    expect(isGivenUp(afterFailures(...daily, 5 * DAY_MS - 1))).toBe(false);
    expect(isGivenUp(afterFailures(...daily, 5 * DAY_MS))).toBe(true);
  });

  test("is not given up for single failures that lie days apart", () => {
    expect(isGivenUp(afterFailures(0, 3 * DAY_MS, 6 * DAY_MS, 9 * DAY_MS))).toBe(false);
  });
});

import { describe, expect, test } from "vitest";
import type { PublicError } from "../../src/contract/errors.ts";
import {
  ITEM_ATTEMPTS_MOST,
  ITEM_RETRY_AFTER_MS,
  OVERLOAD_RETRY_MOST_MS,
} from "../../src/contract/job-limits.ts";
import { afterFailure, type FailedAttempt } from "../../src/core/item-retry.ts";

const HOUR_MS = 3_600_000;

function fail(code: PublicError["code"], change: Partial<FailedAttempt> = {}) {
  const error: PublicError = { code, message: "of a test" };
  const first = { faults: 1, overloads: 1 };
  return afterFailure({
    ...{ error, unreachable: false, attempts: first, now: 0, until: HOUR_MS },
    ...change,
  });
}

describe("an item that", () => {
  test("was refused for what it is has its answer", () => {
    expect(fail("invalid_request")).toEqual({ kind: "failed" });
  });

  test("found its Model Cold is no failure", () => {
    expect(fail("model_starting")).toEqual({ kind: "not_ready" });
  });

  test("met a fault is tried again after waits that double, and then has failed", () => {
    const after = Array.from({ length: ITEM_ATTEMPTS_MOST }, (_, at) =>
      fail("inference_failed", { attempts: { faults: at + 1, overloads: 0 } }),
    );
    const waits = after.slice(0, -1).map((one) => one.kind === "again" && one.waitMs);
    expect(waits).toEqual([1, 2, 4, 8].map((times) => times * ITEM_RETRY_AFTER_MS));
    expect(after.at(-1)).toEqual({ kind: "failed" });
  });

  test("met nobody is said to be away, not to have failed", () => {
    const attempts = { faults: ITEM_ATTEMPTS_MOST, overloads: 0 };
    expect(fail("inference_failed", { attempts, unreachable: true })).toEqual({ kind: "away" });
  });

  test("found no room waits again and again, at most half a minute at a time", () => {
    const attempts = { faults: 0, overloads: 100 };
    const again = { kind: "again", waitMs: OVERLOAD_RETRY_MOST_MS };
    expect(fail("inference_overloaded", { attempts })).toEqual(again);
  });

  test("found no room until its turn had to end goes back unharmed", () => {
    const attempts = { faults: 0, overloads: 3 };
    expect(fail("inference_overloaded", { attempts, until: 1 })).toEqual({ kind: "stopped" });
  });

  test("was told how long to wait waits so long", () => {
    const error: PublicError = { code: "inference_overloaded", message: "", retryAfterMs: 45_000 };
    expect(fail("inference_overloaded", { error })).toEqual({ kind: "again", waitMs: 45_000 });
  });

  test("met no room before its faults has as many tries left", () => {
    const attempts = { faults: 1, overloads: 50 };
    expect(fail("inference_failed", { attempts })).toMatchObject({
      waitMs: ITEM_RETRY_AFTER_MS,
    });
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RATE_WINDOW_MS } from "../../src/contract/limits.ts";
import { judgeStart, type RateState, rateFigures } from "../../src/core/rate-limit.ts";
import { numRuns } from "./property-runs.ts";

const NOW = Date.UTC(2026, 10, 30, 12);

/** Starts until the first refusal; how many there were, and the state then. */
function burst(state: RateState, perMinute: number, now: number) {
  for (let starts = 0, at = state; ; starts += 1) {
    const decision = judgeStart(at, perMinute, now);
    if (!decision.allowed) return { starts, state: at, retryAfterMs: decision.retryAfterMs };
    at = decision.next;
  }
}

/**
 * A leaking bucket in whole numbers, so that nothing is ever rounded: a start pours in one window,
 * each millisecond lets `perMinute` out, and the bucket holds `perMinute` windows.
 */
class Bucket {
  #level = 0;
  #at = 0;
  readonly #perMinute: number;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** How many ms too early a start is now; 0 or less when it may be. */
  tooEarlyBy(now: number): number {
    this.#level = Math.max(0, this.#level - (now - this.#at) * this.#perMinute);
    this.#at = now;
    const over = this.#level + RATE_WINDOW_MS - this.#perMinute * RATE_WINDOW_MS;
    return over / this.#perMinute;
  }

  start(): void {
    this.#level += RATE_WINDOW_MS;
  }
}

const perMinutes = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 2_000 }));
const starts = fc.integer({ min: 0, max: 100_000 }).map((ms) => NOW + ms);

describe("starts a minute", () => {
  test("are judged as a leaking bucket judges them, to the millisecond", () => {
    const waits = fc.oneof(fc.constant(0), fc.nat({ max: 50 }), fc.nat({ max: 20_000 }));
    fc.assert(
      fc.property(
        perMinutes,
        fc.array(waits, { maxLength: 100, size: "max" }),
        (perMinute, list) => {
          const bucket = new Bucket(perMinute);
          let state: RateState = 0;
          let now = NOW;
          for (const wait of list) {
            now += wait;
            const early = bucket.tooEarlyBy(now);
            const decision = judgeStart(state, perMinute, now);
            if (early <= 0) expect(decision.allowed).toBe(true);
            if (early >= 1) expect(decision.allowed).toBe(false);
            if (!decision.allowed) {
              expect(Math.abs(decision.retryAfterMs - early)).toBeLessThan(1);
              continue;
            }
            state = decision.next;
            bucket.start();
          }
        },
      ),
      { numRuns },
    );
  });

  test("may all come at once, and not one more", () => {
    fc.assert(
      fc.property(perMinutes, starts, (perMinute, now) => {
        expect(burst(0, perMinute, now).starts).toBe(perMinute);
      }),
      { numRuns },
    );
  });

  test("are never more than a minute's burst and what time has freed since", () => {
    fc.assert(
      fc.property(perMinutes, starts, fc.nat({ max: 200_000 }), (perMinute, now, later) => {
        const first = burst(0, perMinute, now);
        const freed = Math.min(perMinute, Math.floor((later * perMinute) / RATE_WINDOW_MS));
        const second = burst(first.state, perMinute, now + later).starts;
        expect(second).toBeGreaterThanOrEqual(freed);
        // A start that comes half a millisecond early counts as on time: clocks tick in whole ones.
        expect(second).toBeLessThanOrEqual(freed + 1);
      }),
      { numRuns },
    );
  });

  test("that are refused are told the exact wait: one millisecond less is refused again", () => {
    fc.assert(
      fc.property(perMinutes, starts, fc.nat({ max: 90_000 }), (perMinute, now, later) => {
        const first = burst(0, perMinute, now);
        const { state, retryAfterMs } = burst(first.state, perMinute, now + later);
        const allowedAt = now + later + retryAfterMs;
        expect(Number.isInteger(retryAfterMs) && retryAfterMs >= 1).toBe(true);
        expect(judgeStart(state, perMinute, allowedAt).allowed).toBe(true);
        expect(judgeStart(state, perMinute, allowedAt - 1)).toEqual({
          allowed: false,
          retryAfterMs: 1,
        });
      }),
      { numRuns },
    );
  });

  test("remaining are as many as really start, and all of them after the reset", () => {
    fc.assert(
      fc.property(perMinutes, starts, fc.nat({ max: 2_000 }), (perMinute, now, taken) => {
        let state: RateState = 0;
        for (let left = Math.min(taken, perMinute); left > 0; left -= 1) {
          const decision = judgeStart(state, perMinute, now);
          if (decision.allowed) state = decision.next;
        }
        const at = now + (taken % 777);
        const { remaining, resetMs } = rateFigures(state, perMinute, at);
        // Where the time between starts is no whole millisecond, the last one may be half of one away.
        const slack = RATE_WINDOW_MS % perMinute === 0 ? 0 : 1;
        const really = burst(state, perMinute, at).starts;
        expect(Math.abs(remaining - really)).toBeLessThanOrEqual(slack);
        expect(rateFigures(state, perMinute, at + resetMs)).toEqual({
          remaining: perMinute,
          resetMs: 0,
        });
      }),
      { numRuns },
    );
  });

  test("of one person use up none of another's", () => {
    const tired = burst(0, 10, NOW);
    expect(judgeStart(0, 10, NOW).allowed).toBe(true);
    expect(judgeStart(tired.state, 10, NOW).allowed).toBe(false);
  });

  test("that are refused move nothing, however many there are", () => {
    const { state, retryAfterMs } = burst(0, 600, NOW);
    for (let tries = 0; tries < 1_000; tries += 1) judgeStart(state, 600, NOW + 10);
    expect(retryAfterMs).toBe(100);
    expect(judgeStart(state, 600, NOW + 100).allowed).toBe(true);
  });

  test("follow a changed limit at once", () => {
    const { state } = burst(0, 60, NOW);
    expect(judgeStart(state, 60, NOW + 500).allowed).toBe(false);
    expect(judgeStart(state, 600, NOW + 500).allowed).toBe(true);
    expect(judgeStart(state, 6, NOW + 9_999).allowed).toBe(false);
    expect(judgeStart(state, 6, NOW + 10_000).allowed).toBe(true);
  });
});

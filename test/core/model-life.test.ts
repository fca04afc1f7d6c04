import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  becomeCold,
  becomeWarm,
  begin,
  coolDown,
  expectedStartMs,
  type LifeRules,
  type ModelLife,
  newLife,
  noteProgress,
  noteUse,
  STALL_MS,
  START_AT_LEAST_MS,
  STARTS_KEPT,
} from "../../src/core/model-life.ts";

const rules: LifeRules = { idleMs: 300_000, alwaysOn: false, typicalStartMs: 120_000 };

function warmAt(now: number): ModelLife {
  const life = newLife(now);
  begin(life, now);
  becomeWarm(life, now);
  return life;
}

describe("a start", () => {
  test("is counted from the first who asked, however many ask", () => {
    const life = newLife(0);
    begin(life, 1_000);
    begin(life, 9_000);
    becomeWarm(life, 21_000);
    expect(life).toMatchObject({ state: "warm", startsTotal: 1 });
    expect(life.starts).toEqual([{ at: 1_000, durationMs: 20_000 }]);
  });

  test("is none when the backend was there all the time", () => {
    const life = newLife(0);
    begin(life, 0);
    becomeWarm(life, START_AT_LEAST_MS - 1);
    expect(life).toMatchObject({ state: "warm", startsTotal: 0, starts: [] });
  });

  test("that nobody waited for is forgotten", () => {
    const life = newLife(0);
    begin(life, 0);
    becomeCold(life);
    begin(life, 50_000);
    becomeWarm(life, 60_000);
    expect(life.starts).toEqual([{ at: 50_000, durationMs: 10_000 }]);
  });

  test("is expected to take the median of those before, and until then what the catalogue says", () => {
    const life = newLife(0);
    expect(expectedStartMs(life, rules)).toBe(120_000);
    for (const [at, durationMs] of [
      [0, 10_000],
      [100_000, 900_000],
      [2_000_000, 30_000],
    ] as const) {
      begin(life, at);
      becomeWarm(life, at + durationMs);
      becomeCold(life);
    }
    expect(expectedStartMs(life, rules)).toBe(30_000);
  });

  test("of long ago is forgotten, but counts", () => {
    const life = newLife(0);
    for (let start = 0; start < STARTS_KEPT + 5; start += 1) {
      begin(life, start * 10_000);
      becomeWarm(life, start * 10_000 + 5_000);
      becomeCold(life);
    }
    expect(life.starts).toHaveLength(STARTS_KEPT);
    expect(life.startsTotal).toBe(STARTS_KEPT + 5);
  });
});

describe("a Warm Model", () => {
  test("becomes Cold once nobody has used it for its idle time", () => {
    const life = warmAt(0);
    noteUse(life, 100_000);
    expect(coolDown(life, 100_000 + rules.idleMs - 1, rules)).toBe(false);
    expect(coolDown(life, 100_000 + rules.idleMs, rules)).toBe(true);
    expect(life.state).toBe("cold");
  });

  test("stays Warm where its containers always run", () => {
    const life = warmAt(0);
    expect(coolDown(life, 1e9, { ...rules, alwaysOn: true })).toBe(false);
  });

  test("is not ready when work runs and no token comes", () => {
    const life = warmAt(0);
    const stuck = { running: 2, tokens: 500 };
    expect(noteProgress(life, stuck, 0)).toBe(false);
    expect(noteProgress(life, stuck, STALL_MS - 1)).toBe(false);
    expect(noteProgress(life, stuck, STALL_MS)).toBe(true);
    expect(life.state).toBe("starting");
  });

  test("is ready as long as tokens come, or nothing runs", () => {
    const life = warmAt(0);
    noteProgress(life, { running: 2, tokens: 500 }, 0);
    expect(noteProgress(life, { running: 2, tokens: 501 }, STALL_MS)).toBe(false);
    expect(noteProgress(life, { running: 0, tokens: 501 }, 2 * STALL_MS)).toBe(false);
    expect(noteProgress(life, { running: 1, tokens: 501 }, 3 * STALL_MS)).toBe(false);
    expect(life.state).toBe("warm");
  });
});

test("whatever happens in whatever order, a start runs exactly while it is starting", () => {
  const step = fc.record({
    what: fc.constantFrom("begin", "warm", "cold", "use", "cool", "stuck"),
    afterMs: fc.integer({ min: 0, max: 400_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const life = newLife(0);
      let now = 0;
      for (const { what, afterMs } of steps) {
        now += afterMs;
        if (what === "begin") begin(life, now);
        if (what === "warm" && life.state === "starting") becomeWarm(life, now);
        if (what === "cold") becomeCold(life);
        if (what === "use") noteUse(life, now);
        if (what === "cool") coolDown(life, now, rules);
        if (what === "stuck") noteProgress(life, { running: 1, tokens: 1 }, now);
        expect(life.startingSince !== null).toBe(life.state === "starting");
        expect(JSON.parse(JSON.stringify(life))).toEqual(life);
        for (const { durationMs } of life.starts) {
          expect(durationMs).toBeGreaterThanOrEqual(START_AT_LEAST_MS);
        }
      }
    }),
  );
});

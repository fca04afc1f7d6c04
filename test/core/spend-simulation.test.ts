// The Spend limit's promise under a simulated clock; the inequality stands in the simulator's first lines.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Scenario, simulate } from "../../bench/spend-simulation/simulate.ts";
import { STATUS_FRESH_MS } from "../../src/contract/limits.ts";
import { TICK_MS } from "../../src/contract/spend.ts";
import { numRuns } from "./property-runs.ts";

const HOUR = 3_600_000;
const TURN = Date.UTC(2026, 11, 1);
const CENT = 0.01;

/** A simulated hour is some thousands of steps. */
const simulations = Math.ceil(numRuns / 15);
const TIMEOUT_MS = 30_000 + simulations * 1_000;

const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat(),
  // Above what the dearest start reserves: a limit below that is reached by its first request.
  limitUsd: fc.integer({ min: 20, max: 200 }),
  beginsAt: fc.constant(TURN - 8 * HOUR),
  hours: fc.constant(10),
  noticesLost: fc.constantFrom(0, 0.5, 1),
  requestRate: fc.constantFrom(0.001, 0.02),
});

function check(run: (scenario: Scenario) => void): void {
  fc.assert(fc.property(anyScenario, run), { numRuns: simulations, endOnFailure: true });
}

describe("with Models, containers, reports and isolates as they come", () => {
  test("a month passes its limit by no more than one tick and what was running", {
    timeout: TIMEOUT_MS,
  }, () => {
    let reached = 0;
    check((scenario) => {
      const { monthUsd, mayPassUsd, pauses } = simulate(scenario);
      expect(monthUsd).toBeLessThanOrEqual(scenario.limitUsd + mayPassUsd);
      reached += pauses.length;
    });
    expect(reached).toBeGreaterThan(simulations / 2);
  });

  test("nothing begins once every isolate has read the verdict, until the month turns", {
    timeout: TIMEOUT_MS,
  }, () => {
    check((scenario) => {
      const { pauses, begun, refused } = simulate(scenario);
      const [pause] = pauses;
      if (pause === undefined) return;
      const known = pause.at + STATUS_FRESH_MS + (scenario.noticesLost > 0 ? TICK_MS : 0);
      expect(begun.filter((at) => at > known && at < TURN)).toEqual([]);
      expect(pauses).toHaveLength(1);
      if (pause.at < TURN - 2 * HOUR) expect(refused).toBeGreaterThan(0);
      expect(begun.some((at) => at >= TURN)).toBe(true);
    });
  });

  test("what is metered is what the containers cost, and their silence where they say no goodbye", {
    timeout: TIMEOUT_MS,
  }, () => {
    check((scenario) => {
      const { trueUsd, meteredUsd, silentUsd } = simulate(scenario);
      expect(meteredUsd).toBeGreaterThan(trueUsd - CENT * scenario.hours);
      expect(meteredUsd).toBeLessThanOrEqual(trueUsd + silentUsd + CENT);
    });
  });
});

test("a limit that is raised lifts at once, and holds again where it is now", () => {
  const raise = { at: TURN - 4 * HOUR, limitUsd: 90 };
  const beginsAt = TURN - 8 * HOUR;
  const scenario = { seed: 1, limitUsd: 40, beginsAt, hours: 8, noticesLost: 0 };
  const outcome = simulate({ ...scenario, requestRate: 0.02, raise });
  const { pauses, begun, monthUsd, mayPassUsd } = outcome;
  expect(pauses.map(({ limitUsd }) => limitUsd)).toEqual([40, 90]);
  expect(pauses[0]?.at).toBeLessThan(raise.at);
  expect(begun.some((at) => at > raise.at && at < TURN)).toBe(true);
  expect(monthUsd).toBeGreaterThan(40);
  expect(monthUsd).toBeLessThanOrEqual(90 + mayPassUsd);
});

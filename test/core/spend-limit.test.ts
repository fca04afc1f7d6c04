import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpendDay, SpendTick } from "../../src/contract/spend.ts";
import {
  changeSpend,
  emptySpend,
  judgeSpend,
  MONTHS_KEPT,
  monthEnd,
  noteTick,
  oldestDay,
  RUNNING_TRUSTED_MS,
  type SpendLedger,
  spendOverview,
} from "../../src/core/spend-limit.ts";
import { numRuns } from "./property-runs.ts";

const NOON = Date.UTC(2026, 10, 11, 12);
const HOUR = 3_600_000;
const DECEMBER = Date.UTC(2026, 11, 1);
const byLimit = { paused: true, reason: "spend_limit", liftsAt: DECEMBER };
const byHand = { paused: true, reason: "by_hand", liftsAt: null };
const idle = { containers: 0, usdPerHour: 0, windDownUsd: 0 };

function spendDay(usd: number, rest: Partial<SpendDay> = {}): SpendDay {
  return { day: "2026-11-11", containerSeconds: usd * 1_000, usd, estimated: false, ...rest };
}

function tick(usd: number, rest: Partial<SpendTick> = {}): SpendTick {
  return { model: "large", at: NOON, days: [spendDay(usd)], running: idle, ...rest };
}

function running(windDownUsd: number) {
  return { containers: 1, usdPerHour: 36, windDownUsd };
}

/** A limit of 100 $ that has heard these. */
function ledgerOf(...ticks: SpendTick[]): SpendLedger {
  const ledger = emptySpend(100);
  for (const one of ticks) noteTick(ledger, one, NOON);
  return ledger;
}

describe("the limit", () => {
  test("is reached by what was spent and what runs will still cost until it is idle", () => {
    expect(judgeSpend(ledgerOf(tick(99.9)), NOON)).toEqual({ paused: false });
    expect(judgeSpend(ledgerOf(tick(100)), NOON)).toEqual(byLimit);
    expect(judgeSpend(ledgerOf(tick(97, { running: running(2.9) })), NOON).paused).toBe(false);
    expect(judgeSpend(ledgerOf(tick(97, { running: running(3) })), NOON)).toEqual(byLimit);
  });

  test("counts a start that is reserved in the millisecond of another tick", () => {
    const reserved = tick(97, { running: running(3) });
    expect(judgeSpend(ledgerOf(tick(97), reserved), NOON)).toEqual(byLimit);
    expect(judgeSpend(ledgerOf(reserved, tick(97)), NOON)).toEqual(byLimit);
  });

  test("counts all Models together", () => {
    const ledger = ledgerOf(tick(60), tick(39, { model: "small" }));
    expect(judgeSpend(ledger, NOON).paused).toBe(false);
    noteTick(ledger, tick(40, { model: "small", at: NOON + 1 }), NOON);
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
  });

  test("that was reached stays so when all has stopped and the reserve is free again", () => {
    const ledger = ledgerOf(tick(97, { running: running(3) }));
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
    noteTick(ledger, tick(98, { at: NOON + HOUR }), NOON + HOUR);
    expect(judgeSpend(ledger, NOON + HOUR)).toEqual(byLimit);
    changeSpend(ledger, { limitUsd: 100 });
    expect(judgeSpend(ledger, NOON + HOUR)).toEqual(byLimit);
  });

  test("lifts when it is raised above what is spent, not when it is put back", () => {
    const ledger = ledgerOf(tick(100));
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
    changeSpend(ledger, { limitUsd: 40 });
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
    changeSpend(ledger, { limitUsd: 100 });
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
    changeSpend(ledger, { limitUsd: 101 });
    expect(judgeSpend(ledger, NOON)).toEqual({ paused: false });
  });

  test("that was set too low by mistake lifts when it is set right", () => {
    const ledger = ledgerOf(tick(50));
    changeSpend(ledger, { limitUsd: 5 });
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
    changeSpend(ledger, { limitUsd: 100 });
    expect(judgeSpend(ledger, NOON)).toEqual({ paused: false });
  });

  test("lifts when the month turns in UTC, to the millisecond", () => {
    const ledger = ledgerOf(tick(100));
    expect(judgeSpend(ledger, DECEMBER - 1)).toEqual(byLimit);
    expect(judgeSpend(ledger, DECEMBER)).toEqual({ paused: false });
  });

  test("of nothing pauses everything, from the first of the month on", () => {
    const ledger = emptySpend(0);
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
    expect(judgeSpend(ledger, DECEMBER)).toMatchObject({ liftsAt: Date.UTC(2027, 0, 1) });
  });

  test("believes a Model that is silent for a while, but not for ever", () => {
    const ledger = ledgerOf(tick(97, { running: running(3) }));
    const late = NOON + RUNNING_TRUSTED_MS;
    expect(spendOverview(ledger, late - 1)).toMatchObject({ windDownUsd: 3, usdPerHour: 36 });
    expect(spendOverview(ledger, late)).toMatchObject({ windDownUsd: 0, usdPerHour: 0 });
  });
});

describe("a pause by hand", () => {
  test("holds whatever was spent, and ends by hand alone", () => {
    const ledger = ledgerOf(tick(1));
    changeSpend(ledger, { pausedByHand: true });
    expect(judgeSpend(ledger, NOON)).toEqual(byHand);
    expect(judgeSpend(ledger, DECEMBER)).toEqual(byHand);
    changeSpend(ledger, { pausedByHand: false });
    expect(judgeSpend(ledger, NOON)).toEqual({ paused: false });
  });

  test("that ends leaves a limit that was reached meanwhile", () => {
    const ledger = ledgerOf(tick(100));
    changeSpend(ledger, { pausedByHand: true });
    expect(judgeSpend(ledger, NOON)).toEqual(byHand);
    changeSpend(ledger, { pausedByHand: false });
    expect(judgeSpend(ledger, NOON)).toEqual(byLimit);
  });
});

describe("ticks", () => {
  const anyTick = fc
    .record({
      model: fc.constantFrom("large", "small"),
      at: fc.nat({ max: 1_000 }),
      days: fc.uniqueArray(
        fc.record({
          day: fc.constantFrom("2026-11-10", "2026-11-11", "2026-10-31"),
          containerSeconds: fc.nat({ max: 9_000 }),
          usd: fc.nat({ max: 50 }),
          estimated: fc.boolean(),
        }),
        { selector: ({ day }) => day, maxLength: 3 },
      ),
    })
    // One Model says one thing at one time.
    .map((one): SpendTick => {
      return { ...one, running: { containers: 1, usdPerHour: one.at, windDownUsd: one.at / 100 } };
    });

  test("in any order, and any of them twice, end in the same figures", () => {
    const dice = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(fc.array(anyTick, { maxLength: 12 }), dice, (ticks, rolls) => {
        const roll = () => rolls.next().value ?? 0;
        const repeated = ticks.flatMap((one) => (roll() % 2 === 0 ? [one, one] : [one]));
        const ranked = repeated.map((one) => ({ one, rank: roll() }));
        const shuffled = ranked.sort((a, b) => a.rank - b.rank).map(({ one }) => one);
        const at = 1_001;
        const [inOrder, inAny] = [emptySpend(1e9), emptySpend(1e9)];
        for (const one of ticks) noteTick(inOrder, one, at);
        for (const one of shuffled) noteTick(inAny, one, at);
        for (const when of [NOON, Date.UTC(2026, 9, 31)])
          expect(spendOverview(inAny, when)).toEqual(spendOverview(inOrder, when));
      }),
      { numRuns },
    );
  });

  test("say which days have changed, and a repeat says none", () => {
    const ledger = emptySpend(100);
    const days = [spendDay(1, { day: "2026-11-10" }), spendDay(2)];
    expect(noteTick(ledger, tick(0, { days }), NOON)).toEqual(days);
    expect(noteTick(ledger, tick(0, { days }), NOON)).toEqual([]);
    const later = tick(0, { at: NOON + 1, days: [days[0] ?? spendDay(1), spendDay(3)] });
    expect(noteTick(ledger, later, NOON)).toEqual([spendDay(3)]);
  });

  test("of the days of thirteen months are kept", () => {
    expect(oldestDay(NOON)).toBe("2025-11-01");
    expect(oldestDay(Date.UTC(2027, 0, 31))).toBe("2026-01-01");
    const ledger = ledgerOf(tick(5));
    const much = monthEnd(NOON) + MONTHS_KEPT * 31 * 24 * HOUR;
    noteTick(ledger, tick(1, { at: much, days: [spendDay(5)] }), much);
    expect(ledger.models.get("large")?.days.size).toBe(0);
  });
});

describe("the overview", () => {
  test("has the month by Model, the dearest first, and by day", () => {
    const ledger = ledgerOf(
      tick(1, { model: "small", days: [spendDay(1, { estimated: true })] }),
      tick(0, { days: [spendDay(9, { day: "2026-10-31" }), spendDay(4, { day: "2026-11-10" })] }),
      tick(6, { at: NOON + 1, running: running(3) }),
      tick(0, { model: "never used", days: [] }),
    );
    expect(spendOverview(ledger, NOON)).toMatchObject({
      ...{ month: "2026-11", limitUsd: 100, spentUsd: 11, windDownUsd: 3, usdPerHour: 36 },
      ...{ verdict: { paused: false }, pausedByHand: false },
      models: [
        { model: "large", usd: 10, containerSeconds: 10_000, containers: 1, estimated: false },
        { model: "small", usd: 1, containerSeconds: 1_000, containers: 0, estimated: true },
      ],
      days: [
        { day: "2026-11-10", usd: 4 },
        { day: "2026-11-11", usd: 7, containerSeconds: 7_000 },
      ],
    });
  });

  test("forecasts the month at its pace so far, and from the first day at that of a day", () => {
    const ledger = ledgerOf(tick(21));
    expect(spendOverview(ledger, NOON).forecastUsd).toBeCloseTo((21 * 30) / 10.5, 9);
    const first = emptySpend(100);
    const days = [spendDay(2, { day: "2026-11-01" })];
    noteTick(first, tick(0, { days }), NOON);
    expect(spendOverview(first, Date.UTC(2026, 10, 1, 1)).forecastUsd).toBeCloseTo(60, 9);
    expect(spendOverview(first, Date.UTC(2026, 11, 1)).forecastUsd).toBe(0);
  });
});

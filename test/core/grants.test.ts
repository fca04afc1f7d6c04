import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GrantRecord } from "../../src/contract/account.ts";
import { draw, lapse, refund, sortForSpending } from "../../src/core/grants.ts";
import { sumOf } from "./ledger-commands.ts";
import { numRuns } from "./property-runs.ts";

function grant(id: string, tokens: number, rest: Partial<GrantRecord> = {}): GrantRecord {
  return { id, tokens, note: "", at: 0, expiresAt: null, used: 0, lapsed: 0, ...rest };
}

function sorted(...grants: GrantRecord[]): GrantRecord[] {
  sortForSpending(grants);
  return grants;
}

function left(grants: readonly GrantRecord[]): number {
  return sumOf(grants, (one) => one.tokens - one.used - one.lapsed);
}

const anyGrants = fc
  .array(
    fc.record({
      tokens: fc.integer({ min: 1, max: 100 }),
      used: fc.nat({ max: 100 }),
      at: fc.nat({ max: 5 }),
      expiresAt: fc.option(fc.nat({ max: 20 }), { nil: null }),
    }),
    { maxLength: 8 },
  )
  .map((list) =>
    sorted(
      ...list.map(({ tokens, used, at, expiresAt }, number) =>
        grant(`g${number}`, tokens, { used: Math.min(used, tokens), at, expiresAt }),
      ),
    ),
  );

describe("Grants", () => {
  test("are spent by their end, then by their age, and those without an end last", () => {
    const grants = sorted(
      grant("young", 10, { at: 9 }),
      grant("late", 10, { expiresAt: 200 }),
      grant("old", 10, { at: 1 }),
      grant("soon", 10, { expiresAt: 100 }),
    );
    expect(grants.map((one) => one.id)).toEqual(["soon", "late", "old", "young"]);
    draw(grants, 25);
    expect(grants.map((one) => one.used)).toEqual([10, 10, 5, 0]);
  });

  test("of the same age go by id, so that every replay spends alike", () => {
    fc.assert(
      fc.property(anyGrants, fc.infiniteStream(fc.nat({ max: 99 })), (grants, dice) => {
        const ranked = grants.map((one) => ({ one, rank: dice.next().value ?? 0 }));
        const shuffled = ranked.sort((a, b) => a.rank - b.rank).map(({ one }) => one);
        sortForSpending(shuffled);
        expect(shuffled).toEqual(grants);
      }),
      { numRuns },
    );
  });

  test("give exactly what is drawn, each never more than it has, and none before the one ahead", () => {
    fc.assert(
      fc.property(anyGrants, fc.nat({ max: 100 }), (grants, percent) => {
        const before = left(grants);
        const tokens = Math.floor((before * percent) / 100);
        const untouched = grants.map((one) => ({ ...one }));
        draw(grants, tokens);
        expect(left(grants)).toBe(before - tokens);
        const lastDrawn = grants.findLastIndex((one, at) => one.used !== untouched[at]?.used);
        expect(left(grants.slice(0, Math.max(0, lastDrawn)))).toBe(0);
        for (const one of grants) expect(one.used + one.lapsed).toBeLessThanOrEqual(one.tokens);
      }),
      { numRuns },
    );
  });

  test("get back exactly what is refunded, first the one that lasts longest", () => {
    const grants = sorted(
      grant("soon", 10, { expiresAt: 5, used: 10 }),
      grant("ever", 10, { used: 4 }),
    );
    refund(grants, 6);
    expect(grants.map((one) => one.used)).toEqual([8, 0]);
    fc.assert(
      fc.property(anyGrants, fc.nat({ max: 100 }), (list, percent) => {
        const used = sumOf(list, (one) => one.used);
        const tokens = Math.floor((used * percent) / 100);
        refund(list, tokens);
        expect(sumOf(list, (one) => one.used)).toBe(used - tokens);
        for (const one of list) expect(one.used).toBeGreaterThanOrEqual(0);
      }),
      { numRuns },
    );
  });

  test("lapse at their end as far as nobody holds them, and no other does", () => {
    fc.assert(
      fc.property(anyGrants, fc.nat({ max: 20 }), fc.nat({ max: 100 }), (grants, now, percent) => {
        const ended = grants.filter((one) => one.expiresAt !== null && one.expiresAt <= now);
        const available = Math.floor((left(grants) * percent) / 100);
        const expected = Math.min(left(ended), available);
        const others = left(grants) - left(ended);
        expect(lapse(grants, available, now)).toBe(expected);
        expect(sumOf(ended, (one) => one.lapsed)).toBe(expected);
        expect(left(grants) - left(ended)).toBe(others);
      }),
      { numRuns },
    );
  });

  test("that lack what was checked to be there are a defect, never a debt", () => {
    expect(() => draw([grant("a", 10)], 11)).toThrow("lack 1 tokens");
    expect(() => refund([grant("a", 10, { used: 3 })], 4)).toThrow("1 tokens to give back");
  });
});

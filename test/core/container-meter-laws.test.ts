// What holds of the meter whatever arrives of the reports, and in whatever order.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  advance,
  type ContainerMeter,
  emptyMeter,
  noteReport,
} from "../../src/core/container-meter.ts";
import { anyLives, type Delivery, HOUR, price, secondsOf, usdOf } from "./container-reports.ts";
import { numRuns } from "./property-runs.ts";

function deliver(deliveries: readonly Delivery[], meter: ContainerMeter = emptyMeter()) {
  for (const { report, at } of deliveries) noteReport(meter, report, at, price);
  return meter;
}

/** Of what was delivered, the uptime that each container's last report proves. */
function provenMs(deliveries: readonly Delivery[]): number {
  const last = new Map<string, { sequence: number; uptimeMs: number }>();
  for (const { data } of deliveries.map(({ report }) => report)) {
    const before = last.get(data.container)?.sequence ?? -1;
    if (data.sequence <= before) continue;
    last.set(data.container, { sequence: data.sequence, uptimeMs: data.uptime_ms });
  }
  return [...last.values()].reduce((sum, { uptimeMs }) => sum + uptimeMs, 0);
}

describe("reports that come late, twice, in another order, or never", () => {
  test("never meter more than the containers' time since they began", () => {
    fc.assert(
      fc.property(anyLives, fc.nat({ max: HOUR }), ({ lives, deliveries }, laterMs) => {
        const now = (deliveries.at(-1)?.at ?? 0) + laterMs;
        const meter = deliver(deliveries);
        advance(meter, now, price);
        const heardOf = lives.filter((one) => one.deliveries.length > 0);
        const most = heardOf.reduce((sum, { beganAt }) => sum + now - beganAt, 0);
        expect(secondsOf(meter) * 1_000).toBeLessThanOrEqual(most);
        for (const { containerMs } of meter.days)
          expect(containerMs).toBeLessThanOrEqual(24 * HOUR * heardOf.length);
      }),
      { numRuns },
    );
  });

  test("never meter less than the last one of each container proves", () => {
    fc.assert(
      fc.property(anyLives, ({ deliveries }) => {
        const meter = deliver(deliveries);
        expect(Math.round(secondsOf(meter) * 1_000)).toBeGreaterThanOrEqual(provenMs(deliveries));
      }),
      { numRuns },
    );
  });

  test("cost what the time costs, each day", () => {
    fc.assert(
      fc.property(anyLives, ({ deliveries }) => {
        const meter = deliver(deliveries);
        expect(usdOf(meter)).toBeCloseTo(secondsOf(meter) * 0.001, 9);
      }),
      { numRuns },
    );
  });

  test("never lower a day's figures", () => {
    fc.assert(
      fc.property(anyLives, ({ deliveries }) => {
        const meter = emptyMeter();
        for (const delivery of deliveries) {
          const before = structuredClone(meter.days);
          deliver([delivery], meter);
          for (const { day, containerMs, usd } of before) {
            const after = meter.days.find((one) => one.day === day);
            expect(after?.containerMs).toBeGreaterThanOrEqual(containerMs);
            expect(after?.usd).toBeGreaterThanOrEqual(usd);
          }
        }
      }),
      { numRuns },
    );
  });

  test("change nothing when any of them are repeated", () => {
    fc.assert(
      fc.property(anyLives, fc.nat(), ({ deliveries }, dice) => {
        const meter = deliver(deliveries);
        const before = structuredClone(meter);
        const now = deliveries.at(-1)?.at ?? 0;
        for (const { report } of deliveries.slice(0, dice % (deliveries.length + 1)))
          expect(noteReport(meter, report, now, price)).toBe(false);
        expect(meter).toEqual(before);
      }),
      { numRuns },
    );
  });

  test("meter the same however often the time is looked at between them", () => {
    fc.assert(
      fc.property(anyLives, fc.array(fc.nat({ max: 15 * HOUR })), ({ deliveries }, looks) => {
        const first = deliveries[0]?.at ?? 0;
        const looked = emptyMeter();
        const events = [
          ...deliveries.map((delivery) => ({ at: delivery.at, delivery })),
          ...looks.map((after) => ({ at: first + after, delivery: null })),
        ].sort((one, other) => one.at - other.at);
        for (const { at, delivery } of events) {
          if (delivery === null) advance(looked, at, price);
          else deliver([delivery], looked);
        }
        const end = events.at(-1)?.at ?? 0;
        const unlooked = deliver(deliveries);
        for (const meter of [looked, unlooked]) advance(meter, end, price);
        const days = ({ days }: ContainerMeter) =>
          days.map(({ day, containerMs, usd }) => ({ day, containerMs, usd: usd.toFixed(9) }));
        expect(days(looked)).toEqual(days(unlooked));
      }),
      { numRuns },
    );
  });
});

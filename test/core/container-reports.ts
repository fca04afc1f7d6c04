// Containers as they really ran, and what arrives of their reports: late, twice, or never.
import fc from "fast-check";
import type { ContainerReport } from "../../src/contract/container-report.ts";
import type { ContainerMeter, ContainerPrice } from "../../src/core/container-meter.ts";

export const NOON = Date.UTC(2026, 10, 28, 12);
export const SECOND = 1_000;
export const HOUR = 3_600_000;

/** Two GPUs at 1.80 $ an hour: a container costs 0.001 $ a second. */
export const price: ContainerPrice = { gpuCount: 2, usdPerGpuHour: 1.8, idleSeconds: 300 };

interface Said {
  container?: string;
  sequence: number;
  uptimeMs: number;
  type?: ContainerReport["type"];
  gpuCount?: number;
}

export function reportOf({ type = "container.beat", ...said }: Said): ContainerReport {
  const { container = "one", sequence, uptimeMs, gpuCount = 2 } = said;
  return {
    type,
    // No cost may come from a container's own clock, so it is always wrong here.
    timestamp: "1999-12-31T23:59:59Z",
    data: {
      ...{ model: "model", container, sequence, uptime_ms: uptimeMs, gpu: "H100" },
      ...{ gpu_count: gpuCount, started_at: "1999-12-31T23:00:00Z", metrics: null },
    },
  };
}

export function secondsOf(meter: ContainerMeter): number {
  return meter.days.reduce((sum, { containerMs }) => sum + containerMs, 0) / SECOND;
}

export function usdOf(meter: ContainerMeter): number {
  return meter.days.reduce((sum, { usd }) => sum + usd, 0);
}

export interface Delivery {
  at: number;
  report: ContainerReport;
}

/** One container's true life, and when each of its reports arrives. */
interface Life {
  beganAt: number;
  deliveries: Delivery[];
}

const arrivals = fc.record({
  gapMs: fc.integer({ min: 1, max: 200 * SECOND }),
  /** Most arrive at once, some much later. */
  delayMs: fc.oneof(fc.nat({ max: 500 }), fc.nat({ max: 900 * SECOND })),
  copies: fc.constantFrom(0, 1, 1, 1, 2, 3),
});

function life(number: number): fc.Arbitrary<Life> {
  return fc
    .record({
      beganAt: fc.integer({ min: NOON, max: NOON + 13 * HOUR }),
      reports: fc.array(arrivals, { minLength: 1, maxLength: 12 }),
      saysGoodbye: fc.boolean(),
    })
    .map(({ beganAt, reports, saysGoodbye }) => {
      let uptimeMs = 0;
      const deliveries = reports.flatMap(({ gapMs, delayMs, copies }, sequence) => {
        uptimeMs += gapMs;
        const last = sequence === reports.length - 1;
        const type = last && saysGoodbye ? "container.stopping" : "container.beat";
        const report = reportOf({ container: `c${number}`, sequence, uptimeMs, type });
        return Array.from({ length: copies }, (_, copy) => {
          return { at: beganAt + uptimeMs + delayMs * (copy + 1), report };
        });
      });
      return { beganAt, deliveries };
    });
}

/** Up to three containers; what arrives of all of them, in the order of arrival. */
export const anyLives = fc
  .tuple(life(0), life(1), life(2))
  .chain((lives) => fc.integer({ min: 1, max: 3 }).map((count) => lives.slice(0, count)))
  .map((lives) => {
    const deliveries = lives.flatMap((one) => one.deliveries);
    return { lives, deliveries: deliveries.sort((one, other) => one.at - other.at) };
  });

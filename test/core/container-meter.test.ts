import { describe, expect, test } from "vitest";
import { SILENT_AFTER_MS } from "../../src/contract/container-report.ts";
import {
  advance,
  BACKDATED_MAX_MS,
  CONTAINERS_REMEMBERED,
  type ContainerMeter,
  emptyMeter,
  hasLiveContainers,
  liveContainers,
  noteReport,
  noteUse,
  REPORTS_MISSED_MS,
  tickOf,
} from "../../src/core/container-meter.ts";
import { METERED_DAYS_KEPT } from "../../src/core/metered-days.ts";
import { HOUR, NOON, price, reportOf, SECOND, secondsOf, usdOf } from "./container-reports.ts";

const MINUTE = 60 * SECOND;
const MIDNIGHT = NOON + 12 * HOUR;

/** A meter that has heard one container at NOON, up for so long. */
function heard(uptimeMs = 0, gpuCount = 2): ContainerMeter {
  const meter = emptyMeter();
  noteReport(meter, reportOf({ sequence: 0, uptimeMs, gpuCount }), NOON, price);
  return meter;
}

function beat(meter: ContainerMeter, sequence: number, uptimeMs: number, at = NOON + uptimeMs) {
  return noteReport(meter, reportOf({ sequence, uptimeMs }), at, price);
}

describe("a container", () => {
  test("costs its GPUs' price from its beginning to its goodbye, and nothing after it", () => {
    const meter = heard();
    beat(meter, 1, 30 * SECOND);
    const goodbye = reportOf({ sequence: 2, uptimeMs: MINUTE, type: "container.stopping" });
    expect(noteReport(meter, goodbye, NOON + MINUTE, price)).toBe(true);
    expect(beat(meter, 1, 30 * SECOND, NOON + 2 * MINUTE)).toBe(false);
    expect(beat(meter, 9, 5 * MINUTE)).toBe(false);
    advance(meter, NOON + HOUR, price);
    expect(secondsOf(meter)).toBe(60);
    expect(usdOf(meter)).toBeCloseTo(0.06, 12);
    expect(hasLiveContainers(meter, NOON + MINUTE)).toBe(false);
  });

  test("that is first heard of with an uptime is metered from its beginning, a day at most", () => {
    expect(secondsOf(heard(40 * SECOND))).toBe(40);
    const liar = heard(10 * BACKDATED_MAX_MS);
    expect(secondsOf(liar)).toBe(BACKDATED_MAX_MS / SECOND);
    beat(liar, 1, 10 * BACKDATED_MAX_MS + 30 * SECOND, NOON + 30 * SECOND);
    expect(secondsOf(liar)).toBe(BACKDATED_MAX_MS / SECOND + 30);
  });

  test("whose first report came late is metered from its beginning at the next one", () => {
    const meter = heard(0);
    noteReport(meter, reportOf({ sequence: 1, uptimeMs: 630 * SECOND }), NOON + 30_000, price);
    expect(secondsOf(meter)).toBe(630);
    expect(liveContainers(meter, NOON + 30_000)).toEqual([
      { container: "one", since: NOON - 600_000, lastSeen: NOON + 30_000, ready: false },
    ]);
  });

  test("that goes silent is metered until its last report is so old, and no further", () => {
    const meter = heard();
    advance(meter, NOON + SILENT_AFTER_MS - 1, price);
    expect(hasLiveContainers(meter, NOON + SILENT_AFTER_MS - 1)).toBe(true);
    for (const at of [NOON + SILENT_AFTER_MS, NOON + HOUR]) {
      advance(meter, at, price);
      expect(secondsOf(meter)).toBe(SILENT_AFTER_MS / SECOND);
      expect(hasLiveContainers(meter, at)).toBe(false);
    }
  });

  test("that speaks again has run through its silence, and pays for it once", () => {
    const meter = heard();
    advance(meter, NOON + 5 * MINUTE, price);
    beat(meter, 1, 10 * MINUTE);
    expect(secondsOf(meter)).toBe(600);
    advance(meter, NOON + 10 * MINUTE + 5 * SECOND, price);
    expect(secondsOf(meter)).toBe(605);
  });

  test("that did not run in its silence, by its uptime, pays only for what it ran", () => {
    const meter = heard();
    beat(meter, 1, 100 * SECOND, NOON + HOUR);
    expect(secondsOf(meter)).toBe(100);
  });

  test("is metered by the larger count, where it and the catalogue name another one", () => {
    for (const [gpuCount, usd] of [
      [1, 0.06],
      [2, 0.06],
      [8, 0.24],
    ] as const) {
      const meter = heard(0, gpuCount);
      advance(meter, NOON + MINUTE, price);
      expect(usdOf(meter)).toBeCloseTo(usd, 12);
    }
  });

  test("pays each day its part, cut at midnight (UTC)", () => {
    const meter = emptyMeter();
    const first = reportOf({ sequence: 0, uptimeMs: 20 * SECOND });
    noteReport(meter, first, MIDNIGHT + 5 * SECOND, price);
    advance(meter, MIDNIGHT + 12 * SECOND, price);
    expect(tickOf(meter, MIDNIGHT + 12 * SECOND, { ...price, model: "m" }).days).toEqual([
      { day: "2026-11-28", containerSeconds: 15, usd: expect.closeTo(0.015, 12), estimated: false },
      { day: "2026-11-29", containerSeconds: 12, usd: expect.closeTo(0.012, 12), estimated: false },
    ]);
  });
});

describe("without reports", () => {
  test("a Model is metered from the first use to the last and the idle time, as estimated", () => {
    const meter = emptyMeter();
    for (const at of [0, 200, 400]) noteUse(meter, NOON + at * SECOND, price);
    advance(meter, NOON + HOUR, price);
    expect(secondsOf(meter)).toBe(700);
    noteUse(meter, NOON + 2 * HOUR, price);
    const tick = tickOf(meter, NOON + 2 * HOUR + 10 * SECOND, { ...price, model: "m" });
    expect(tick.running).toMatchObject({ containers: 1, usdPerHour: 3.6 });
    expect(tick.days).toMatchObject([{ containerSeconds: 710, estimated: true }]);
  });

  test("nothing is estimated of a Model whose containers report, also between two of them", () => {
    const meter = heard();
    noteUse(meter, NOON + SECOND, price);
    const goodbye = reportOf({ sequence: 1, uptimeMs: MINUTE, type: "container.stopping" });
    noteReport(meter, goodbye, NOON + MINUTE, price);
    noteUse(meter, NOON + 2 * MINUTE, price);
    advance(meter, NOON + HOUR, price);
    expect(secondsOf(meter)).toBe(60);
    expect(meter.days).toMatchObject([{ estimated: false }]);
  });

  test("a Model whose reports stopped, but not its use, is estimated from then on", () => {
    const meter = heard();
    const silent = NOON + SILENT_AFTER_MS;
    for (let at = silent; at <= silent + REPORTS_MISSED_MS; at += MINUTE) noteUse(meter, at, price);
    const silentSeconds = SILENT_AFTER_MS / SECOND;
    expect(secondsOf(meter)).toBe(silentSeconds + REPORTS_MISSED_MS / SECOND);
    expect(meter.days).toMatchObject([{ estimated: true }]);
  });

  test("what was estimated is not metered again by a container that is heard of after it", () => {
    const meter = emptyMeter();
    noteUse(meter, NOON, price);
    const late = NOON + 100 * SECOND;
    noteReport(meter, reportOf({ sequence: 0, uptimeMs: 50 * SECOND }), late, price);
    expect(secondsOf(meter)).toBe(100);
    noteReport(meter, reportOf({ sequence: 1, uptimeMs: 60 * SECOND }), late + 10_000, price);
    advance(meter, late + 10_000, price);
    expect(secondsOf(meter)).toBe(110);
  });
});

describe("a tick", () => {
  const rules = { ...price, model: "m", startSeconds: 120 };

  test("reserves what runs will cost until it is idle, and what is left of its start", () => {
    const meter = heard();
    const starting = tickOf(meter, NOON + 20 * SECOND, rules);
    expect(starting.running.usdPerHour).toBeCloseTo(3.6, 12);
    expect(starting.running.windDownUsd).toBeCloseTo((100 + 300) * 0.001, 12);
    const ready = reportOf({ sequence: 1, uptimeMs: 30 * SECOND, type: "container.ready" });
    noteReport(meter, ready, NOON + 30 * SECOND, price);
    const tick = tickOf(meter, NOON + 30 * SECOND, rules);
    expect(tick.running.windDownUsd).toBeCloseTo(0.3, 12);
  });

  test("reserves a whole start for a container that was asked for and not heard of yet", () => {
    const { running } = tickOf(emptyMeter(), NOON, { ...rules, starting: 1 });
    expect(running.windDownUsd).toBeCloseTo(0.42, 12);
    expect(running).toMatchObject({ containers: 0, usdPerHour: 0 });
  });

  test("reserves nothing once nothing runs", () => {
    const { running } = tickOf(heard(), NOON + HOUR, rules);
    expect(running).toEqual({ containers: 0, usdPerHour: 0, windDownUsd: 0 });
  });
});

describe("what is remembered", () => {
  test("is bounded: the container that was unheard of longest is forgotten, its costs are not", () => {
    const meter = emptyMeter();
    for (let number = 0; number < CONTAINERS_REMEMBERED + 5; number++) {
      const report = reportOf({ container: `c${number}`, sequence: 0, uptimeMs: 10 * SECOND });
      noteReport(meter, report, NOON + number, price);
    }
    expect(meter.containers).toHaveLength(CONTAINERS_REMEMBERED);
    expect(meter.containers[0]?.container).toBe("c5");
    expect(secondsOf(meter)).toBeGreaterThanOrEqual((CONTAINERS_REMEMBERED + 5) * 10);
  });

  test("of days is bounded", () => {
    const meter = emptyMeter();
    for (let day = 0; day < METERED_DAYS_KEPT + 5; day++)
      noteUse(meter, NOON + day * 24 * HOUR, price);
    expect(meter.days).toHaveLength(METERED_DAYS_KEPT);
    expect(meter.days.at(-1)?.day).toBe("2026-12-15");
  });

  test("survives JSON", () => {
    const meter = heard(40 * SECOND);
    const copy = JSON.parse(JSON.stringify(meter)) as ContainerMeter;
    for (const one of [meter, copy]) beat(one, 1, 70 * SECOND, NOON + 30 * SECOND);
    expect(copy).toEqual(meter);
  });
});

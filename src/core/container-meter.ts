// What one Model's containers cost, by day (UTC): from their reports, in whatever order they come, and
// from the passage of time. No clock, no I/O: `now` is the receiver's clock, the only one that counts.
// A container's own wall clock is never used, only how long it says it has been up.
//
// Each millisecond of a container is metered at most once. It is metered as time passes, until its last
// report is SILENT_AFTER_MS old; a report then says how long it really ran, and what is missing is
// metered where it belongs: before it was first heard of, or in the gap before this report.
import { type ContainerReport, SILENT_AFTER_MS } from "../contract/container-report.ts";
import type { SpendTick } from "../contract/spend.ts";
import { type MeteredDay, meterSpan, spendDays } from "./metered-days.ts";

/**
 * A first report, or the first one after a silence, is believed so far back and no further: a wrong
 * uptime costs one day at most.
 */
export const BACKDATED_MAX_MS = 86_400_000;

/** Then a silence is longer than what would be metered of it, so nothing is metered twice. */
const UNHEARD_KEPT_MS = BACKDATED_MAX_MS + SILENT_AFTER_MS;

/**
 * Far above any `max_containers`, and some 40 kB. Beyond it the one that was unheard of longest is
 * forgotten; if it speaks again it is metered from its start again: too much rather than too little.
 */
export const CONTAINERS_REMEMBERED = 256;

/** A Model whose containers once reported, but none while it was used for so long, is estimated. */
export const REPORTS_MISSED_MS = 900_000;

/** What the catalogue says of the Model's containers. */
export interface ContainerPrice {
  gpuCount: number;
  usdPerGpuHour: number;
  /** A container ends after so long without a request. */
  idleSeconds: number;
  /** From its beginning to its first token; what a start still costs is reserved. */
  startSeconds?: number;
}

interface MeteredContainer {
  container: string;
  sequence: number;
  heardAt: number;
  /** Where its metered time begins and ends; there may be a gap inside in which it did not run. */
  since: number;
  meteredTo: number;
  /** Of its uptime: metered, or beyond one of the bounds. */
  accountedMs: number;
  gpuCount: number;
  ready: boolean;
  stopped: boolean;
}

/** Plain data that survives JSON. */
export interface ContainerMeter {
  containers: MeteredContainer[];
  days: MeteredDay[];
  /** When any container was last heard, or null. */
  heardAt: number | null;
  /** Use while no container reports: from the first to `idleSeconds` after the last. */
  unreported: { since: number; until: number; counts: boolean } | null;
  /** Up to here time was estimated, and no container's report is metered before it. */
  estimatedTo: number;
}

export function emptyMeter(): ContainerMeter {
  return { containers: [], days: [], heardAt: null, unreported: null, estimatedTo: 0 };
}

/** Meters what has passed. Call it before the figures are read. */
export function advance(meter: ContainerMeter, now: number, price: ContainerPrice): void {
  for (const container of meter.containers) {
    if (container.stopped) continue;
    const until = Math.min(now, container.heardAt + SILENT_AFTER_MS);
    const ms = until - container.meteredTo;
    if (ms <= 0) continue;
    meterContainer(meter, container, { from: container.meteredTo, to: until }, price);
    container.accountedMs += ms;
    container.meteredTo = until;
  }
  estimate(meter, now, price);
}

/**
 * False for a report that was seen before, is older than the last one, or comes after its container
 * stopped: it changes nothing. So a replayed report is harmless.
 */
export function noteReport(
  meter: ContainerMeter,
  report: ContainerReport,
  now: number,
  price: ContainerPrice,
): boolean {
  const { data, type } = report;
  const known = meter.containers.find(({ container }) => container === data.container);
  if (known !== undefined && (known.stopped || data.sequence <= known.sequence)) return false;
  advance(meter, now, price);
  const container = known ?? firstHeard(data.container, now);
  if (known === undefined) meter.containers.push(container);
  container.sequence = data.sequence;
  container.heardAt = now;
  container.gpuCount = Math.max(container.gpuCount, data.gpu_count);
  container.ready ||= type === "container.ready";
  container.stopped = type === "container.stopping";
  catchUp(meter, container, { now, uptimeMs: data.uptime_ms }, price);
  meter.heardAt = now;
  meter.unreported = null;
  forget(meter, now);
  return true;
}

/** A Completion began. It only matters where no container reports itself. */
export function noteUse(meter: ContainerMeter, now: number, price: ContainerPrice): void {
  advance(meter, now, price);
  if (hasLiveContainers(meter, now)) return;
  const before = meter.unreported;
  const goesOn = before !== null && now <= before.until;
  const since = goesOn ? before.since : now;
  const missed = meter.heardAt === null || now - since >= REPORTS_MISSED_MS;
  const counts = missed || (goesOn && before.counts);
  meter.unreported = { since, until: now + price.idleSeconds * 1_000, counts };
  estimate(meter, now, price);
}

export interface LiveContainer {
  container: string;
  since: number;
  lastSeen: number;
  ready: boolean;
}

/** Those that were heard lately and have not said that they stop. */
export function liveContainers(meter: ContainerMeter, now: number): LiveContainer[] {
  return live(meter, now).map(({ container, since, heardAt, ready }) => {
    return { container, since, lastSeen: heardAt, ready };
  });
}

export function hasLiveContainers(meter: ContainerMeter, now: number): boolean {
  return live(meter, now).length > 0;
}

/** Whether time costs: a container is there, or it has to be assumed. */
export function isMetering(meter: ContainerMeter, now: number): boolean {
  return hasLiveContainers(meter, now) || estimateRuns(meter, now);
}

/**
 * What the Spend limit is told. `starting`: containers that were asked for and have not been heard of
 * yet; what they will cost is reserved before they are asked for.
 */
export function tickOf(
  meter: ContainerMeter,
  now: number,
  price: ContainerPrice & { model: string; starting?: number },
): SpendTick {
  advance(meter, now, price);
  const { starting = 0, startSeconds = 0, idleSeconds, usdPerGpuHour } = price;
  let usdPerHour = 0;
  let windDownUsd = 0;
  const reserve = (gpuCount: number, seconds: number) => {
    windDownUsd += (gpuCount * usdPerGpuHour * seconds) / 3_600;
  };
  const running = live(meter, now);
  for (const container of running) {
    const gpus = Math.max(container.gpuCount, price.gpuCount);
    const upSeconds = (now - container.since) / 1_000;
    const startLeft = container.ready ? 0 : Math.max(0, startSeconds - upSeconds);
    usdPerHour += gpus * usdPerGpuHour;
    reserve(gpus, startLeft + idleSeconds);
  }
  const estimated = estimateRuns(meter, now) ? 1 : 0;
  usdPerHour += estimated * price.gpuCount * usdPerGpuHour;
  reserve(estimated * price.gpuCount, idleSeconds);
  reserve(starting * price.gpuCount, startSeconds + idleSeconds);
  return {
    model: price.model,
    at: now,
    days: spendDays(meter.days),
    running: { containers: running.length + estimated, usdPerHour, windDownUsd },
  };
}

function live(meter: ContainerMeter, now: number): MeteredContainer[] {
  return meter.containers.filter(
    ({ stopped, heardAt }) => !stopped && now - heardAt < SILENT_AFTER_MS,
  );
}

function firstHeard(container: string, now: number): MeteredContainer {
  return {
    ...{ container, sequence: -1, heardAt: now, since: now, meteredTo: now, accountedMs: 0 },
    ...{ gpuCount: 0, ready: false, stopped: false },
  };
}

/** Meters what the container ran and nobody counted: first the gap before now, then its beginning. */
function catchUp(
  meter: ContainerMeter,
  container: MeteredContainer,
  { now, uptimeMs }: { now: number; uptimeMs: number },
  price: ContainerPrice,
): void {
  const dueMs = Math.max(0, uptimeMs - container.accountedMs);
  const earliest = Math.max(now - BACKDATED_MAX_MS, meter.estimatedTo);
  const gapMs = Math.min(dueMs, Math.max(0, now - Math.max(container.meteredTo, earliest)));
  const beforeMs = Math.min(dueMs - gapMs, Math.max(0, container.since - earliest));
  meterContainer(meter, container, { from: now - gapMs, to: now }, price);
  const { since } = container;
  meterContainer(meter, container, { from: since - beforeMs, to: since }, price);
  container.since -= beforeMs;
  container.meteredTo = Math.max(container.meteredTo, now);
  container.accountedMs = Math.max(container.accountedMs, uptimeMs);
}

function meterContainer(
  meter: ContainerMeter,
  { gpuCount }: MeteredContainer,
  span: { from: number; to: number },
  price: ContainerPrice,
): void {
  const usdPerHour = Math.max(gpuCount, price.gpuCount) * price.usdPerGpuHour;
  meterSpan(meter.days, span, { usdPerHour, estimated: false });
}

function estimateRuns({ unreported }: ContainerMeter, now: number): boolean {
  return unreported?.counts === true && now < unreported.until;
}

function estimate(meter: ContainerMeter, now: number, price: ContainerPrice): void {
  const { unreported } = meter;
  if (unreported?.counts !== true) return;
  const from = Math.max(unreported.since, meter.estimatedTo);
  const to = Math.min(now, unreported.until);
  if (to <= from) return;
  const usdPerHour = price.gpuCount * price.usdPerGpuHour;
  meterSpan(meter.days, { from, to }, { usdPerHour, estimated: true });
  meter.estimatedTo = to;
}

function forget(meter: ContainerMeter, now: number): void {
  const kept = meter.containers.filter(({ heardAt }) => now - heardAt < UNHEARD_KEPT_MS);
  kept.sort((one, other) => one.heardAt - other.heardAt);
  meter.containers = kept.slice(-CONTAINERS_REMEMBERED);
}

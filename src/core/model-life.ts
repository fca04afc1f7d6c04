// A Model's life: Cold, starting, Warm, and what its starts have taken. Decides from what others saw;
// refuses I/O, clocks and randomness. `now` is passed in. The state is plain data, to be kept.
import type { ModelState } from "../contract/inference.ts";

export interface ModelLife {
  state: ModelState;
  /** When the start that runs now began; null unless starting. */
  startingSince: number | null;
  /** When it was found ready last; null before the first time. */
  warmSince: number | null;
  lastUsedAt: number;
  /** Newest first. */
  starts: { at: number; durationMs: number }[];
  startsTotal: number;
  /** Running work without a new token, since when; null while there is progress. */
  stalled: { since: number; tokens: number } | null;
}

export interface LifeRules {
  idleMs: number;
  /** Containers that stay up without requests: then it never becomes Cold by being idle. */
  alwaysOn: boolean;
  /** What the catalogue says, until a start was seen. */
  typicalStartMs: number;
}

/** What the engine says of its work: how many sequences run, and all tokens it ever computed. */
export interface Progress {
  running: number;
  tokens: number;
}

/** Enough for a median and for the App's chart. */
export const STARTS_KEPT = 20;

/** A shorter start brought no container up: the backend was there, or did not answer for a moment. */
export const START_AT_LEAST_MS = 1_000;

/** No engine step takes so long; a stuck one looks like this, with /health still at 200. */
export const STALL_MS = 60_000;

export function newLife(now: number): ModelLife {
  return {
    ...{ state: "cold", startingSince: null, warmSince: null, lastUsedAt: now },
    ...{ starts: [], startsTotal: 0, stalled: null },
  };
}

/** From Cold, or from Warm when it turned out not to be ready. A repeat changes nothing. */
export function begin(life: ModelLife, now: number): void {
  life.lastUsedAt = now;
  if (life.state === "starting") return;
  life.state = "starting";
  life.startingSince = now;
}

/** It answered. */
export function becomeWarm(life: ModelLife, now: number): void {
  const began = life.startingSince;
  if (life.state === "starting" && began !== null && now - began >= START_AT_LEAST_MS) {
    life.starts = [{ at: began, durationMs: now - began }, ...life.starts].slice(0, STARTS_KEPT);
    life.startsTotal += 1;
  }
  life.state = "warm";
  life.startingSince = null;
  life.warmSince = now;
  life.lastUsedAt = now;
  life.stalled = null;
}

/** Its containers are gone, or nobody wants it any more. */
export function becomeCold(life: ModelLife): void {
  life.state = "cold";
  life.startingSince = null;
  life.stalled = null;
}

export function noteUse(life: ModelLife, now: number): void {
  life.lastUsedAt = Math.max(life.lastUsedAt, now);
}

/** Becomes Cold when nobody has used it for as long as its containers wait. True when it did. */
export function coolDown(life: ModelLife, now: number, rules: LifeRules): boolean {
  if (life.state !== "warm" || rules.alwaysOn) return false;
  if (now - life.lastUsedAt < rules.idleMs) return false;
  becomeCold(life);
  return true;
}

/**
 * Work that makes no token for `STALL_MS` makes it not ready, whatever /health says. True when that
 * is so; then it is starting until it answers a completion again.
 */
export function noteProgress(life: ModelLife, progress: Progress, now: number): boolean {
  if (life.state !== "warm" || progress.running === 0) {
    life.stalled = null;
    return false;
  }
  if (life.stalled === null || life.stalled.tokens !== progress.tokens) {
    life.stalled = { since: now, tokens: progress.tokens };
    return false;
  }
  if (now - life.stalled.since < STALL_MS) return false;
  begin(life, now);
  life.stalled = null;
  return true;
}

/** The median of the starts that were seen, else what the catalogue says. */
export function expectedStartMs(life: ModelLife, rules: LifeRules): number {
  const seen = life.starts.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return seen[Math.floor(seen.length / 2)] ?? rules.typicalStartMs;
}

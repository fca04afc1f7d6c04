// How fast a Job runs, and so when it will be done. No I/O, no clock.
import { RATE_WINDOW_JOB_MS } from "../contract/job-limits.ts";

/** So many items were done at that time. */
export interface RateSample {
  at: number;
  done: number;
}

/** Samples are so far apart, so that a window has few. */
const SAMPLE_EVERY_MS = 2_000;

/** A shorter time says too little. */
const RATED_AFTER_MS = 4_000;

export function addSample(samples: readonly RateSample[], sample: RateSample): RateSample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.at - last.at < SAMPLE_EVERY_MS) return [...samples];
  return [...samples.filter(({ at }) => sample.at - at <= RATE_WINDOW_JOB_MS), sample];
}

/** Null while too little is known. */
export function etaSeconds(
  samples: readonly RateSample[],
  { done, total }: { done: number; total: number },
  now: number,
): number | null {
  const first = samples.find(({ at }) => now - at <= RATE_WINDOW_JOB_MS);
  if (first === undefined || now - first.at < RATED_AFTER_MS || done <= first.done) return null;
  const itemsPerMs = (done - first.done) / (now - first.at);
  return Math.ceil((total - done) / itemsPerMs / 1_000);
}

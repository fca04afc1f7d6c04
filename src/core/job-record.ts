// How a Job stands, for its page, the API and the person's list, and where its results are. No I/O, no
// clock.
import { HELD_SHOWN_AFTER_MS, JOB_KEPT_DAYS } from "../contract/job-limits.ts";
import type { JobPause, JobRecord, JobState, PartPlace } from "../contract/jobs.ts";
import { mostFrequentFirst } from "./job-errors.ts";
import { etaSeconds } from "./job-rate.ts";
import { doneItems, isStopped, type JobBook } from "./job-state.ts";

const DAY_MS = 86_400_000;

export function removedAt({ progress }: JobBook): number | null {
  return progress.endedAt === null ? null : progress.endedAt + JOB_KEPT_DAYS * DAY_MS;
}

export function recordOf(book: JobBook, now: number): JobRecord {
  const { origin, progress } = book;
  const { contentHash: _, inputKey: __, ...identity } = origin;
  const { startedAt, cancelledAt, endedAt, failure, counts, usage, errors, version } = progress;
  const pause = pauseOf(book, now);
  const ended = endedAt !== null;
  const rated = !ended && pause === null;
  return {
    ...identity,
    ...{ state: stateOf(book, pause), pause, counts: { total: book.items, ...counts }, usage },
    etaSeconds: rated
      ? etaSeconds(book.samples, { done: doneItems(book), total: book.items }, now)
      : null,
    ...{ startedAt, cancelledAt, endedAt, removedAt: removedAt(book) },
    ...{ failure: ended ? failure : null, errors: mostFrequentFirst(errors), version },
  };
}

function stateOf({ progress }: JobBook, pause: JobPause | null): JobState {
  const { startedAt, cancelledAt, endedAt, failure } = progress;
  if (endedAt !== null) {
    if (failure !== null) return "failed";
    return cancelledAt === null ? "completed" : "cancelled";
  }
  if (pause !== null) return "paused";
  return startedAt === null ? "queued" : "running";
}

/** Tokens first: of all that it may wait for, these need somebody to do something. */
function pauseOf(book: JobBook, now: number): JobPause | null {
  if (isStopped(book)) return null;
  const { tokensWait, modelWait } = book.progress;
  if (tokensWait !== null) {
    const { since, budget, scope, heldWouldFree } = tokensWait;
    const shown = !heldWouldFree || now - since >= HELD_SHOWN_AFTER_MS;
    if (shown) return { reason: "budget_exceeded", since, budget, scope };
  }
  return modelWait === null ? null : { ...modelWait, budget: null, scope: null };
}

/** In the input's order: all up to the first that is still to come, and none is once it has ended. */
export function partsOf({ slices, progress }: JobBook): { parts: PartPlace[]; complete: boolean } {
  const complete = progress.endedAt !== null;
  const parts: PartPlace[] = [];
  for (const { from, attempt, part } of slices) {
    if (part !== null) parts.push({ from, attempt, ...part });
    else if (!complete) break;
  }
  return { parts, complete };
}

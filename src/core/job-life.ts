// What a Job waits for, and when it ends. Its slices are ./job.ts. No I/O, no clock, no randomness.
import {
  FORGET_AFTER_MS,
  HELD_RETRY_MS,
  MODEL_WAIT_DOUBTED_MS,
  PAUSE_RETRY_MS,
} from "../contract/job-limits.ts";
import {
  type BudgetReturn,
  claimable,
  doneItems,
  hasLiveClaims,
  isStopped,
  type JobBook,
} from "./job-state.ts";

const GIVEN_UP =
  "Some items could not be run, nor be marked as failed, however often it was tried. " +
  "The results have what is done; submit the other items again.";

/** What the clock brings about by itself; to be called before and after everything else. */
export function bringUpToDate(book: JobBook, now: number): void {
  const { progress } = book;
  if (progress.endedAt !== null) return;
  const isOver = doneItems(book) === book.items;
  if (isOver || (isStopped(book) && !hasLiveClaims(book, now))) {
    end(book, now);
    return;
  }
  // A Job without anything to do has left its Model's Dispatcher, and hears nothing of its waiting.
  if (progress.modelWait !== null && claimable(book, now) === null) {
    progress.modelWait = null;
    noteProgress(book);
  }
}

/** What runs may still end; then it is cancelled for good. A repeat changes nothing. */
export function cancelJob(book: JobBook, now: number): void {
  if (book.progress.endedAt === null && book.progress.cancelledAt === null) {
    book.progress.cancelledAt = now;
    noteProgress(book);
  }
  bringUpToDate(book, now);
}

/** Null: it is Warm. */
export function noteModelWait(
  book: JobBook,
  reason: "spend_cap" | "model_starting" | null,
  now: number,
): void {
  const { progress } = book;
  if (!isStopped(book) && (progress.modelWait?.reason ?? null) !== reason) {
    progress.modelWait = reason === null ? null : { reason, since: now };
    book.samples = [];
    noteProgress(book);
  }
  bringUpToDate(book, now);
}

/** There may be more tokens: who waits for them tries again, and who was refused just now too. */
export function noteTokensChanged(book: JobBook, now: number): void {
  bringUpToDate(book, now);
  if (isStopped(book)) return;
  book.progress.tokensChangedAt = now;
  endTokensWait(book);
  noteProgress(book);
}

/** How fast it is counts from here on: what was done in the pause had begun before. */
export function endTokensWait(book: JobBook): void {
  if (book.progress.tokensWait === null) return;
  book.progress.tokensWait = null;
  book.samples = [];
}

/** A turn came: it has begun, and what the Model was waited for is over. */
export function noteClaim(book: JobBook, now: number): void {
  const { progress } = book;
  const wait = progress.modelWait;
  const doubted = wait !== null && now - wait.since >= MODEL_WAIT_DOUBTED_MS;
  if (doubted) progress.modelWait = null;
  if (progress.startedAt === null) progress.startedAt = now;
  else if (!doubted) return;
  noteProgress(book);
}

/** A slice that was claimed then did not fit. */
export function waitForTokens(
  book: JobBook,
  claimedAt: number,
  refused: BudgetReturn,
  now: number,
): void {
  const { progress } = book;
  if (claimedAt <= progress.tokensChangedAt) return;
  const { budget, scope, heldWouldFree } = refused;
  const since = progress.tokensWait?.since ?? now;
  const retryAt = now + (heldWouldFree ? HELD_RETRY_MS : PAUSE_RETRY_MS);
  progress.tokensWait = { budget, scope, heldWouldFree, since, retryAt };
  book.samples = [];
  noteProgress(book);
}

/** It can't go on; what runs may still end. */
export function giveUp(book: JobBook, now: number): void {
  book.progress.failure = GIVEN_UP;
  noteProgress(book);
  bringUpToDate(book, now);
}

function end(book: JobBook, now: number): void {
  const { progress, slices } = book;
  progress.endedAt = now;
  progress.tokensWait = null;
  progress.modelWait = null;
  for (const { from, state, attempt } of slices) {
    if (state === "done" || attempt === 0) continue;
    const closing = { from, attempts: attempt, settlement: null, forgetAt: now + FORGET_AFTER_MS };
    book.closings.set(from, closing);
    book.changes.closings.add(closing);
  }
  noteProgress(book);
}

/** The record is another one. */
export function noteProgress(book: JobBook): void {
  book.progress.version += 1;
  book.changes.progress = true;
}

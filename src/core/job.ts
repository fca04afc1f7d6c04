// One Job's slices: which is whose, and what is done; what it waits for and when it ends is
// ./job-life.ts. No I/O, no clock, no randomness. What each call changed is in `book.changes`, and is to
// be written before the call is answered. A slice is committed once, by the last that claimed it; its
// settlement begins then.
import { SLICE_ATTEMPTS_MOST, SLICE_REST_MS, TICKET_LEASE_MS } from "../contract/job-limits.ts";
import type { ClaimAnswer, ClaimName, SliceResult, SliceReturn } from "../contract/jobs.ts";
import { addErrors } from "./job-errors.ts";
import {
  bringUpToDate,
  cancelJob,
  endTokensWait,
  giveUp,
  noteClaim,
  noteProgress,
  waitForTokens,
} from "./job-life.ts";
import { addSample } from "./job-rate.ts";
import {
  claimable,
  doneItems,
  holdIdOf,
  indexAt,
  isStopped,
  type JobBook,
  newSlice,
  pendingFrom,
  type Slice,
  sliceAt,
} from "./job-state.ts";

/** A lease is written anew once a third of it is over: renewals come every second or so. */
const LEASE_WORTH_WRITING_MS = TICKET_LEASE_MS / 3;

/** Leases the first slice that nobody has. The attempt counts up, also when the slice was given back. */
export function claimSlice(book: JobBook, now: number): ClaimAnswer {
  bringUpToDate(book, now);
  const slice = claimable(book, now);
  if (slice === null) return { outcome: "nothing" };
  if (slice.state === "claimed") slice.deaths += 1;
  if (slice.deaths >= 2 * SLICE_ATTEMPTS_MOST) {
    putBack(book, slice);
    giveUp(book, now);
    return { outcome: "nothing" };
  }
  slice.state = "claimed";
  slice.attempt += 1;
  slice.claimedAt = now;
  slice.until = now + TICKET_LEASE_MS;
  book.busy.add(slice);
  book.firstPending = pendingFrom(book.slices, book.firstPending);
  book.changes.slices.add(slice);
  noteClaim(book, now);
  const { origin } = book;
  const { inputKey, personId, keyId, model } = origin;
  const { from, items, offset, bytes, large, attempt } = slice;
  return {
    outcome: "claimed",
    claim: {
      slice: { from, items, offset, bytes, large },
      ...{ inputKey, attempt, holdId: holdIdOf(origin, from, attempt), personId, keyId, model },
      failAll: slice.deaths >= SLICE_ATTEMPTS_MOST,
    },
  };
}

/** False when the claim has become another's, or nothing of the Job shall run any more. */
export function renewClaim(book: JobBook, claim: ClaimName, now: number): boolean {
  bringUpToDate(book, now);
  const slice = claimed(book, claim);
  if (slice === null || isStopped(book)) return false;
  if (slice.until - now < TICKET_LEASE_MS - LEASE_WORTH_WRITING_MS) {
    slice.until = now + TICKET_LEASE_MS;
    book.changes.slices.add(slice);
  }
  return true;
}

/**
 * `stale`: the claim is no longer this one's, or the Job has ended. `wrong_count` is a defect of the
 * worker: a result is of exactly the slice's items.
 */
export function commitSlice(
  book: JobBook,
  claim: ClaimName,
  result: SliceResult,
  now: number,
): "committed" | "stale" | "wrong_count" {
  bringUpToDate(book, now);
  const before = sliceAt(book, claim.from);
  if (before?.state === "done" && before.attempt === claim.attempt) return "committed";
  const slice = claimed(book, claim);
  if (slice === null || book.progress.endedAt !== null) return "stale";
  const { counts, part } = result;
  if (counts.succeeded + counts.failed !== slice.items) {
    rest(book, slice, now);
    return "wrong_count";
  }
  slice.state = "done";
  slice.part = part;
  book.busy.delete(slice);
  book.changes.slices.add(slice);
  close(book, slice, result);
  const wait = book.progress.tokensWait;
  // A slice that was claimed for a try was held for: there are tokens.
  const showsTokens = wait !== null && slice.claimedAt >= wait.retryAt;
  if (showsTokens || wait?.heldWouldFree === true) endTokensWait(book);
  addResult(book, slice.claimedAt, result, now);
  bringUpToDate(book, now);
  return "committed";
}

/** Nothing comes of a return by a claim that has become another's. */
export function giveBackSlice(
  book: JobBook,
  claim: ClaimName,
  returned: SliceReturn,
  now: number,
): void {
  const slice = claimed(book, claim);
  if (slice !== null && book.progress.endedAt === null) {
    if (returned.why === "split") split(book, slice, returned.rest);
    else if (returned.why === "broke") rest(book, slice, now);
    else putBack(book, slice);
    if (returned.why === "budget") waitForTokens(book, slice.claimedAt, returned, now);
    if (returned.why === "disabled") cancelJob(book, now);
  }
  bringUpToDate(book, now);
}

function claimed(book: JobBook, { from, attempt }: ClaimName): Slice | null {
  const slice = sliceAt(book, from);
  return slice?.state === "claimed" && slice.attempt === attempt ? slice : null;
}

function putBack(book: JobBook, slice: Slice): void {
  slice.state = "pending";
  book.busy.delete(slice);
  book.firstPending = Math.min(book.firstPending, indexAt(book.slices, slice.from));
  book.changes.slices.add(slice);
}

/** As a death, but at once: it can be claimed again after a while that doubles each time. */
function rest(book: JobBook, slice: Slice, now: number): void {
  slice.state = "resting";
  slice.deaths += 1;
  slice.until = now + SLICE_REST_MS * 2 ** Math.min(slice.deaths - 1, SLICE_ATTEMPTS_MOST);
  book.changes.slices.add(slice);
}

function split(book: JobBook, slice: Slice, begin: { from: number; offset: number }): void {
  const [end, endOffset] = [slice.from + slice.items, slice.offset + slice.bytes];
  // A repeat, or not within the slice.
  if (begin.from <= slice.from || begin.from >= end) return;
  const { from, offset } = begin;
  const rest = { from, items: end - from, offset, bytes: endOffset - offset, large: slice.large };
  slice.items = from - slice.from;
  slice.bytes = offset - slice.offset;
  const index = indexAt(book.slices, from);
  const second = newSlice(rest);
  book.slices.splice(index, 0, second);
  // All that stood behind the new one has moved by one.
  book.firstPending = Math.min(book.firstPending, index);
  book.changes.slices.add(slice).add(second);
}

/** The settlement that the Account shall hear of, until it has. */
function close(book: JobBook, { from, attempt }: Slice, result: SliceResult): void {
  const { keyId, model } = book.origin;
  const holdId = holdIdOf(book.origin, from, attempt);
  const { held, usage, charged } = result;
  const settlement = { holdId, keyId, model, held, usage, requests: charged };
  const closing = { from, attempts: attempt, settlement, forgetAt: 0 };
  book.closings.set(from, closing);
  book.changes.closings.add(closing);
}

function addResult(book: JobBook, since: number, result: SliceResult, now: number): void {
  const { progress } = book;
  const { counts, usage, errors } = result;
  if (book.samples.length === 0) book.samples = [{ at: since, done: doneItems(book) }];
  progress.counts = {
    succeeded: progress.counts.succeeded + counts.succeeded,
    failed: progress.counts.failed + counts.failed,
  };
  progress.usage = {
    promptTokens: progress.usage.promptTokens + usage.promptTokens,
    completionTokens: progress.usage.completionTokens + usage.completionTokens,
  };
  progress.errors = addErrors(progress.errors, errors);
  book.samples = addSample(book.samples, { at: now, done: doneItems(book) });
  noteProgress(book);
}

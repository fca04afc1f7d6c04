// What a Job is, in memory and on disk, and what can be read off it. Nothing here changes one: that is
// ./job.ts. No I/O, no clock.
import type { TokenUsage } from "../contract/account.ts";
import type { SliceSettlement } from "../contract/account-slices.ts";
import type {
  InputSlice,
  JobErrorGroup,
  NewJob,
  ResultPart,
  SliceReturn,
} from "../contract/jobs.ts";
import type { RateSample } from "./job-rate.ts";

/** What a Job was made of; it never changes. */
export interface JobOrigin extends Omit<NewJob, "slices"> {
  createdAt: number;
}

export interface Slice extends InputSlice {
  /**
   * `claimed` it is until `until`; then it is anybody's, and still the claimer's until somebody takes
   * it. `resting` it is after a worker broke, and anybody's from `until` on.
   */
  state: "pending" | "claimed" | "resting" | "done";
  /** Claims so far. */
  attempt: number;
  /** Of these, the ones whose worker died or broke. */
  deaths: number;
  claimedAt: number;
  until: number;
  /** Of a slice that is done. */
  part: ResultPart | null;
}

export type BudgetReturn = Omit<Extract<SliceReturn, { why: "budget" }>, "why">;

/** What the Job waits for since a slice did not fit the tokens. */
interface TokensWait extends BudgetReturn {
  since: number;
  retryAt: number;
}

export interface JobProgress {
  startedAt: number | null;
  cancelledAt: number | null;
  endedAt: number | null;
  /** It can't go on; when nothing runs any more it ends as failed. */
  failure: string | null;
  counts: { succeeded: number; failed: number };
  usage: TokenUsage;
  errors: JobErrorGroup[];
  tokensWait: TokensWait | null;
  modelWait: { reason: "spend_cap" | "model_starting"; since: number } | null;
  /** What was refused before may fit now. */
  tokensChangedAt: number;
  version: number;
}

/** What the Account has yet to hear of a slice's Holds, those of its attempts before among them. */
export interface Closing {
  from: number;
  attempts: number;
  /** Null once it is durable there, and for a slice that will not be done. */
  settlement: SliceSettlement | null;
  /** From when on the Account may forget them. */
  forgetAt: number;
}

/** What the next write has to contain. */
export interface JobChanges {
  progress: boolean;
  slices: Set<Slice>;
  closings: Set<Closing>;
  /** Closings of which nothing is left to say. */
  closed: Set<number>;
}

/** A Job in memory. */
export interface JobBook {
  origin: JobOrigin;
  progress: JobProgress;
  /** In the input's order, without gaps. */
  slices: Slice[];
  items: number;
  closings: Map<number, Closing>;
  /** Those that are claimed or resting. */
  busy: Set<Slice>;
  /** The index of the first pending slice, or how many slices there are. */
  firstPending: number;
  /** In memory only. */
  samples: RateSample[];
  changes: JobChanges;
}

export interface JobOnDisk {
  origin: JobOrigin;
  progress: JobProgress;
  /** In the input's order. */
  slices: Slice[];
  closings: Closing[];
}

export function newJob({ slices, ...origin }: NewJob, now: number): JobOnDisk {
  return {
    origin: { ...origin, createdAt: now },
    progress: {
      ...{ startedAt: null, cancelledAt: null, endedAt: null, failure: null },
      counts: { succeeded: 0, failed: 0 },
      usage: { promptTokens: 0, completionTokens: 0 },
      ...{ errors: [], tokensWait: null, modelWait: null, tokensChangedAt: 0, version: 1 },
    },
    slices: slices.map(newSlice),
    closings: [],
  };
}

export function newSlice({ from, items, offset, bytes, large }: InputSlice): Slice {
  return {
    ...{ from, items, offset, bytes, large },
    ...{ state: "pending", attempt: 0, deaths: 0, claimedAt: 0, until: 0, part: null },
  };
}

export function openJob({ origin, progress, slices, closings }: JobOnDisk): JobBook {
  return {
    ...{ origin, progress, slices },
    items: slices.reduce((sum, { items }) => sum + items, 0),
    closings: new Map(closings.map((closing) => [closing.from, closing])),
    busy: new Set(slices.filter(({ state }) => state === "claimed" || state === "resting")),
    ...{ firstPending: pendingFrom(slices, 0), samples: [], changes: noChanges() },
  };
}

/** The index of the first pending slice at `index` or after it. */
export function pendingFrom(slices: readonly Slice[], index: number): number {
  let at = index;
  while (at < slices.length && slices[at]?.state !== "pending") at += 1;
  return at;
}

export function noChanges(): JobChanges {
  return { progress: false, slices: new Set(), closings: new Set(), closed: new Set() };
}

/** Another id for each claim there ever is. */
export function holdIdOf({ id }: Pick<JobOrigin, "id">, from: number, attempt: number): string {
  return `${id}-${from}-${attempt}`;
}

/** The slice that begins at this item. */
export function sliceAt({ slices }: JobBook, from: number): Slice | undefined {
  const slice = slices[indexAt(slices, from)];
  return slice?.from === from ? slice : undefined;
}

/** Where the first slice stands that begins at this item or after it. */
export function indexAt(slices: readonly Slice[], from: number): number {
  let [low, high] = [0, slices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((slices[middle]?.from ?? Number.POSITIVE_INFINITY) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function doneItems({ progress }: JobBook): number {
  return progress.counts.succeeded + progress.counts.failed;
}

/** Nothing more is claimed: somebody cancelled it, or it can't go on. */
export function isStopped({ progress }: JobBook): boolean {
  return progress.cancelledAt !== null || progress.failure !== null || progress.endedAt !== null;
}

export function hasLiveClaims({ busy }: JobBook, now: number): boolean {
  for (const slice of busy) if (isLive(slice, now)) return true;
  return false;
}

function isLive({ state, until }: Slice, now: number): boolean {
  return state === "claimed" && until > now;
}

/** The slice to claim now: the first in the input that nobody has and that is not done. */
export function claimable(book: JobBook, now: number): Slice | null {
  if (isStopped(book) || waitsForTokens(book, now)) return null;
  let first = book.slices[book.firstPending] ?? null;
  for (const slice of book.busy) {
    if (slice.until <= now && (first === null || slice.from < first.from)) first = slice;
  }
  return first;
}

/** A Job that is paused for tokens tries with one slice; if that is done, there are some. */
function waitsForTokens({ progress, busy }: JobBook, now: number): boolean {
  const wait = progress.tokensWait;
  if (wait === null) return false;
  if (now < wait.retryAt) return true;
  if (wait.heldWouldFree) return false;
  for (const slice of busy) if (isLive(slice, now) && slice.claimedAt >= wait.retryAt) return true;
  return false;
}

/** When something changes by itself, such as a lease's end; null if nothing does. */
export function nextChange(book: JobBook, now: number): number | null {
  const { progress, busy } = book;
  if (progress.endedAt !== null) return null;
  const times = [...busy].map(({ until }) => until);
  if (progress.tokensWait !== null) times.push(progress.tokensWait.retryAt);
  const next = Math.min(...times.filter((at) => at > now));
  return Number.isFinite(next) ? next : null;
}

// What the Worker, its queue consumer and a Job's object say to each other. A Job's items are
// its lines, counted from 0; a slice is a run of items that is worked off together under one Hold.
// Times are milliseconds since 1970 (UTC).
import type { TokenUsage } from "./account.ts";
import type { BudgetFigures } from "./errors.ts";

export type JobState = "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";

type JobPauseReason = "budget_exceeded" | "spend_cap" | "model_starting";

/** What all Jobs of a Model wait for. */
export type ModelWait = Exclude<JobPauseReason, "budget_exceeded">;

export interface JobPause {
  reason: JobPauseReason;
  since: number;
  /** For `budget_exceeded`: the figures that the refusal was made of. */
  budget: BudgetFigures | null;
  /** Whether the Account's tokens or the starting key's monthly limit is the narrower. */
  scope: "account" | "key" | null;
}

interface JobCounts {
  total: number;
  succeeded: number;
  failed: number;
}

/** Failed items that failed alike. */
export interface JobErrorGroup {
  code: string;
  message: string;
  count: number;
  /** Of the first such item, to find it by. */
  customId: string;
}

/** What OpenAI's `batches` wants back as it was given. */
export interface BatchOrigin {
  inputFileId: string;
  completionWindow: string;
  metadata: Record<string, string> | null;
}

/** How a Job stands: what its page, the API and the person's list show. */
export interface JobRecord {
  id: string;
  personId: string;
  /** The key that started it, or `APP_KEY_ID`: usage is counted under it. */
  keyId: string;
  name: string;
  model: string;
  state: JobState;
  /** Only while `state` is `paused`. */
  pause: JobPause | null;
  counts: JobCounts;
  usage: TokenUsage;
  /** At the rate of the last minutes; null while that is not known, and when it has ended. */
  etaSeconds: number | null;
  createdAt: number;
  startedAt: number | null;
  /** When somebody cancelled it; what runs then may still end. */
  cancelledAt: number | null;
  endedAt: number | null;
  /** When input and results are removed; null until it has ended. */
  removedAt: number | null;
  /** Only of `failed`: for the person, with what to do. */
  failure: string | null;
  /** The most frequent first, at most `JOB_ERROR_GROUPS_MOST`. */
  errors: JobErrorGroup[];
  batch: BatchOrigin | null;
  /** Grows with every change: an older record never replaces a newer one. */
  version: number;
}

/** Whoever works in the App has no key; usage of Jobs that were started there is counted under this. */
export const APP_KEY_ID = "app";

/** Where a run of items stands in the Job's input. */
export interface InputSlice {
  from: number;
  items: number;
  offset: number;
  bytes: number;
  /** Its answers may be large: it has one item, and its result flows to the store in pieces. */
  large: boolean;
}

export interface NewJob {
  id: string;
  personId: string;
  keyId: string;
  name: string;
  model: string;
  /** SHA-256 of the request in hex: the same id with another content is a conflict. */
  contentHash: string;
  /** Where the input is in the store: each line `{"custom_id", "body"}`. */
  inputKey: string;
  /** In the input's order, without gaps. */
  slices: InputSlice[];
  batch: BatchOrigin | null;
}

export interface SliceClaim {
  slice: InputSlice;
  /** Of the Job: where the slice's bytes are. */
  inputKey: string;
  /** Counts this slice's claims from 1: what came of an older one is not taken. */
  attempt: number;
  /** The id of the Hold to take: another one for each attempt. */
  holdId: string;
  personId: string;
  keyId: string;
  model: string;
  /**
   * Its workers died or broke `SLICE_ATTEMPTS_MOST` times: nothing of it is run or held any more, each
   * item's line is an `inference_failed`, and that is committed, with `held` and `usage` of zero.
   */
  failAll: boolean;
}

export type ClaimAnswer =
  | { outcome: "claimed"; claim: SliceClaim }
  /** Nothing to claim now: all is done or claimed, the Job is paused, cancelled or unknown. */
  | { outcome: "nothing" };

/** Names a claim in the calls that follow it. */
export interface ClaimName {
  from: number;
  attempt: number;
}

export interface ResultPart {
  /** The bytes of all result lines, at `jobPartKey(…, "all")`. */
  bytes: number;
  /** Of these, the lines of items that succeeded; fewer than `bytes` means that there are two more objects. */
  succeededBytes: number;
}

export interface SliceResult {
  counts: { succeeded: number; failed: number };
  usage: TokenUsage;
  /** Items that were charged; they go with `usage` into the settlement. */
  charged: number;
  held: number;
  part: ResultPart;
  errors: JobErrorGroup[];
}

/** Why a slice goes back, or what part of it. */
export type SliceReturn =
  /** The consumer was told to stop; the slice runs again. */
  | { why: "stopped" }
  /** Something broke that is none of its items' own; it runs again after a while, so often and no more. */
  | { why: "broke" }
  /** There are tokens for fewer items: what begins at `rest` goes back, the claim goes on without it. */
  | { why: "split"; rest: { from: number; offset: number } }
  /** Not even one item fits: the Job pauses. */
  | {
      why: "budget";
      budget: BudgetFigures;
      scope: "account" | "key";
      /** Held by the person's own running requests; it goes on by itself when these end. */
      heldWouldFree: boolean;
    }
  /** The person is disabled: the Job is cancelled. */
  | { why: "disabled" };

/** `goOn` is false when the claim is no longer this one's, or the Job was cancelled. */
export interface ClaimRenewal {
  goOn: boolean;
}

/** A finished stretch of results, for downloads. */
export interface PartPlace extends ResultPart {
  from: number;
  attempt: number;
}

/** A Job object's RPC. Each call is repeatable. */
export interface JobRpc {
  /** `inputKey` is the Job's own: that of the first submission, so that the input of a repeat can go. */
  create(
    job: NewJob,
  ): Promise<{ ok: true; record: JobRecord; inputKey: string } | { ok: false; reason: "conflict" }>;
  record(): Promise<JobRecord | null>;
  claim(ticket: string): Promise<ClaimAnswer>;
  renew(claim: ClaimName): Promise<ClaimRenewal>;
  /**
   * The slice is done and will be charged, exactly once: the object itself settles the Hold, until
   * the Account says that it is durable. False when the claim had been given to another: then
   * nothing of this one counts, and its Hold ends by its lease.
   */
  commit(claim: ClaimName, result: SliceResult): Promise<boolean>;
  giveBack(claim: ClaimName, returned: SliceReturn): Promise<void>;
  /** From the Model's Dispatcher: whether there is something to wait for, or null when it is Warm. */
  modelWaits(reason: ModelWait | null): Promise<void>;
  /** Tokens were granted, or a limit was raised: a Job that waits for them tries again. */
  tokensChanged(): Promise<void>;
  cancel(): Promise<JobRecord | null>;
  /**
   * The results so far as one file: the parts of the finished slices in input order, up to the first
   * that is still to come. So what was once there stays where it is; `complete` says that no more comes.
   */
  parts(): Promise<{ parts: PartPlace[]; complete: boolean } | null>;
  /** Removes input, results and the record; false while it runs. */
  remove(): Promise<boolean>;
}

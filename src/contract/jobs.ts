// What the Worker, its queue consumer and the objects behind Jobs say to each other. A Job's items are
// its lines, counted from 0; a slice is a run of items that is worked off together under one Hold.
// Times are milliseconds since 1970 (UTC).
import type { CommitMark, TokenUsage } from "./account.ts";
import type { Page } from "./directory.ts";
import type { BudgetFigures } from "./errors.ts";
import type { SavedPromptsRpc } from "./saved-prompts.ts";

export type JobState = "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";

type JobPauseReason = "budget_exceeded" | "spend_cap" | "model_starting";

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

/** A turn: leave to work on one Job's slices until told to give way. The queue's message. */
export interface JobTurn {
  ticket: string;
  jobId: string;
  model: string;
}

/** What all Jobs of a Model wait for. */
export type ModelWait = Exclude<JobPauseReason, "budget_exceeded">;

/** One object a Model: hands out turns, fairly between people, and waits for a Cold Model for all. */
export interface DispatcherRpc {
  /** The Job has something to do. */
  enter(job: { jobId: string; personId: string }): Promise<void>;
  /** It has not: cancelled, drained, or waiting for tokens. */
  leave(jobId: string): Promise<void>;
  /** False for a ticket that has begun, ended or expired: a message may be delivered twice. */
  begin(ticket: string): Promise<boolean>;
  /** Keeps the ticket. `goOn` false: give way, somebody else's turn has come, or the Model waits. */
  renew(ticket: string): Promise<{ goOn: boolean }>;
  end(ticket: string, how: { drained: boolean; modelNotReady: boolean }): Promise<void>;
  snapshot(): Promise<DispatcherSnapshot>;
}

export interface DispatcherSnapshot {
  jobs: { jobId: string; personId: string; turns: number }[];
  waitsFor: ModelWait | null;
}

/** A file that was uploaded for `batches`. */
export interface FileRow {
  id: string;
  name: string;
  bytes: number;
  createdAt: number;
  removedAt: number;
}

/** One object a person: the list of their Jobs and files. The Jobs themselves are the truth. */
export interface JobListRpc extends SavedPromptsRpc {
  put(record: JobRecord): Promise<void>;
  drop(jobId: string): Promise<void>;
  /**
   * Newest first. `after` is the id of a row, as OpenAI's lists have it, and so is the page's `next`.
   * `batches` leaves out what was not submitted as one.
   */
  jobs(page: { after: string | null; limit: number; batches?: boolean }): Promise<Page<JobRecord>>;
  /** How many of the Jobs have not ended. */
  unended(): Promise<number>;
  /** Each of the person's Jobs that has not ended hears of it. */
  tokensChanged(): Promise<void>;
  cancelAll(): Promise<void>;

  putFile(file: FileRow): Promise<void>;
  file(id: string): Promise<FileRow | null>;
  files(page: { after: string | null; limit: number }): Promise<Page<FileRow>>;
  /** Removes the bytes too; false when there is none. */
  removeFile(id: string): Promise<boolean>;
}

/** What the Account is asked for a slice: no start, no place in the line, no lowering. */
export interface SliceAdmitRequest {
  holdId: string;
  keyId: string;
  model: string;
  /** The worst case of all its items. */
  tokens: number;
}

export type SliceAdmission =
  | { outcome: "admitted"; held: number }
  | { outcome: "refused"; refusal: { reason: "account_disabled" } | { reason: "ended" } }
  | {
      outcome: "refused";
      refusal: {
        reason: "budget";
        scope: "account" | "key";
        budget: BudgetFigures;
        heldWouldFree: boolean;
      };
    };

/** The Hold of a slice as it was admitted, so that a restarted Account can go on. */
export interface HeldSlice {
  holdId: string;
  keyId: string;
  model: string;
  held: number;
}

export interface SliceSettlement extends HeldSlice {
  usage: TokenUsage;
  /** How many of its items were charged, for the usage by day. */
  requests: number;
}

/** What of the Account object's RPC is for Jobs. Each call is repeatable. */
export interface AccountSlicesRpc {
  admitSlice(request: SliceAdmitRequest): Promise<SliceAdmission>;
  /**
   * False when the Hold has ended or the person is disabled. A revoked key does not stop a Job. There
   * is no progress: what is not committed runs again, and is charged then.
   */
  renewSlice(hold: HeldSlice): Promise<{ goOn: boolean }>;
  /**
   * Answers when it is durable. A slice's ending is known until `forgetSlices`, however long the Job
   * was away, so that a repeated settlement never charges twice. Zero usage releases the Hold.
   */
  settleSlices(settlements: readonly SliceSettlement[]): Promise<CommitMark>;
  /**
   * Ends the Hold at once as its lease would have: it costs nothing, and what the backend did for it
   * counts as unreported. Should its slice have been committed after all, the settlement puts it right.
   */
  dropSlice(hold: HeldSlice): Promise<void>;
  /**
   * To be called once no settlement of these comes any more: of a slice that was settled, and of its
   * attempts before, whose Holds ended by their leases. Answers when it is durable.
   */
  forgetSlices(holdIds: readonly string[]): Promise<void>;
}

/** Where things are in the store. */
export function jobFolder(personId: string, jobId: string): string {
  return `people/${personId}/jobs/${jobId}/`;
}

/**
 * `submission` is random: two submissions under one id at the same time must not write over each
 * other's input, of which only the first is the Job's.
 */
export function jobInputKey(personId: string, jobId: string, submission: string): string {
  return `${jobFolder(personId, jobId)}input-${submission}.jsonl`;
}

/** `succeeded` and `failed` exist only where a part has lines of both, or only failed ones. */
export function jobPartKey(
  personId: string,
  jobId: string,
  { from, attempt }: ClaimName,
  lines: "all" | "succeeded" | "failed",
): string {
  return `${jobFolder(personId, jobId)}results/${from}-${attempt}-${lines}.jsonl`;
}

export function fileKey(personId: string, fileId: string): string {
  return `people/${personId}/files/${fileId}`;
}

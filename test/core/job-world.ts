// A Job among those who work on it: consumers that die, answers that get lost, an Account that charges
// whatever settlement it does not know, and memory that is lost before or after a write.
import type { SliceSettlement } from "../../src/contract/account-slices.ts";
import type { ClaimName, SliceClaim, SliceReturn } from "../../src/contract/jobs.ts";
import { HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import { claimSlice, commitSlice, giveBackSlice, renewClaim } from "../../src/core/job.ts";
import { noteForgotten, noteSettled, toForget, toSettle } from "../../src/core/job-closings.ts";
import {
  bringUpToDate,
  cancelJob,
  noteModelWait,
  noteTokensChanged,
} from "../../src/core/job-life.ts";
import { partsOf } from "../../src/core/job-record.ts";
import {
  type JobBook,
  type JobOnDisk,
  newJob,
  noChanges,
  openJob,
} from "../../src/core/job-state.ts";

export const START = Date.UTC(2026, 10, 29, 12);
const BYTES_AN_ITEM = 10;

/** When memory is lost in a call: with its write, or after it. Its answer is lost both times. */
export type Loss = "none" | "before" | "after";

export interface Worker {
  claim: SliceClaim;
  /** As it knows: a split makes it fewer. */
  items: number;
  /** Once it has said that it is done, it says nothing else. */
  state: "works" | "commits" | "committed" | "gone";
  failed: number;
}

export const budget = { granted: 9, spent: 9, held: 0, available: 0, needed: 1 };

/** As many slices as there are numbers, of so many items each. */
function inputSlices(items: readonly number[]) {
  let from = 0;
  return items.map((count) => {
    const slice = {
      from,
      items: count,
      offset: from * BYTES_AN_ITEM,
      bytes: count * BYTES_AN_ITEM,
    };
    from += count;
    return { ...slice, large: false };
  });
}

function jobOf(items: readonly number[]) {
  return {
    ...{ id: "job", personId: "person", keyId: "key", name: "", model: "model" },
    ...{ contentHash: "hash", inputKey: "input", slices: inputSlices(items), batch: null },
  };
}

export class JobWorld {
  now = START;
  book: JobBook;
  readonly workers: Worker[] = [];
  /** By Hold: how often it was charged, and what for. */
  readonly charges = new Map<string, SliceSettlement[]>();
  /** Holds that run, with the end of their leases, and those whose ending the Account keeps. */
  readonly holds = new Map<string, number>();
  readonly endings = new Set<string>();
  /** What was said of slices that are committed. */
  readonly committed = new Map<string, number>();
  #disk: JobOnDisk;

  constructor(items: readonly number[]) {
    this.#disk = newJob(jobOf(items), this.now);
    this.book = openJob(structuredClone(this.#disk));
  }

  /** One call of the object; undefined when its answer is lost. */
  call<Answer>(loss: Loss, deed: (book: JobBook) => Answer): Answer | undefined {
    bringUpToDate(this.book, this.now);
    const answer = deed(this.book);
    bringUpToDate(this.book, this.now);
    if (loss !== "before") this.#write();
    if (loss === "none") return answer;
    this.book = openJob(structuredClone(this.#disk));
    return undefined;
  }

  pass(ms: number): void {
    this.now += ms;
    for (const [holdId, until] of this.holds) {
      if (until > this.now) continue;
      this.holds.delete(holdId);
      this.endings.add(holdId);
    }
  }

  claim(loss: Loss): void {
    const answer = this.call(loss, (book) => claimSlice(book, this.now));
    if (answer?.outcome !== "claimed") return;
    const { claim } = answer;
    if (this.holds.has(claim.holdId) || this.endings.has(claim.holdId)) {
      throw new Error("a Hold's id was given twice");
    }
    if (!claim.failAll) this.holds.set(claim.holdId, this.now + HOLD_LEASE_MS);
    this.workers.push({ claim, items: claim.slice.items, state: "works", failed: 0 });
  }

  renew(worker: Worker, loss: Loss): void {
    const goOn = this.call(loss, (book) => renewClaim(book, name(worker), this.now));
    if (goOn === false) this.#giveUp(worker);
    const { holdId } = worker.claim;
    if (goOn === true && this.holds.has(holdId)) this.holds.set(holdId, this.now + HOLD_LEASE_MS);
  }

  commit(worker: Worker, failed: number, loss: Loss): void {
    if (worker.state === "works") worker.failed = Math.min(failed, worker.items);
    if (worker.state === "works") worker.state = "commits";
    const result = this.resultOf(worker);
    const answer = this.call(loss, (book) => commitSlice(book, name(worker), result, this.now));
    if (answer === "wrong_count") throw new Error("a worker knows what it has");
    if (answer === "stale" && worker.state === "committed") throw new Error("a commit was undone");
    if (answer === "stale") this.#giveUp(worker);
    if (answer !== "committed") return;
    worker.state = "committed";
    this.committed.set(worker.claim.holdId, worker.items);
  }

  giveBack(worker: Worker, returned: SliceReturn, loss: Loss): void {
    const deed = (book: JobBook) => giveBackSlice(book, name(worker), returned, this.now);
    this.call(loss, deed);
    // Whoever hears no answer says it again; here it dies instead, and its lease ends.
    if (returned.why !== "split") this.#giveUp(worker);
    else if (loss === "none") worker.items = returned.rest.from - worker.claim.slice.from;
    else this.#giveUp(worker);
  }

  settle(heard: boolean, loss: Loss): void {
    const settlements = toSettle(this.book);
    for (const settlement of settlements) {
      const { holdId } = settlement;
      this.holds.delete(holdId);
      if (this.endings.has(holdId) && this.charges.has(holdId)) continue;
      this.endings.add(holdId);
      this.charges.set(holdId, [...(this.charges.get(holdId) ?? []), { ...settlement }]);
    }
    if (heard) this.call(loss, (book) => noteSettled(book, settlements, this.now));
  }

  forget(heard: boolean, loss: Loss): void {
    const { closings, holdIds } = toForget(this.book, this.now);
    for (const holdId of holdIds) this.endings.delete(holdId);
    if (heard) this.call(loss, (book) => noteForgotten(book, closings));
  }

  cancel(loss: Loss): void {
    this.call(loss, (book) => cancelJob(book, this.now));
  }

  tokensChanged(loss: Loss): void {
    this.call(loss, (book) => noteTokensChanged(book, this.now));
  }

  modelWaits(reason: "spend_cap" | "model_starting" | null, loss: Loss): void {
    this.call(loss, (book) => noteModelWait(book, reason, this.now));
  }

  resultOf({ claim, items, ...worker }: Worker) {
    const { from } = claim.slice;
    const failed = claim.failAll ? items : worker.failed;
    const none = { promptTokens: 0, completionTokens: 0 };
    return {
      counts: { succeeded: items - failed, failed },
      // Another one for each attempt, so that the wrong one's would be seen.
      usage: claim.failAll ? none : { promptTokens: items, completionTokens: claim.attempt },
      ...{ charged: items - failed, held: claim.failAll ? 0 : 100 },
      part: { bytes: items * 7, succeededBytes: (items - failed) * 7 },
      errors: failed === 0 ? [] : [{ code: "c", message: "m", count: failed, customId: `${from}` }],
    };
  }

  /** All that is left is worked off, or what runs ends; then the Account hears everything. */
  comeToRest(): void {
    for (const worker of this.workers) this.#giveUp(worker);
    for (let round = 0; this.book.progress.endedAt === null; round += 1) {
      if (round > 2_000) throw new Error("the Job does not end");
      this.pass(round % 3 === 0 ? 700_000 : 1_000);
      this.claim("none");
      const worker = this.workers.at(-1);
      if (worker?.state === "works") this.commit(worker, 0, "none");
    }
    for (let round = 0; this.book.closings.size > 0; round += 1) {
      if (round > 2_000) throw new Error("the Account does not hear everything");
      this.settle(true, "none");
      this.forget(true, "none");
      this.pass(400_000);
    }
  }

  /** Items in the order of the results so far. */
  download(): string[] {
    return partsOf(this.book).parts.flatMap(({ from, attempt, bytes }) =>
      Array.from({ length: bytes / 7 }, (_, index) => `${from + index} by ${attempt}`),
    );
  }

  #giveUp(worker: Worker): void {
    if (worker.state !== "committed") worker.state = "gone";
  }

  #write(): void {
    const { progress, slices, closings, closed } = this.book.changes;
    const disk = this.#disk;
    const kept = new Map(disk.slices.map((slice) => [slice.from, slice]));
    for (const slice of slices) kept.set(slice.from, structuredClone(slice));
    disk.slices = [...kept.values()].sort((one, other) => one.from - other.from);
    const left = new Map(disk.closings.map((closing) => [closing.from, closing]));
    for (const closing of closings) left.set(closing.from, structuredClone(closing));
    for (const from of closed) left.delete(from);
    disk.closings = [...left.values()];
    if (progress) disk.progress = structuredClone(this.book.progress);
    this.book.changes = noChanges();
  }
}

function name({ claim }: Worker): ClaimName {
  return { from: claim.slice.from, attempt: claim.attempt };
}

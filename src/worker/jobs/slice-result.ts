// What came of a slice's items, in their order, and the part that it becomes in the store.
import type { TokenUsage } from "../../contract/account.ts";
import { errorCatalogue, type PublicError } from "../../contract/errors.ts";
import { JOB_ERROR_GROUPS_MOST } from "../../contract/job-limits.ts";
import { jobPartKey } from "../../contract/job-store.ts";
import type { JobErrorGroup, ResultPart, SliceClaim, SliceResult } from "../../contract/jobs.ts";
import { addErrors } from "../../core/job-errors.ts";
import { errorBody } from "../refuse.ts";
import type { JudgedItem } from "./judge-items.ts";
import { failureLine } from "./result-line.ts";
import { StoreUpload } from "./take-in-upload.ts";

interface ItemLine {
  /** Null where the item's answer has gone into the store while it came. */
  line: Uint8Array | null;
  /** Null until the answer has come to its end: until then it is no result. */
  usage: TokenUsage | null;
  /** Of an item that failed. */
  error: JobErrorGroup | null;
}

const NOTHING: TokenUsage = { promptTokens: 0, completionTokens: 0 };

type Lines = "all" | "succeeded" | "failed";

export class SliceLines {
  readonly #jobId: string;
  readonly #claim: SliceClaim;
  readonly #lines = new Map<number, ItemLine>();
  /** Of a large item, whose line is not kept. */
  #flowedBytes = 0;
  #keptBytes = 0;

  constructor(jobId: string, claim: SliceClaim) {
    this.#jobId = jobId;
    this.#claim = claim;
  }

  /** Of the lines that are kept in memory. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  keep(index: number, line: Uint8Array): void {
    this.#lines.set(index, { line, usage: null, error: null });
    this.#keptBytes += line.length;
  }

  noteFlowed(index: number, bytes: number): void {
    this.#lines.set(index, { line: null, usage: null, error: null });
    this.#flowedBytes = bytes;
  }

  /** The item's answer is whole, and this is what it costs. */
  charge(index: number, usage: TokenUsage): void {
    const line = this.#lines.get(index);
    if (line !== undefined) line.usage = usage;
  }

  has(index: number): boolean {
    return (this.#lines.get(index)?.usage ?? null) !== null;
  }

  /** Forgets all from `index` on. */
  cut(index: number): void {
    for (const at of this.#lines.keys()) if (at >= index) this.#lines.delete(at);
  }

  fail(item: JudgedItem, error: PublicError): void {
    const { index, customId, requestId } = item;
    const { status } = errorCatalogue[error.code];
    const line = failureLine({ requestId, customId }, status, error, errorBody(error));
    const { code, message } = error;
    this.#lines.set(index, { line, usage: NOTHING, error: { code, message, count: 1, customId } });
    this.#keptBytes += line.length;
  }

  result(held: number, part: ResultPart): SliceResult {
    const lines = [...this.#lines.values()];
    const failed = lines.filter(({ error }) => error !== null).length;
    const usages = lines.map(({ usage }) => usage ?? NOTHING);
    const sum = (of: keyof TokenUsage) => usages.reduce((all, usage) => all + usage[of], 0);
    const errors = lines.reduce<JobErrorGroup[]>(
      (groups, { error }) => (error === null ? groups : addErrors(groups, [error])),
      [],
    );
    return {
      counts: { succeeded: lines.length - failed, failed },
      usage: { promptTokens: sum("promptTokens"), completionTokens: sum("completionTokens") },
      charged: usages.filter((usage) => usage.promptTokens + usage.completionTokens > 0).length,
      ...{ held, part },
      errors: errors.slice(0, JOB_ERROR_GROUPS_MOST),
    };
  }

  /** Writes them; three objects only where some succeeded and some failed. */
  async write(store: R2Bucket): Promise<ResultPart> {
    const lines = [...this.#lines].sort(([a], [b]) => a - b).map(([, line]) => line);
    const succeeded = lines.filter(({ error }) => error === null);
    if (lines.length === succeeded.length && lines[0]?.line === null) {
      return { bytes: this.#flowedBytes, succeededBytes: this.#flowedBytes };
    }
    const failed = lines.filter(({ error }) => error !== null);
    const bytes = await this.#put(store, "all", lines);
    if (failed.length === 0) return { bytes, succeededBytes: bytes };
    if (succeeded.length === 0) return { bytes, succeededBytes: 0 };
    const [succeededBytes] = await Promise.all([
      this.#put(store, "succeeded", succeeded),
      this.#put(store, "failed", failed),
    ]);
    return { bytes, succeededBytes };
  }

  /** What a refused commit leaves behind. */
  async remove(store: R2Bucket): Promise<void> {
    await store.delete((["all", "succeeded", "failed"] as const).map((each) => this.#key(each)));
  }

  /** For a large item's line. */
  openPart(store: R2Bucket): StoreUpload {
    return new StoreUpload(store, this.#key("all"));
  }

  async #put(store: R2Bucket, which: Lines, lines: readonly ItemLine[]): Promise<number> {
    const upload = new StoreUpload(store, this.#key(which));
    try {
      for (const { line } of lines) {
        if (line !== null) upload.write(line);
        await upload.drain();
      }
      await upload.finish();
      return upload.bytes;
    } catch (failure) {
      await upload.abort();
      throw failure;
    }
  }

  #key(lines: Lines): string {
    const { personId, slice, attempt } = this.#claim;
    return jobPartKey(personId, this.#jobId, { from: slice.from, attempt }, lines);
  }
}

// The only truth about one Job. The shell around core/job: it loads, asks the core, writes, answers, and
// tells others. Nothing awaits between a decision and its write, so that what is answered is on disk.
import { DurableObject } from "cloudflare:workers";
import type {
  ClaimAnswer,
  ClaimName,
  ClaimRenewal,
  JobRecord,
  JobRpc,
  NewJob,
  PartPlace,
  SliceResult,
  SliceReturn,
} from "../../contract/jobs.ts";
import { claimSlice, commitSlice, giveBackSlice, renewClaim } from "../../core/job.ts";
import { bringUpToDate, cancelJob, noteModelWait, noteTokensChanged } from "../../core/job-life.ts";
import { partsOf, recordOf } from "../../core/job-record.ts";
import { type JobBook, newJob, nextChange } from "../../core/job-state.ts";
import type { Errand } from "../errand.ts";
import { Errands } from "../errands.ts";
import type { ObjectBindings } from "../objects.ts";
import type { JobHere } from "./job-here.ts";
import { JobStorage } from "./job-storage.ts";
import { removeJob } from "./remove-job.ts";
import { tellAccount } from "./tell-account.ts";
import { tellDispatcher } from "./tell-dispatcher.ts";
import { tellList } from "./tell-list.ts";
import { announce, tellWebhooks } from "./tell-webhooks.ts";

export class Job extends DurableObject<ObjectBindings> implements JobRpc {
  readonly #here: JobHere;
  readonly #list: Errand;
  readonly #errands: Errands;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    const storage = new JobStorage(context);
    this.#here = { book: storage.read(), told: storage.readTold(), storage, env };
    this.#list = tellList(this.#here);
    const here = this.#here;
    const told = [tellAccount(here), this.#list, tellDispatcher(here), tellWebhooks(here)];
    this.#errands = new Errands(context, [...told, removeJob(here, told)]);
  }

  async create(job: NewJob): ReturnType<JobRpc["create"]> {
    const now = Date.now();
    const { told, storage } = this.#here;
    if (told.removing) return { ok: false, reason: "conflict" };
    if (this.#here.book === null) {
      // That of a Job before, which was removed, went with it.
      this.#errands.alarmCame();
      this.#here.book = storage.create(newJob(job, now));
    }
    const { book } = this.#here;
    const { contentHash, personId, inputKey } = book.origin;
    if (contentHash !== job.contentHash || personId !== job.personId) {
      return { ok: false, reason: "conflict" };
    }
    this.#keep(book, now);
    // Whoever lists their Jobs next shall find it; where that fails, it comes later.
    await this.#list.current;
    return { ok: true, record: recordOf(book, now), inputKey };
  }

  async record(): Promise<JobRecord | null> {
    return this.#do(null, recordOf);
  }

  async claim(_ticket: string): Promise<ClaimAnswer> {
    return this.#do({ outcome: "nothing" }, claimSlice);
  }

  async renew(claim: ClaimName): Promise<ClaimRenewal> {
    return { goOn: this.#do(false, (book, now) => renewClaim(book, claim, now)) };
  }

  async commit(claim: ClaimName, result: SliceResult): Promise<boolean> {
    return this.#do(false, (book, now) => {
      const outcome = commitSlice(book, claim, result, now);
      if (outcome === "wrong_count") {
        const { from, attempt } = claim;
        const { counts } = result;
        console.error({ event: "job_commit_defect", job: book.origin.id, from, attempt, counts });
      }
      return outcome === "committed";
    });
  }

  async giveBack(claim: ClaimName, returned: SliceReturn): Promise<void> {
    this.#do(undefined, (book, now) => giveBackSlice(book, claim, returned, now));
  }

  async modelWaits(reason: "spend_cap" | "model_starting" | null): Promise<void> {
    this.#do(undefined, (book, now) => noteModelWait(book, reason, now));
  }

  async tokensChanged(): Promise<void> {
    this.#do(undefined, noteTokensChanged);
  }

  async cancel(): Promise<JobRecord | null> {
    return this.#do(null, (book, now) => {
      cancelJob(book, now);
      return recordOf(book, now);
    });
  }

  async parts(): Promise<{ parts: PartPlace[]; complete: boolean } | null> {
    return this.#do(null, partsOf);
  }

  async remove(): Promise<boolean> {
    return this.#do(true, (book) => {
      if (book.progress.endedAt === null) return false;
      this.#here.told.removing = true;
      this.#here.storage.writeTold(this.#here.told);
      return true;
    });
  }

  /** Sees to what nobody comes for: leases that end, words that were not heard, the last day. */
  override async alarm(): Promise<void> {
    this.#errands.alarmCame();
    const { book } = this.#here;
    if (book !== null) this.#keep(book, Date.now());
  }

  /** `otherwise` where there is no such Job, or none any more. */
  #do<Answer>(otherwise: Answer, deed: (book: JobBook, now: number) => Answer): Answer {
    const { book, told } = this.#here;
    if (book === null) return otherwise;
    const now = Date.now();
    bringUpToDate(book, now);
    const answer = told.removing ? otherwise : deed(book, now);
    this.#keep(book, now);
    return answer;
  }

  /** Writes what changed, and sees to what follows from it. */
  #keep(book: JobBook, now: number): void {
    bringUpToDate(book, now);
    this.#here.storage.writeChanges(book);
    announce(this.#here, book, now);
    this.#errands.tend(now, () => this.#nextChange());
  }

  #nextChange(): number | null {
    const { book } = this.#here;
    return book === null ? null : nextChange(book, Date.now());
  }
}

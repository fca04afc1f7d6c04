// One claimed slice, from its input to its commit. It ends once: committed, and then the Job itself
// sees to its Hold; or given back, and then its Hold is dropped, which a commit after all puts right.
import type { HeldSlice } from "../../contract/account-slices.ts";
import { TICKET_LEASE_MS } from "../../contract/job-limits.ts";
import type { SliceClaim, SliceReturn } from "../../contract/jobs.ts";
import { accountOf, jobOf, type ObjectBindings } from "../../durable-objects/objects.ts";
import type { Services } from "../environment.ts";
import { Refused } from "../refuse.ts";
import type { CallPool } from "./call-pool.ts";
import { holdSlice } from "./hold-slice.ts";
import { ItemRunner, type Stop } from "./item-runner.ts";
import { type JudgedItem, judgeItems } from "./judge-items.ts";
import { type JobItem, readItems } from "./read-items.ts";
import { repeatCall } from "./repeat-call.ts";
import { SliceLines } from "./slice-result.ts";

/** Renewals that are not answered for so long are made again, while the leases last. */
const BEAT_LATE_MS = TICKET_LEASE_MS / 3;

export interface SliceSetting {
  env: ObjectBindings;
  services: Services;
  jobId: string;
  pool: CallPool;
  /** No item goes on beyond. */
  until: number;
  /** The backend was not ready for one of its items. */
  onNotReady: () => void;
}

export class SliceRun {
  /** Resolves when its items are in the pool, or it has ended: the next slice may be fetched. */
  readonly started: Promise<void>;
  readonly #setting: SliceSetting;
  readonly #claim: SliceClaim;
  readonly #stopper = new AbortController();
  readonly #lines: SliceLines;
  #start: () => void = () => undefined;
  #stop: Stop | null = null;
  readonly #runner: ItemRunner;
  #splitting: Promise<void> = Promise.resolve();
  #hold: HeldSlice | null = null;
  #renewedAt = Date.now();
  /** When the renewals under way began. */
  #beatSince: number | null = null;

  constructor(setting: SliceSetting, claim: SliceClaim) {
    this.#setting = setting;
    this.#claim = claim;
    this.#lines = new SliceLines(setting.jobId, claim);
    this.#runner = new ItemRunner({
      ...{ setting, claim, lines: this.#lines, signal: this.#stopper.signal },
      halt: (why) => this.#halt(why),
      onFull: () => this.cutShort(),
    });
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
  }

  /** Never rejects. */
  async run(): Promise<void> {
    try {
      const returned = await this.#work();
      if (returned !== null) await this.#giveBack(returned);
    } catch (failure) {
      const { slice, attempt } = this.#claim;
      const job = this.#setting.jobId;
      const what = { job, from: slice.from, attempt, failure: String(failure) };
      console.error({ event: "slice_broke", ...what });
      await this.#giveBack({ why: "broke" });
    } finally {
      this.#stopper.abort();
      this.#start();
    }
  }

  /** Keeps the claim and the Hold; ends the calls when they are lost, or the Job was cancelled. */
  async beat(now: number): Promise<void> {
    if (this.#beatSince !== null && now - this.#beatSince < BEAT_LATE_MS) return;
    this.#beatSince = now;
    try {
      const { goOn } = await this.#job.renew(this.#name);
      if (!goOn) this.#halt("stopped");
      const { HOLD_RENEW_MS } = this.#setting.services.configuration;
      if (this.#hold === null || now - this.#renewedAt < HOLD_RENEW_MS) return;
      const held = await this.#account.renewSlice(this.#hold);
      this.#renewedAt = now;
      if (!held.goOn) this.#halt("stopped");
    } catch {
      // One of many renewals before the lease ends; the next one tries again.
    } finally {
      if (this.#beatSince === now) this.#beatSince = null;
    }
  }

  /** Its turn is over, or its lines are many: what has not begun goes back. */
  cutShort(): void {
    if (this.#stop !== null) return;
    const cut = this.#runner.cut();
    if (cut === "nothing_begun") this.#halt("stopped");
    else if (cut !== null) this.#splitting = this.#split(cut).catch(() => this.#halt("broke"));
  }

  /** Null when it was committed, or is nobody's any more; else how it goes back. */
  async #work(): Promise<SliceReturn | null> {
    const { services } = this.#setting;
    const judged = judgeItems(readItems(await this.#readInput(), this.#claim.slice), {
      served: services.models.get(this.#claim.model),
      failAll: this.#claim.failAll,
    });
    const held = await this.#takeHold(judged);
    if (held !== null) return held;
    const ran = this.#runner.run();
    this.#start();
    await ran;
    await this.#splitting;
    if (this.#stop !== null && !(await this.#keepDone())) return { why: this.#stop };
    return await this.#commit();
  }

  /** Stopped on its way: what is done up to the first that is not stays, and is charged. */
  async #keepDone(): Promise<boolean> {
    const { firstUndone: rest } = this.#runner;
    if (rest === undefined) return true;
    if (rest.index === this.#claim.slice.from) return false;
    await this.#split(rest);
    this.#lines.cut(rest.index);
    return true;
  }

  async #readInput(): Promise<Uint8Array> {
    const { slice, inputKey } = this.#claim;
    const range = { offset: slice.offset, length: slice.bytes };
    const found = await this.#setting.env.JOB_STORE.get(inputKey, { range });
    if (found === null) throw new Error("the Job's input is not there");
    return new Uint8Array(await found.arrayBuffer());
  }

  async #takeHold(judged: readonly JudgedItem[]): Promise<SliceReturn | null> {
    const { env, pool } = this.#setting;
    const { holdId, keyId, model } = this.#claim;
    const taken = await holdSlice(env, this.#claim, judged, pool).catch((failure: unknown) => {
      if (!(failure instanceof Refused)) throw failure;
      // The backend could not count, which is no item's fault.
      this.#setting.onNotReady();
      return { kind: "back" as const, returned: { why: "broke" as const } };
    });
    if (taken.kind === "back") return taken.returned;
    if (taken.held > 0) this.#hold = { holdId, keyId, model, held: taken.held };
    this.#runner.items = judged.slice(0, taken.items);
    const rest = judged[taken.items];
    if (rest !== undefined) await this.#split(rest);
    return null;
  }

  async #commit(): Promise<null> {
    const { env } = this.#setting;
    const part = await this.#lines.write(env.JOB_STORE);
    const result = this.#lines.result(this.#hold?.held ?? 0, part);
    const taken = await repeatCall(() => this.#job.commit(this.#name, result));
    if (taken) return null;
    await this.#lines.remove(env.JOB_STORE);
    await this.#drop();
    return null;
  }

  async #giveBack(returned: SliceReturn): Promise<void> {
    try {
      await repeatCall(() => this.#job.giveBack(this.#name, returned));
      await this.#drop();
    } catch (failure) {
      // The claim and the Hold end by their leases.
      const { slice, attempt } = this.#claim;
      const what = { job: this.#setting.jobId, from: slice.from, attempt };
      console.error({ event: "slice_not_given_back", ...what, failure: String(failure) });
    }
  }

  async #drop(): Promise<void> {
    const hold = this.#hold;
    this.#hold = null;
    if (hold !== null) await repeatCall(() => this.#account.dropSlice(hold));
  }

  async #split({ index, offset }: JobItem): Promise<void> {
    const rest = { from: index, offset };
    await repeatCall(() => this.#job.giveBack(this.#name, { why: "split", rest }));
  }

  #halt(why: Stop): void {
    this.#stop ??= why;
    this.#stopper.abort();
  }

  get #name() {
    return { from: this.#claim.slice.from, attempt: this.#claim.attempt };
  }

  get #job() {
    return jobOf(this.#setting.env, this.#setting.jobId);
  }

  get #account() {
    return accountOf(this.#setting.env, this.#claim.personId);
  }
}

// One Model's turns for Jobs. The shell around core/dispatch: it hands turns to the queue while the
// Model is Warm, and tells Jobs when it is not.
import { DurableObject } from "cloudflare:workers";
import type { DispatcherRpc, DispatcherSnapshot, JobTurn } from "../../contract/dispatcher.ts";
import { TURN_CALLS } from "../../contract/job-limits.ts";
import type { ModelWait } from "../../contract/jobs.ts";
import {
  beginTicket,
  type Dispatch,
  endTicket,
  enterJob,
  expireTickets,
  handOut,
  leaveJob,
  nextDispatch,
  renewTicket,
} from "../../core/dispatch.ts";
import { Errand } from "../errand.ts";
import { Errands } from "../errands.ts";
import { inferenceOf, jobOf, type ObjectBindings } from "../objects.ts";
import { servedModel } from "../served-model.ts";
import { DispatcherStorage } from "./dispatcher-storage.ts";
import { ModelWatch } from "./model-watch.ts";

/** Words to Jobs that are under way at once. */
const WORDS_AT_ONCE = 20;

/** Of a Model that is not served: each item's line says so, which is quick, and asks no backend. */
const NOT_SERVED_WINDOW = 1;

export class Dispatcher extends DurableObject<ObjectBindings> implements DispatcherRpc {
  readonly #modelId: string;
  readonly #isServed: boolean;
  /** Turns at once. */
  readonly #window: number;
  readonly #storage: DispatcherStorage;
  readonly #dispatch: Dispatch;
  /** What each Job was last told that it waits for. */
  readonly #told: Map<string, ModelWait | null>;
  readonly #watch: ModelWatch;
  readonly #errands: Errands;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    const { name } = context.id;
    if (name === undefined) throw new Error("a Dispatcher is reached by its Model's id");
    this.#modelId = name;
    const model = servedModel(name, env);
    this.#isServed = model !== null;
    this.#window =
      model === null ? NOT_SERVED_WINDOW : Math.ceil(model.job_concurrency / TURN_CALLS);
    this.#storage = new DispatcherStorage(context);
    const { dispatch, told } = this.#storage.read(Date.now());
    this.#dispatch = dispatch;
    this.#told = told;
    this.#watch = new ModelWatch({
      inference: () => inferenceOf(env, this.#modelId),
      wanted: () => this.#isServed && this.#isWanted(),
      used: () => [...dispatch.tickets.values()].some((ticket) => ticket.begun),
      changed: () => this.#advance(),
    });
    const words = new Errand({
      what: "model_waits",
      wantedAt: () => (this.#untold().length > 0 ? 0 : null),
      run: () => this.#tellJobs(),
    });
    this.#errands = new Errands(context, [this.#watch.errand, words]);
  }

  async enter({ jobId, personId }: { jobId: string; personId: string }): Promise<void> {
    enterJob(this.#dispatch, jobId, personId);
    if (!this.#told.has(jobId)) {
      this.#told.set(jobId, null);
      this.#storage.writeJob(jobId, personId, null);
    }
    this.#advance();
  }

  async leave(jobId: string): Promise<void> {
    leaveJob(this.#dispatch, jobId);
    this.#told.delete(jobId);
    this.#storage.dropJob(jobId);
    this.#advance();
  }

  async begin(ticket: string): Promise<boolean> {
    const begins = beginTicket(this.#dispatch, ticket, Date.now());
    const begun = this.#dispatch.tickets.get(ticket);
    if (begins && begun !== undefined) this.#storage.writeTicket(begun);
    this.#advance();
    return begins;
  }

  async renew(ticket: string): Promise<{ goOn: boolean }> {
    const now = Date.now();
    const waits = this.#watch.waitsFor != null;
    const goOn = renewTicket(this.#dispatch, ticket, { window: this.#window, waits }, now);
    this.#advance();
    return { goOn };
  }

  async end(ticket: string, how: { drained: boolean; modelNotReady: boolean }): Promise<void> {
    const begunAt = this.#dispatch.tickets.get(ticket)?.begunAt;
    endTicket(this.#dispatch, ticket, how.drained, Date.now());
    this.#storage.dropTicket(ticket);
    if (how.modelNotReady && begunAt !== undefined) this.#watch.doubt(begunAt);
    this.#advance();
  }

  async snapshot(): Promise<DispatcherSnapshot> {
    this.#advance();
    const tickets = [...this.#dispatch.tickets.values()];
    const jobs = [...this.#dispatch.jobs.values()].map(({ jobId, personId }) => {
      const turns = tickets.filter((ticket) => ticket.jobId === jobId).length;
      return { jobId, personId, turns };
    });
    return { jobs, waitsFor: this.#watch.waitsFor ?? null };
  }

  override async alarm(): Promise<void> {
    this.#errands.alarmCame();
    this.#advance();
  }

  /** What follows from what has happened, and from the time. */
  #advance(): void {
    const now = Date.now();
    for (const { id } of expireTickets(this.#dispatch, now)) this.#storage.dropTicket(id);
    if (!this.#isWanted()) this.#watch.rest();
    else if (!this.#isServed || this.#watch.isReady(now)) this.#handOut(now);
    this.#errands.tend(now, () => nextDispatch(this.#dispatch, this.#window, Date.now()));
  }

  #isWanted(): boolean {
    return this.#dispatch.jobs.size + this.#dispatch.tickets.size > 0;
  }

  #handOut(now: number): void {
    const newId = () => crypto.randomUUID();
    const tickets = handOut(this.#dispatch, { window: this.#window, newId }, now);
    if (tickets.length === 0) return;
    for (const ticket of tickets) this.#storage.writeTicket(ticket);
    const messages = tickets.map(({ id, jobId }): { body: JobTurn; contentType: "json" } => {
      return { body: { ticket: id, jobId, model: this.#modelId }, contentType: "json" };
    });
    // A message that is lost is sent again when its ticket was not begun in time.
    const sent = this.env.JOB_TURNS.sendBatch(messages).catch((failure: unknown) => {
      console.error({ event: "turns_not_sent", model: this.#modelId, failure: String(failure) });
    });
    this.ctx.waitUntil(sent);
  }

  /** Jobs that know no better than what was. */
  #untold(): string[] {
    const { waitsFor } = this.#watch;
    if (waitsFor === undefined) return [];
    return [...this.#told].filter(([, told]) => told !== waitsFor).map(([jobId]) => jobId);
  }

  async #tellJobs(): Promise<void> {
    const { waitsFor } = this.#watch;
    if (waitsFor === undefined) return;
    const some = this.#untold().slice(0, WORDS_AT_ONCE);
    await Promise.all(
      some.map(async (jobId) => {
        await jobOf(this.env, jobId).modelWaits(waitsFor);
        const job = this.#dispatch.jobs.get(jobId);
        if (job === undefined) return;
        this.#told.set(jobId, waitsFor);
        this.#storage.writeJob(jobId, job.personId, waitsFor);
      }),
    );
  }
}

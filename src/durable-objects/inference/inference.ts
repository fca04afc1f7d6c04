// One Model's containers: it starts them when somebody waits, tells who waits when it is Warm, and
// meters what they cost. The shell around core/model-life and core/container-meter.
import { DurableObject } from "cloudflare:workers";
import type { ContainerReport } from "../../contract/container-report.ts";
import type {
  InferenceRpc,
  InferenceSnapshot,
  ModelStatus,
  WaitAnswer,
  WaitRequest,
} from "../../contract/inference.ts";
import { type SpendVerdict, TICK_MS } from "../../contract/spend.ts";
import {
  advance,
  hasLiveContainers,
  isMetering,
  liveContainers,
  noteUse as meterUse,
  noteReport,
} from "../../core/container-meter.ts";
import {
  becomeCold,
  becomeWarm,
  begin,
  coolDown,
  expectedStartMs,
  noteProgress,
  noteUse,
} from "../../core/model-life.ts";
import type { ObjectBindings } from "../objects.ts";
import { InferenceStorage, type Kept, statusOf } from "./inference-storage.ts";
import { askProgress } from "./probe.ts";
import { Prober } from "./prober.ts";
import { progressOf, Readiness } from "./readiness.ts";
import { type ServedHere, servedHere } from "./served-here.ts";
import { SpendLink } from "./spend-link.ts";
import { WarmLine } from "./warm-line.ts";

/** An SDK that was told to try again comes back within this. */
const WANTED_AFTER_LEAVE_MS = 30_000;

/** A Wake that finds no end is given up after this many expected starts. */
const WAKE_STARTS = 3;

export class Inference extends DurableObject<ObjectBindings> implements InferenceRpc {
  readonly #storage: InferenceStorage;
  readonly #served: ServedHere;
  readonly #line: WarmLine;
  readonly #prober: Prober;
  readonly #kept: Kept;
  readonly #spend: SpendLink;
  readonly #readiness: Readiness;
  /** A start waits for the Spend limit's word. */
  #reserving = false;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    this.#served = servedHere(context.id.name, env);
    this.#storage = new InferenceStorage(context, Date.now());
    this.#kept = this.#storage.read();
    this.#spend = new SpendLink(env, this.#served, this.#kept, () => this.#verdictChanged());
    this.#line = new WarmLine(() => this.#status());
    this.#readiness = new Readiness(this.#served, this.#kept);
    this.#prober = new Prober({
      wanted: (now) => this.#wanted(now),
      probe: () => this.#readiness.ask(),
      ready: () => this.#becomeWarm(),
      gaveUp: () => this.#giveUp(),
      elapsedMs: (now) => now - (this.#kept.life.startingSince ?? now),
    });
  }

  async status({ used }: { used: boolean }): Promise<ModelStatus> {
    await this.#spend.learn();
    const now = this.#bringUpToDate();
    if (used) this.#noteUse(now);
    return this.#status();
  }

  async awaitWarm(request: WaitRequest): Promise<WaitAnswer> {
    // In line before anything is awaited: whoever leaves meanwhile is found there.
    const answer = this.#line.enter(request);
    try {
      await this.#serveOrStart(request.requestId);
    } catch (failure) {
      this.#line.leave(request.requestId);
      throw failure;
    }
    return await answer;
  }

  async leave(requestId: string): Promise<void> {
    this.#line.leave(requestId);
  }

  async notReady(): Promise<ModelStatus> {
    const now = this.#bringUpToDate();
    if (this.#kept.life.state === "warm") {
      this.#wantFor(WANTED_AFTER_LEAVE_MS);
      await this.#start(now);
    }
    return this.#status();
  }

  async wake(): Promise<ModelStatus> {
    await this.#spend.learn();
    const now = this.#bringUpToDate();
    if (this.#kept.life.state !== "warm" && !this.#kept.verdict.paused) {
      this.#wantFor(WAKE_STARTS * expectedStartMs(this.#kept.life, this.#served.rules));
      await this.#start(now);
    }
    return this.#status();
  }

  async report(report: ContainerReport): Promise<void> {
    const now = this.#bringUpToDate();
    const { meter, life } = this.#kept;
    if (!noteReport(meter, report, now, this.#served.price)) return;
    const { metrics } = report.data;
    const stalled = metrics !== null && noteProgress(life, progressOf(metrics), now);
    if (stalled || (report.type === "container.ready" && life.state !== "warm")) {
      this.#wantFor(WANTED_AFTER_LEAVE_MS);
      await this.#start(now);
    }
    this.#bringUpToDate();
    this.#keep();
    // Also the last report of all is in a tick.
    this.#storage.wakeAt(now + TICK_MS);
  }

  async spendChanged(verdict: SpendVerdict): Promise<void> {
    this.#spend.set(verdict);
  }

  async passConformance(revision: string): Promise<void> {
    this.#kept.passedRevision = revision;
    this.#keep();
    this.#prober.hurry();
  }

  async snapshot(): Promise<InferenceSnapshot> {
    await this.#spend.learn();
    const now = this.#bringUpToDate();
    const { life, meter } = this.#kept;
    return {
      status: this.#status(),
      starts: life.starts,
      containers: liveContainers(meter, now),
      startsTotal: life.startsTotal,
      waiting: this.#line.length,
      whyNotReady: life.state === "starting" ? this.#readiness.why : null,
    };
  }

  /** While anything runs: meters, tells the Spend limit, looks for a stall, and cools down. */
  override async alarm(): Promise<void> {
    this.#storage.alarmCame();
    const now = this.#bringUpToDate();
    // A long start is use, though nobody new comes.
    if (this.#wanted(now)) this.#noteUse(now);
    if (!(await this.#spend.tick(now))) this.#storage.wakeAt(now + TICK_MS);
    await this.#lookForStall(now);
    if (this.#kept.life.state === "starting" && !this.#reserving) this.#prober.hurry();
    this.#keep();
  }

  async #serveOrStart(requestId: string): Promise<void> {
    await this.#spend.learn();
    const now = this.#bringUpToDate();
    const { life, verdict } = this.#kept;
    if (!this.#line.has(requestId)) return;
    if (verdict.paused) return this.#line.answer(requestId, "not_warm");
    this.#noteUse(now);
    if (life.state === "warm") return this.#line.answer(requestId, "warm");
    await this.#start(now);
  }

  /** Nothing below awaits between reading the state and writing it. */
  #bringUpToDate(): number {
    const now = Date.now();
    const { life, meter } = this.#kept;
    const { rules, price } = this.#served;
    advance(meter, now, price);
    if (life.state !== "warm") return now;
    if (!this.#readiness.passed) this.#becomeCold();
    else if (hasLiveContainers(meter, now)) this.#kept.reportsLive = true;
    else if (this.#kept.reportsLive) this.#becomeCold();
    else if (coolDown(life, now, rules)) this.#keep();
    return now;
  }

  #noteUse(now: number): void {
    noteUse(this.#kept.life, now);
    meterUse(this.#kept.meter, now, this.#served.price);
    this.#storage.wakeAt(now + TICK_MS);
  }

  /** What it will cost is reserved before a container is asked for; without that it does not start. */
  async #start(now: number): Promise<void> {
    const { life } = this.#kept;
    const begins = life.state !== "starting";
    begin(life, now);
    this.#keep();
    if (begins) {
      this.#reserving = true;
      const reserved = await this.#spend.tick(now);
      this.#reserving = false;
      if (!reserved || this.#kept.verdict.paused) return this.#giveUp();
    }
    if (!this.#reserving) this.#prober.hurry();
  }

  /** Who was told to try again comes back; the start goes on meanwhile. */
  #wanted(now: number): boolean {
    const { life, verdict } = this.#kept;
    if (life.state !== "starting" || verdict.paused) return false;
    if (this.#line.length > 0) this.#wantFor(WANTED_AFTER_LEAVE_MS);
    return now < this.#kept.wantedUntil;
  }

  #wantFor(ms: number): void {
    this.#kept.wantedUntil = Math.max(this.#kept.wantedUntil, Date.now() + ms);
  }

  #becomeWarm(): void {
    const now = Date.now();
    becomeWarm(this.#kept.life, now);
    this.#noteUse(now);
    this.#keep();
    this.#line.answerAll("warm");
  }

  #giveUp(): void {
    if (this.#kept.life.state === "starting") this.#becomeCold();
    this.#line.answerAll("not_warm");
  }

  #becomeCold(): void {
    becomeCold(this.#kept.life);
    this.#kept.reportsLive = false;
    this.#keep();
  }

  /** A backend whose containers send no beats is asked itself, while it is used. */
  async #lookForStall(now: number): Promise<void> {
    const { life, reportsLive } = this.#kept;
    if (life.state !== "warm" || reportsLive) return;
    if (now - life.lastUsedAt > 2 * TICK_MS) return;
    const progress = await askProgress(this.#served.backend);
    if (progress === null || !noteProgress(life, progress, Date.now())) return;
    this.#wantFor(WANTED_AFTER_LEAVE_MS);
    await this.#start(Date.now());
  }

  /** Who waits is told why; what runs may finish. */
  #verdictChanged(): void {
    this.#keep();
    if (this.#kept.verdict.paused) this.#line.answerAll("not_warm");
  }

  #status(): ModelStatus {
    return statusOf(this.#kept, this.#served.rules);
  }

  /** Writes what changed, and comes back while anything runs. */
  #keep(): void {
    this.#storage.write(this.#kept);
    const now = Date.now();
    if (this.#kept.life.state !== "cold" || isMetering(this.#kept.meter, now))
      this.#storage.wakeAt(now + TICK_MS);
  }
}

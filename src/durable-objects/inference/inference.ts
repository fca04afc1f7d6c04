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
import type { SpendVerdict } from "../../contract/spend.ts";
import {
  advance,
  hasLiveContainers,
  liveContainers,
  noteUse as meterUse,
  noteReport,
  tickOf,
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
import { type ObjectBindings, spendLimitOf } from "../objects.ts";
import { InferenceStorage, type Kept } from "./inference-storage.ts";
import { askProgress, probe } from "./probe.ts";
import { Prober } from "./prober.ts";
import { type ServedHere, servedHere } from "./served-here.ts";
import { WarmLine } from "./warm-line.ts";

/** While anything runs: what the meter shows, and the Spend limit decides on, is no older. */
const TICK_MS = 10_000;

/** An SDK that was told to try again comes back within this; the start goes on meanwhile. */
const WANTED_AFTER_LEAVE_MS = 30_000;

/** A Wake that finds no end is given up after this many expected starts. */
const WAKE_STARTS = 3;

/** A verdict that forbids is asked for again after so long, so that what lifts it is seen. */
const VERDICT_FRESH_MS = 5_000;

export class Inference extends DurableObject<ObjectBindings> implements InferenceRpc {
  readonly #storage: InferenceStorage;
  readonly #served: ServedHere;
  readonly #line: WarmLine;
  readonly #prober: Prober;
  readonly #kept: Kept;
  /** Until when it is wanted though nobody waits. */
  #wantedUntil = 0;
  #verdictAt = 0;
  #whyNotReady: string | null = null;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    this.#served = servedHere(context.id.name, env);
    this.#storage = new InferenceStorage(context, Date.now());
    this.#kept = this.#storage.read();
    this.#line = new WarmLine(() => this.#status());
    this.#prober = new Prober({
      wanted: (now) => this.#wanted(now),
      probe: () => this.#probe(),
      ready: () => this.#becomeWarm(),
      gaveUp: () => this.#giveUp(),
      elapsedMs: (now) => now - (this.#kept.life.startingSince ?? now),
    });
  }

  async status({ used }: { used: boolean }): Promise<ModelStatus> {
    await this.#learnVerdict();
    const now = this.#bringUpToDate();
    if (used) this.#noteUse(now);
    return this.#status();
  }

  async awaitWarm(request: WaitRequest): Promise<WaitAnswer> {
    await this.#learnVerdict();
    const now = this.#bringUpToDate();
    const { life, verdict } = this.#kept;
    if (verdict.paused) return { outcome: "not_warm", status: this.#status() };
    this.#noteUse(now);
    if (life.state === "warm") return { outcome: "warm", status: this.#status() };
    const answer = this.#line.enter(request);
    this.#start(now);
    return await answer;
  }

  async leave(requestId: string): Promise<void> {
    this.#line.leave(requestId);
    this.#wantAfterLeave();
  }

  async notReady(): Promise<ModelStatus> {
    const now = this.#bringUpToDate();
    if (this.#kept.life.state === "warm") {
      begin(this.#kept.life, now);
      this.#wantAfterLeave();
      this.#start(now);
    }
    return this.#status();
  }

  async wake(): Promise<ModelStatus> {
    await this.#learnVerdict();
    const now = this.#bringUpToDate();
    if (this.#kept.life.state !== "warm" && !this.#kept.verdict.paused) {
      const expected = expectedStartMs(this.#kept.life, this.#served.rules);
      this.#wantedUntil = now + WAKE_STARTS * expected;
      this.#start(now);
    }
    return this.#status();
  }

  async report(report: ContainerReport): Promise<void> {
    const now = this.#bringUpToDate();
    const { meter, life } = this.#kept;
    if (!noteReport(meter, report, now, this.#served.price)) return;
    const { metrics } = report.data;
    if (metrics !== null) {
      const tokens = metrics.generation_tokens + metrics.prompt_tokens;
      if (noteProgress(life, { running: metrics.running, tokens }, now)) this.#start(now);
    }
    if (report.type === "container.ready" && life.state !== "warm") {
      this.#wantAfterLeave();
      this.#start(now);
    }
    this.#bringUpToDate();
    this.#keep();
  }

  async spendChanged(verdict: SpendVerdict): Promise<void> {
    this.#setVerdict(verdict);
  }

  async passConformance(revision: string): Promise<void> {
    this.#kept.passedRevision = revision;
    this.#keep();
    this.#prober.hurry();
  }

  async snapshot(): Promise<InferenceSnapshot> {
    await this.#learnVerdict();
    const now = this.#bringUpToDate();
    const { life, meter } = this.#kept;
    return {
      status: this.#status(),
      starts: [...life.starts],
      containers: liveContainers(meter, now),
      startsTotal: life.startsTotal,
      waiting: this.#line.length,
      whyNotReady: life.state === "starting" ? this.#whyNotReady : null,
    };
  }

  /** While anything runs: meters, tells the Spend limit, looks for a stall, and cools down. */
  override async alarm(): Promise<void> {
    const now = this.#bringUpToDate();
    await this.#lookForStall(now);
    await this.#tick(Date.now());
    if (this.#kept.life.state === "starting") this.#prober.hurry();
    this.#keep();
  }

  /** Nothing below awaits between reading the state and writing it. */
  #bringUpToDate(): number {
    const now = Date.now();
    const { life, meter } = this.#kept;
    const { rules, price } = this.#served;
    advance(meter, now, price);
    if (life.state !== "warm") return now;
    if (hasLiveContainers(meter, now)) this.#kept.reportsLive = true;
    else if (this.#kept.reportsLive) this.#becomeCold();
    else if (coolDown(life, now, rules)) this.#keep();
    return now;
  }

  #noteUse(now: number): void {
    noteUse(this.#kept.life, now);
    meterUse(this.#kept.meter, now, this.#served.price);
  }

  #start(now: number): void {
    begin(this.#kept.life, now);
    this.#keep();
    this.#prober.hurry();
  }

  #wanted(now: number): boolean {
    const { life, verdict } = this.#kept;
    if (life.state !== "starting" || verdict.paused) return false;
    return this.#line.length > 0 || now < this.#wantedUntil;
  }

  #wantAfterLeave(): void {
    this.#wantedUntil = Math.max(this.#wantedUntil, Date.now() + WANTED_AFTER_LEAVE_MS);
  }

  async #probe(): Promise<string | null> {
    const { backend, model } = this.#served;
    const { passedRevision } = this.#kept;
    this.#whyNotReady = await probe(backend);
    if (this.#whyNotReady === null && this.#served.conformanceRequired) {
      if (passedRevision !== model.revision) this.#whyNotReady = "its revision has to pass first";
    }
    return this.#whyNotReady;
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
    this.#wantAfterLeave();
    this.#start(Date.now());
  }

  async #tick(now: number): Promise<void> {
    const { meter } = this.#kept;
    // A container that was asked for costs from then on, though it has not said a word yet.
    const starting = this.#kept.life.state === "starting" && !hasLiveContainers(meter, now) ? 1 : 0;
    const { price, model } = this.#served;
    const tick = tickOf(meter, now, { model: model.id, starting, ...price });
    const verdict = await spendLimitOf(this.env)
      .tick(tick)
      .catch((failure: unknown) => {
        console.error({ event: "spend_tick_failed", failure: String(failure) });
        return null;
      });
    if (verdict !== null) this.#setVerdict(verdict);
  }

  /** Asked when nothing was heard, and when what was heard forbids and may have lifted. */
  async #learnVerdict(): Promise<void> {
    const age = Date.now() - this.#verdictAt;
    const { verdict, life } = this.#kept;
    const stale = verdict.paused || life.state === "cold" ? age > VERDICT_FRESH_MS : false;
    if (this.#verdictAt !== 0 && !stale) return;
    this.#setVerdict(await spendLimitOf(this.env).verdict());
  }

  #setVerdict(verdict: SpendVerdict): void {
    this.#verdictAt = Date.now();
    const changed = verdict.paused !== this.#kept.verdict.paused;
    this.#kept.verdict = verdict;
    if (!changed) return;
    this.#keep();
    // Who waits is told why; what runs may finish.
    if (verdict.paused) this.#line.answerAll("not_warm");
  }

  #status(): ModelStatus {
    const { life, verdict } = this.#kept;
    return {
      state: life.state,
      spend: verdict,
      expectedStartMs: expectedStartMs(life, this.#served.rules),
      startingSince: life.startingSince,
      lastStartMs: life.starts[0]?.durationMs ?? null,
    };
  }

  /** Writes what changed, and comes back while anything runs. */
  #keep(): void {
    this.#storage.write(this.#kept);
    const now = Date.now();
    const runs = this.#kept.life.state !== "cold" || hasLiveContainers(this.#kept.meter, now);
    if (runs) this.#storage.wakeAt(now + TICK_MS);
  }
}

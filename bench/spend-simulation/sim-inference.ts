// One simulated Model: its containers, its isolates, and the real meter that hears the containers'
// reports. It does what the Inference object does, second by second.
import { STATUS_FRESH_MS } from "../../src/contract/limits.ts";
import { type SpendTick, type SpendVerdict, TICK_MS } from "../../src/contract/spend.ts";
import {
  emptyMeter,
  hasLiveContainers,
  noteReport,
  noteUse,
  tickOf,
} from "../../src/core/container-meter.ts";
import type { Dice } from "./dice.ts";
import { SECOND, SimContainer, type SimModel } from "./sim-container.ts";

/** No simulated Completion takes longer. */
export const COMPLETION_MAX_MS = 60 * SECOND;

const ISOLATES = 4;
const GOODBYE_LOST = 0.15;
const CRASHES_A_SECOND = 1e-5;
/** Only under load: the platform adds a container by itself, which nobody has reserved for. */
const SCALE_OUTS_A_SECOND = 0.001;

/** What the one SpendLimit object answers. */
export interface SimLimit {
  tick(tick: SpendTick): SpendVerdict;
  verdict(): SpendVerdict;
}

export class SimInference {
  readonly containers: SimContainer[] = [];
  verdict: SpendVerdict = { paused: false };
  begun: number[] = [];
  refused = 0;
  readonly #model: SimModel;
  readonly #limit: SimLimit;
  readonly #dice: Dice;
  readonly #meter = emptyMeter();
  readonly #tickOffsetMs: number;
  readonly #isolates: { readAt: number; paused: boolean }[];
  #waiting = 0;
  #ran = false;

  constructor(model: SimModel, limit: SimLimit, dice: Dice) {
    this.#model = model;
    this.#limit = limit;
    this.#dice = dice;
    this.#tickOffsetMs = dice.between(0, TICK_MS / SECOND - 1) * SECOND;
    this.#isolates = Array.from({ length: ISOLATES }, () => ({ readAt: 0, paused: false }));
  }

  step(now: number): void {
    this.#containersGoOn(now);
    if (this.#dice.chance(this.#model.requestRate)) this.#request(now);
    if (this.#isBusy(now) && this.#dice.chance(SCALE_OUTS_A_SECOND)) this.#launch(now, false);
    if (this.verdict.paused) this.#refuseWaiting();
    else this.#beginWaiting(now);
    if ((now - this.#tickOffsetMs) % TICK_MS !== 0) return;
    const runs = this.#alive().length > 0 || hasLiveContainers(this.#meter, now);
    // Once more after the last one, so that its end is heard of.
    if (runs || this.#ran) this.tick(now);
    this.#ran = runs;
  }

  tick(now: number, starting = this.#unheard()): void {
    const { id: model, ...price } = this.#model;
    this.verdict = this.#limit.tick(tickOf(this.#meter, now, { model, starting, ...price }));
  }

  #containersGoOn(now: number): void {
    for (const container of this.containers) {
      for (const report of container.reports(now, (of) => this.#dice.chance(of)))
        noteReport(this.#meter, report, now, this.#model);
      const crashes = container.stoppedAt === null && this.#dice.chance(CRASHES_A_SECOND);
      if (!crashes && !container.isIdle(now)) continue;
      const goodbye = container.stop(now, crashes || this.#dice.chance(GOODBYE_LOST));
      if (goodbye !== null) noteReport(this.#meter, goodbye, now, this.#model);
    }
  }

  /** In any isolate, which believes what it knows for STATUS_FRESH_MS. */
  #request(now: number): void {
    const isolate = this.#isolates[this.#dice.between(0, ISOLATES - 1)];
    if (isolate === undefined) return;
    if (now - isolate.readAt >= STATUS_FRESH_MS) {
      // A Model that rests has no tick to learn by, and one that is paused may go on again.
      const asks = this.verdict.paused || this.#alive().length === 0;
      if (asks) this.verdict = this.#limit.verdict();
      isolate.readAt = now;
      isolate.paused = this.verdict.paused;
    }
    if (isolate.paused) this.refused += 1;
    else if (this.#ready(now) !== undefined) this.#begin(now);
    else this.#wait(now);
  }

  /** What a start will cost is reserved before it is asked for. */
  #wait(now: number): void {
    if (this.#alive().length === 0) {
      this.tick(now, 1);
      if (!this.verdict.paused) this.#launch(now, true);
    }
    if (this.verdict.paused) this.refused += 1;
    else this.#waiting += 1;
  }

  #beginWaiting(now: number): void {
    if (this.#waiting === 0 || this.#ready(now) === undefined) return;
    for (; this.#waiting > 0; this.#waiting--) this.#begin(now);
  }

  #refuseWaiting(): void {
    this.refused += this.#waiting;
    this.#waiting = 0;
  }

  #begin(now: number): void {
    const seconds = this.#dice.between(1, COMPLETION_MAX_MS / SECOND);
    this.#ready(now)?.runningUntil.push(now + seconds * SECOND);
    this.begun.push(now);
    noteUse(this.#meter, now, this.#model);
  }

  #launch(now: number, reserved: boolean): void {
    if (this.#alive().length >= this.#model.maxContainers) return;
    const { id, startSeconds } = this.#model;
    const readyAt = now + this.#dice.between(1, startSeconds) * SECOND;
    const name = `${id}-${this.containers.length}`;
    this.containers.push(new SimContainer(this.#model, { name, beganAt: now, readyAt, reserved }));
  }

  #alive(): SimContainer[] {
    return this.containers.filter(({ stoppedAt }) => stoppedAt === null);
  }

  #isBusy(now: number): boolean {
    return this.#alive().some(({ runningUntil }) => runningUntil.some((until) => until > now));
  }

  #unheard(): number {
    return this.#alive().filter(({ reserved, heardOf }) => reserved && !heardOf).length;
  }

  /** One of those that are ready, since the load is spread. */
  #ready(now: number): SimContainer | undefined {
    const ready = this.containers.filter((container) => container.isReady(now));
    return ready[this.#dice.between(0, ready.length - 1)];
  }
}

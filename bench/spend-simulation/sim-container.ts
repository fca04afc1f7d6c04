// One simulated container: it starts, serves, idles and stops, and reports itself as the real reporter
// does. Times are whole seconds of the simulation's clock, in ms.
import type { ContainerReport } from "../../src/contract/container-report.ts";

export const SECOND = 1_000;
const BEAT_MS = 30 * SECOND;

export interface SimModel {
  id: string;
  gpuCount: number;
  usdPerGpuHour: number;
  idleSeconds: number;
  /** No simulated start takes longer. */
  startSeconds: number;
  maxContainers: number;
  /** How often a request comes, in requests a second. */
  requestRate: number;
}

export class SimContainer {
  readonly beganAt: number;
  readonly readyAt: number;
  /** Asked for by the gateway, which reserved its cost before; else the platform added it. */
  readonly reserved: boolean;
  stoppedAt: number | null = null;
  /** It ended without a word, so it is metered until its silence is long enough. */
  endedSilent = false;
  /** When each of its running Completions ends. */
  runningUntil: number[] = [];
  heardOf = false;
  readonly #name: string;
  readonly #model: SimModel;
  #sequence = 0;
  #beatAt: number;
  #lostBeat = false;
  #saidReady = false;

  constructor(
    model: SimModel,
    start: { name: string; beganAt: number; readyAt: number; reserved: boolean },
  ) {
    this.#model = model;
    this.#name = start.name;
    this.beganAt = start.beganAt;
    this.readyAt = start.readyAt;
    this.reserved = start.reserved;
    this.#beatAt = start.beganAt + BEAT_MS;
  }

  get usdPerHour(): number {
    return this.#model.gpuCount * this.#model.usdPerGpuHour;
  }

  get startAndIdleMs(): number {
    return (this.#model.startSeconds + this.#model.idleSeconds) * SECOND;
  }

  isReady(now: number): boolean {
    return this.stoppedAt === null && now >= this.readyAt;
  }

  /** What it reports in this second. No two beats in a row get lost: a longer silence means gone. */
  reports(now: number, chance: (of: number) => boolean): ContainerReport[] {
    if (this.stoppedAt !== null) return [];
    const said: ContainerReport[] = [];
    if (!this.heardOf && now - this.beganAt >= SECOND) {
      said.push(this.#report("container.started", now));
      this.heardOf = true;
    }
    if (!this.#saidReady && now >= this.readyAt) {
      said.push(this.#report("container.ready", now));
      this.#saidReady = true;
    }
    if (now >= this.#beatAt) {
      this.#beatAt += BEAT_MS;
      const beat = this.#report("container.beat", now);
      this.#lostBeat = !this.#lostBeat && chance(0.1);
      if (!this.#lostBeat) said.push(beat);
    }
    return said;
  }

  isIdle(now: number): boolean {
    if (this.stoppedAt !== null) return false;
    const lastWork = Math.max(this.readyAt, ...this.runningUntil);
    return now - lastWork >= this.#model.idleSeconds * SECOND;
  }

  /** Its goodbye, or null where it ends without one. */
  stop(now: number, silent: boolean): ContainerReport | null {
    this.stoppedAt = now;
    this.endedSilent = silent;
    return silent ? null : this.#report("container.stopping", now);
  }

  #report(type: ContainerReport["type"], now: number): ContainerReport {
    const sequence = this.#sequence;
    this.#sequence += 1;
    const { id: model, gpuCount: gpu_count } = this.#model;
    const startedAt = new Date(this.beganAt).toISOString();
    return {
      type,
      timestamp: new Date(now).toISOString(),
      data: {
        ...{ model, container: this.#name, sequence, uptime_ms: now - this.beganAt },
        ...{ gpu: "H200", gpu_count, started_at: startedAt, metrics: null },
      },
    };
  }
}

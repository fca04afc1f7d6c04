// Whether a Model takes Jobs' work: one question for all of them, and none while nobody has work, since
// a question keeps a container awake.

import type { InferenceRpc, ModelStatus } from "../../contract/inference.ts";
import {
  JOBS_WAIT_WARM_MS,
  MODEL_STATUS_EVERY_MS,
  SPEND_PAUSE_RETRY_MS,
} from "../../contract/job-limits.ts";
import type { ModelWait } from "../../contract/jobs.ts";
import { STATUS_FRESH_MS } from "../../contract/limits.ts";
import { Errand } from "../errand.ts";

interface Shell {
  inference: () => InferenceRpc;
  /** A Job wants a turn, or has one. */
  wanted: () => boolean;
  /** A turn has begun: the Model is used. */
  used: () => boolean;
  changed: () => void;
}

/** A name for all who wait here: the Inference object counts them as one. */
const WAITS_AS = "jobs";

export class ModelWatch {
  readonly errand: Errand;
  readonly #shell: Shell;
  /** Undefined until it was asked for. */
  #waitsFor: ModelWait | null | undefined = undefined;
  /** When it was last known to be Warm. */
  #warmAt = 0;
  /** Since when it has been, without a doubt between. */
  #warmSince = 0;
  #askAt = 0;
  #doubted = false;
  /** In the line of those who wait for a start. */
  #standing = false;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.errand = new Errand({
      what: "model_watch",
      wantedAt: () => (this.#shell.wanted() ? this.#askAt : null),
      run: () => this.#ask(),
    });
  }

  get waitsFor(): ModelWait | null | undefined {
    return this.#waitsFor;
  }

  /** Turns may be handed out. */
  isReady(now: number): boolean {
    return this.#waitsFor === null && !this.#doubted && now - this.#warmAt < STATUS_FRESH_MS;
  }

  /** Nobody has work any more: it must not be started for nobody. */
  rest(): void {
    if (!this.#standing) return;
    this.#standing = false;
    const left = this.#shell.inference().leave(WAITS_AS);
    left.catch(() => undefined);
  }

  /** A turn that began then found that the backend is not ready, whatever its state says. */
  doubt(begunAt: number): void {
    if (begunAt < this.#warmSince) return;
    this.#doubted = true;
    this.#askAt = 0;
  }

  async #ask(): Promise<void> {
    const inference = this.#shell.inference();
    const doubted = this.#doubted;
    const status = await (doubted
      ? inference.notReady()
      : inference.status({ used: this.#shell.used() }));
    if (doubted) this.#doubted = false;
    this.#note(status);
    if (this.#waitsFor !== "model_starting") return;
    const until = Date.now() + JOBS_WAIT_WARM_MS;
    const wait = { requestId: WAITS_AS, accountId: WAITS_AS, mostOfAccount: 1, until };
    this.#standing = true;
    const answer = await inference.awaitWarm(wait).finally(() => {
      this.#standing = false;
    });
    if ("status" in answer) this.#note(answer.status);
    else this.#askAt = Date.now() + MODEL_STATUS_EVERY_MS;
  }

  #note({ spend, state }: ModelStatus): void {
    const now = Date.now();
    const before = this.#waitsFor;
    if (spend.paused) this.#waitsFor = "spend_cap";
    else this.#waitsFor = state === "warm" ? null : "model_starting";
    this.#askAt = now + (spend.paused ? SPEND_PAUSE_RETRY_MS : MODEL_STATUS_EVERY_MS);
    if (this.#waitsFor === null) {
      if (before !== null) this.#warmSince = now;
      this.#warmAt = now;
    }
    this.#shell.changed();
  }
}

// The Model's Dispatcher hears whether the Job has something to do.
import { claimable } from "../../core/job-state.ts";
import { Errand } from "../errand.ts";
import { dispatcherOf } from "../objects.ts";
import type { JobHere } from "./job-here.ts";

/**
 * A consumer's word that nothing was left may reach the Dispatcher after the Job's that there is. So a
 * Job that gets no turn says it again: soon, then ever more rarely, since it may just be others' turn.
 */
const AGAIN_AFTER_MS = 5_000;
const AGAIN_AFTER_MOST_MS = 600_000;

export class DispatcherLink {
  readonly #here: JobHere;
  readonly errand: Errand;
  /** Of the memory: whoever starts again says it again. */
  #againAt = 0;
  #againAfterMs = AGAIN_AFTER_MS;

  constructor(here: JobHere) {
    this.#here = here;
    this.errand = new Errand({
      what: "job_turns",
      wantedAt: (now) => this.#wantedAt(now),
      run: () => this.#tell(),
    });
  }

  /** A consumer came: the Dispatcher knows. */
  noteTurn(now: number): void {
    this.#againAfterMs = AGAIN_AFTER_MS;
    this.#againAt = now + AGAIN_AFTER_MS;
  }

  #wantedAt(now: number): number | null {
    const { book, told } = this.#here;
    if (book === null) return null;
    const hasWork = !told.removing && claimable(book, now) !== null;
    if (hasWork !== told.entered) return now;
    return hasWork ? this.#againAt : null;
  }

  async #tell(): Promise<void> {
    const { book, told, env, storage } = this.#here;
    if (book === null) return;
    const { id: jobId, personId, model } = book.origin;
    const now = Date.now();
    if (!told.removing && claimable(book, now) !== null) {
      // On disk before it is said: else it could stay there for ever, and keep a Model awake.
      told.entered = true;
      storage.writeTold(told);
      this.#againAt = now + this.#againAfterMs;
      this.#againAfterMs = Math.min(2 * this.#againAfterMs, AGAIN_AFTER_MOST_MS);
      await dispatcherOf(env, model).enter({ jobId, personId });
      return;
    }
    await dispatcherOf(env, model).leave(jobId);
    told.entered = false;
    storage.writeTold(told);
  }
}

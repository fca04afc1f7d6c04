// What an Inference object knows of the Spend limit: the last verdict, and how to hear another.
import type { SpendVerdict } from "../../contract/spend.ts";
import { hasLiveContainers, tickOf } from "../../core/container-meter.ts";
import { type ObjectBindings, spendLimitOf } from "../objects.ts";
import type { Kept } from "./inference-storage.ts";
import type { ServedHere } from "./served-here.ts";

/** As old as an isolate's own knowledge may be. */
const VERDICT_FRESH_MS = 5_000;

export class SpendLink {
  readonly #env: ObjectBindings;
  readonly #served: ServedHere;
  readonly #kept: Kept;
  readonly #changed: () => void;
  #heardAt = 0;

  constructor(env: ObjectBindings, served: ServedHere, kept: Kept, changed: () => void) {
    this.#env = env;
    this.#served = served;
    this.#kept = kept;
    this.#changed = changed;
  }

  /**
   * Only an object that meters is told of a change. So while it does not, what was heard long ago is
   * asked for again; what forbids too, so that its end is seen.
   */
  async learn(): Promise<void> {
    const { verdict, life } = this.#kept;
    if (!verdict.paused && life.state !== "cold") return;
    if (Date.now() - this.#heardAt < VERDICT_FRESH_MS) return;
    this.set(await spendLimitOf(this.#env).verdict());
  }

  /** False when it could not be told. The next tick says everything again. */
  async tick(now: number): Promise<boolean> {
    const { life, meter } = this.#kept;
    const { price, model } = this.#served;
    // A container that was asked for costs from then on, though it has not said a word yet.
    const starting = life.state === "starting" && !hasLiveContainers(meter, now) ? 1 : 0;
    const tick = tickOf(meter, now, { model: model.id, starting, ...price });
    try {
      this.set(await spendLimitOf(this.#env).tick(tick));
      return true;
    } catch (failure) {
      console.error({ event: "spend_tick_failed", model: model.id, failure: String(failure) });
      return false;
    }
  }

  set(verdict: SpendVerdict): void {
    this.#heardAt = Date.now();
    const changed = JSON.stringify(verdict) !== JSON.stringify(this.#kept.verdict);
    this.#kept.verdict = verdict;
    if (changed) this.#changed();
  }
}

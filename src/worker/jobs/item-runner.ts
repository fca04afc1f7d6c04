// A slice's items on their way through the turn's places. What has begun ends, unless all of it is
// stopped.
import type { TokenUsage } from "../../contract/account.ts";
import { SLICE_ANSWER_MAX_BYTES, TURN_CALLS, TURN_LARGE_ITEMS } from "../../contract/job-limits.ts";
import type { SliceClaim } from "../../contract/jobs.ts";
import type { ObjectBindings } from "../../durable-objects/objects.ts";
import type { Services } from "../environment.ts";
import { afterLive } from "./after-live.ts";
import type { CallPool } from "./call-pool.ts";
import { ItemCalls } from "./item-calls.ts";
import type { JudgedItem, RunnableItem } from "./judge-items.ts";
import { receiveAnswer } from "./receive-answer.ts";
import { type ItemOutcome, type ItemSetting, runItem } from "./run-item.ts";
import type { SliceLines } from "./slice-result.ts";
import { Watches } from "./watches.ts";

/** Why a slice did not come to its end. */
export type Stop = "stopped" | "broke";

export interface RunnerSetting {
  setting: {
    env: ObjectBindings;
    services: Services;
    pool: CallPool;
    until: number;
    onNotReady: () => void;
  };
  claim: SliceClaim;
  lines: SliceLines;
  signal: AbortSignal;
  halt: (why: Stop) => void;
  /** There are as many lines in memory as there should be. */
  onFull: () => void;
}

type Runnable = Omit<ItemSetting, "receive">;

export class ItemRunner {
  /** Those that the slice still is for, from its first on. */
  items: readonly JudgedItem[] = [];
  readonly #own: RunnerSetting;
  readonly #watches: Watches;
  #begun = 0;

  constructor(own: RunnerSetting) {
    this.#own = own;
    this.#watches = new Watches(own.signal);
  }

  /** Rejects after `halt`, when something broke that is no item's own. */
  async run(): Promise<void> {
    const runnable = this.#runnable();
    try {
      await Promise.all(this.items.map((item) => this.#runNext(item, runnable)));
    } finally {
      this.#watches.end();
    }
  }

  /** The first item that has not begun, which with those behind it is no longer this slice's. */
  cut(): JudgedItem | "nothing_begun" | null {
    const rest = this.items[this.#begun];
    if (rest === undefined) return null;
    if (this.#begun === 0) return "nothing_begun";
    this.items = this.items.slice(0, this.#begun);
    return rest;
  }

  /** The first item without a result; undefined where each has one. */
  get firstUndone(): JudgedItem | undefined {
    return this.items.find(({ index }) => !this.#own.lines.has(index));
  }

  /** Refused ones wait too: what stands behind the last that has begun is what goes back. */
  async #runNext(item: JudgedItem, runnable: Promise<Runnable | null>): Promise<void> {
    const { claim, setting, signal, lines } = this.#own;
    const places = claim.slice.large ? TURN_CALLS / TURN_LARGE_ITEMS : 1;
    await setting.pool.run(places, async () => {
      if (item.kind === "runnable") await afterLive(claim.model);
      if (signal.aborted || !this.items.includes(item)) return;
      this.#noteBegun(item);
      if (item.kind === "refused") return lines.fail(item, item.error);
      try {
        this.#take(item, await this.#run(item, await runnable));
      } catch (failure) {
        this.#own.halt("broke");
        throw failure;
      }
    });
  }

  async #run(item: RunnableItem, runnable: Runnable | null): Promise<ItemOutcome> {
    if (runnable === null) throw new Error("an item was judged without a Model");
    const { setting, claim, lines } = this.#own;
    const { large } = claim.slice;
    return await runItem(item, {
      ...runnable,
      receive: (answer, seed) =>
        receiveAnswer(answer, { item, seed, large, lines, env: setting.env }),
    });
  }

  /** What its items run with. Null where the Model is not served. */
  async #runnable(): Promise<Runnable | null> {
    const { setting, claim, signal } = this.#own;
    const { services, until } = setting;
    const served = services.models.get(claim.model);
    if (served === undefined) return null;
    const cacheSalt = await services.cacheSalt.of(claim.personId);
    const calls = new ItemCalls({ served, until, cacheSalt, watches: this.#watches });
    return { model: served.model, calls, large: claim.slice.large, signal, until };
  }

  #take(item: RunnableItem, outcome: ItemOutcome): void {
    const { setting, lines, halt } = this.#own;
    switch (outcome.kind) {
      case "answered":
        this.#noteAnswered(item, outcome.usage);
        return;
      case "failed":
        lines.fail(item, outcome.error);
        return;
      case "not_ready":
      case "away":
        setting.onNotReady();
        halt(outcome.kind === "away" ? "broke" : "stopped");
        return;
      case "stopped":
        halt("stopped");
    }
  }

  #noteAnswered(item: RunnableItem, usage: TokenUsage): void {
    const { lines, onFull } = this.#own;
    lines.charge(item.index, usage);
    if (lines.keptBytes > SLICE_ANSWER_MAX_BYTES) onFull();
  }

  #noteBegun(item: JudgedItem): void {
    this.#begun = Math.max(this.#begun, item.index - this.#own.claim.slice.from + 1);
  }
}

// A slice's items on their way through the turn's places: together where they may share a request, else
// each alone. What has begun ends, unless all of it is stopped.
import type { TokenUsage } from "../../contract/account.ts";
import { SLICE_ANSWER_MAX_BYTES, TURN_CALLS, TURN_LARGE_ITEMS } from "../../contract/job-limits.ts";
import type { SliceClaim } from "../../contract/jobs.ts";
import type { ObjectBindings } from "../../durable-objects/objects.ts";
import type { Services } from "../environment.ts";
import { afterLive } from "./after-live.ts";
import type { CallPool } from "./call-pool.ts";
import { isRunnable, type JudgedItem, type RunnableItem } from "./judge-items.ts";
import { receiveAnswer } from "./receive-answer.ts";
import { groupItems, runGroup } from "./run-group.ts";
import { type CallSetting, type ItemOutcome, runItem } from "./run-item.ts";
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
    const { setting, claim } = this.#own;
    const served = setting.services.models.get(claim.model);
    const groups =
      served === undefined
        ? this.items.map((item) => [item])
        : groupItems(this.items, served.model);
    try {
      await Promise.all(groups.map((group) => this.#runNext(group)));
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
  async #runNext(group: readonly JudgedItem[]): Promise<void> {
    const { claim, setting, signal, lines } = this.#own;
    const places = claim.slice.large ? TURN_CALLS / TURN_LARGE_ITEMS : group.length;
    await setting.pool.run(places, async () => {
      if (group.some(isRunnable)) await afterLive(claim.model);
      const begun = group.filter((item) => this.items.includes(item));
      if (signal.aborted || begun.length === 0) return;
      for (const item of begun) {
        this.#noteBegun(item);
        if (item.kind === "refused") lines.fail(item, item.error);
      }
      const items = begun.filter(isRunnable);
      try {
        if (items.length > 1 && (await this.#runTogether(items))) return;
        await Promise.all(items.map((item) => this.#runAlone(item)));
      } catch (failure) {
        this.#own.halt("broke");
        throw failure;
      }
    });
  }

  /** False where each has to run alone. */
  async #runTogether(items: readonly RunnableItem[]): Promise<boolean> {
    const lines = await runGroup(items, await this.#callSetting());
    if (lines === null) return false;
    for (const { item, line, usage } of lines) {
      this.#own.lines.keep(item.index, line);
      this.#noteAnswered(item, usage);
    }
    return true;
  }

  async #runAlone(item: RunnableItem): Promise<void> {
    const { setting, claim, lines, signal } = this.#own;
    if (signal.aborted) return;
    const outcome = await runItem(item, {
      ...(await this.#callSetting()),
      receive: (answer, seed) =>
        receiveAnswer(answer, { item, seed, large: claim.slice.large, lines, env: setting.env }),
    });
    this.#take(item, outcome);
  }

  async #callSetting(): Promise<CallSetting> {
    const { setting, claim } = this.#own;
    const { services, until } = setting;
    const served = services.models.get(claim.model);
    if (served === undefined) throw new Error("an item was judged without a Model");
    const cacheSalt = await services.cacheSalt.of(claim.personId);
    return { served, until, cacheSalt, watches: this.#watches };
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

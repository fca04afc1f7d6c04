// One item of a Job at the backend, by the same way as a live Completion and behind it. What is the
// backend's fault is tried again; what is the item's own is its answer.
import type { Model } from "../../contract/catalogue.ts";
import { errorFromProblems } from "../../contract/problems.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { type AfterFailure, type Attempts, afterFailure } from "../../core/item-retry.ts";
import { drawSeed } from "../forward/draw-seed.ts";
import { unreachable } from "../forward/judge-status.ts";
import { Refused } from "../refuse.ts";
import type { CallOutcome, ItemCalls } from "./item-calls.ts";
import type { RunnableItem } from "./judge-items.ts";
import type { Received } from "./receive-answer.ts";

export interface ItemSetting {
  model: Model;
  calls: ItemCalls;
  /** Its answer may be too large to be kept in memory. */
  large: boolean;
  /** Ends it, whatever it waits for. */
  signal: AbortSignal;
  /** No attempt begins then or later. */
  until: number;
  /** Takes the answer in, and throws where it breaks off. */
  receive: (answer: Received, seed: number) => Promise<void>;
}

export type ItemOutcome = CallOutcome | Exclude<AfterFailure, { kind: "again" | "failed" }>;

export async function runItem(item: RunnableItem, setting: ItemSetting): Promise<ItemOutcome> {
  const { until, signal } = setting;
  const attempts: Attempts = { faults: 0, overloads: 0 };
  for (;;) {
    if (signal.aborted) return { kind: "stopped" };
    // What sank a whole request must not sink the same items again.
    const alone = setting.large || attempts.faults > 0;
    const attempt = attemptItem(item, setting, alone);
    const outcome = await attempt.catch((failure: unknown): ItemOutcome => {
      if (failure instanceof Refused) return { kind: "failed", error: failure.error };
      throw failure;
    });
    if (outcome.kind !== "failed") return outcome;
    const { error } = outcome;
    attempts[error.code === "inference_overloaded" ? "overloads" : "faults"] += 1;
    const failed = { error, unreachable: error === unreachable, attempts, now: Date.now(), until };
    const after = afterFailure(failed);
    if (after.kind === "failed") return outcome;
    if (after.kind !== "again") return after;
    await sleep(after.waitMs, signal);
  }
}

async function attemptItem(
  item: RunnableItem,
  setting: ItemSetting,
  alone: boolean,
): Promise<ItemOutcome> {
  const { request, prompts, requestId } = item;
  if (item.countsFirst) {
    const verdict = checkAgainstModel(request, setting.model, await prompts.countEach());
    if (verdict.kind === "refused") {
      return { kind: "failed", error: errorFromProblems(verdict.problems) };
    }
  }
  const seed = request.seed ?? drawSeed();
  const { calls, receive } = setting;
  const call = {
    ...{ request, requestId, seed },
    receive: (answer: Received) => receive(answer, seed),
  };
  return await (alone ? calls.alone(call) : calls.call(call));
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake, { once: true });
  });
}

// One item of a Job at the backend, by the same way as a live Completion and behind it. What is the
// backend's fault is tried again; what is the item's own is its answer.
import type { TokenUsage } from "../../contract/account.ts";
import type { CompletionRequest } from "../../contract/completion-request.ts";
import type { PublicError } from "../../contract/errors.ts";
import { errorFromProblems } from "../../contract/problems.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { type AfterFailure, type Attempts, afterFailure } from "../../core/item-retry.ts";
import { countChoices } from "../../core/request-size.ts";
import { buildUpstreamBody } from "../../core/upstream-request.ts";
import type { ServedModel } from "../environment.ts";
import { drawSeed } from "../forward/draw-seed.ts";
import { type ForwardedAnswer, forwardCompletion } from "../forward/forward-completion.ts";
import { type ForwardLimits, forwardLimits } from "../forward/forward-limits.ts";
import { unreachable } from "../forward/judge-status.ts";
import type { Watch } from "../forward/watch.ts";
import { Refused } from "../refuse.ts";
import type { RunnableItem } from "./judge-items.ts";
import type { Watches } from "./watches.ts";

export interface CallSetting {
  served: ServedModel;
  cacheSalt: string;
  /** Their signal ends it, whatever it waits for. */
  watches: Watches;
  /** No attempt goes on beyond: a consumer may run for 15 minutes. */
  until: number;
}

export interface ItemSetting extends CallSetting {
  /** Takes the answer in, and throws where it breaks off. */
  receive: (answer: ForwardedAnswer, seed: number) => Promise<void>;
}

export type ItemOutcome =
  | { kind: "answered"; usage: TokenUsage }
  | { kind: "failed"; error: PublicError }
  | Exclude<AfterFailure, { kind: "again" | "failed" }>;

/** vLLM's `priority`: live Completions have 0 and come before. */
const JOB_PRIORITY = 10;

export async function runItem(item: RunnableItem, setting: ItemSetting): Promise<ItemOutcome> {
  const { until } = setting;
  const { signal } = setting.watches;
  const attempts: Attempts = { faults: 0, overloads: 0 };
  for (;;) {
    if (signal.aborted) return { kind: "stopped" };
    const outcome = await attemptItem(item, setting).catch((failure: unknown): ItemOutcome => {
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

async function attemptItem(item: RunnableItem, setting: ItemSetting): Promise<ItemOutcome> {
  const { request, prompts, requestId } = item;
  if (item.countsFirst) {
    const verdict = checkAgainstModel(request, setting.served.model, await prompts.countEach());
    if (verdict.kind === "refused") {
      return { kind: "failed", error: errorFromProblems(verdict.problems) };
    }
  }
  const seed = request.seed ?? drawSeed();
  return await callOnce({ request, requestId, seed }, setting, (answer) =>
    setting.receive(answer, seed),
  );
}

export interface JobCall {
  request: CompletionRequest;
  requestId: string;
  seed: number;
}

/** One call of the backend. `receive` takes the answer in, and throws where it breaks off. */
export function callOnce(
  call: JobCall,
  setting: CallSetting,
  receive: (answer: ForwardedAnswer) => Promise<void>,
): Promise<CallOutcome> {
  return setting.watches.use((watch) => callWatched(call, setting, receive, watch));
}

type CallOutcome = Exclude<ItemOutcome, { kind: "not_ready" | "away" }>;

async function callWatched(
  { request, requestId, seed }: JobCall,
  { served, cacheSalt, until, watches }: CallSetting,
  receive: (answer: ForwardedAnswer) => Promise<void>,
  watch: Watch,
): Promise<CallOutcome> {
  const body = buildUpstreamBody(request, {
    ...{ servedName: served.backend.servedName, seed, requestId, cacheSalt },
    ...{ priority: JOB_PRIORITY, maxTokens: request.maxTokens },
    vocabSize: served.model.vocab_size,
  });
  const forwarded = await forwardCompletion({
    ...{ backend: served.backend, modelId: served.model.id, body: JSON.stringify(body) },
    ...{ stream: false, includeUsage: false, continuousUsage: false },
    ...{ prompts: countChoices(request) / request.n, n: request.n, requestId, watch },
    ...{ limits: limitsUntil(until), open: null },
  });
  if (forwarded.kind === "client_left") return { kind: "stopped" };
  if (forwarded.kind === "refused") return { kind: "failed", error: forwarded.error };
  const received = receive(forwarded);
  const [end] = await Promise.all([forwarded.ended, received.catch(() => undefined)]);
  if (watches.signal.aborted) return { kind: "stopped" };
  if (end.how === "backend_failed") return { kind: "failed", error: unreachable };
  // Else it was complete, or given up here: then this says why.
  await received;
  if (end.how !== "complete") throw new Error("an answer was given up without a reason");
  const { promptTokens, completionTokens } = end;
  return { kind: "answered", usage: { promptTokens, completionTokens } };
}

function limitsUntil(until: number): ForwardLimits {
  const plainMs = Math.max(1, Math.min(forwardLimits.plainMs, until - Date.now()));
  return { ...forwardLimits, plainMs };
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

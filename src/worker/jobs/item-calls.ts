// A slice's calls of the backend. Those that begin in one tick go in one request, where the backend has
// a route for that: what a request costs beside its tokens is shared, and each keeps its own seed.
import type { TokenUsage } from "../../contract/account.ts";
import type { CompletionRequest } from "../../contract/completion-request.ts";
import type { PublicError } from "../../contract/errors.ts";
import { countChoices } from "../../core/request-size.ts";
import { buildUpstreamBody } from "../../core/upstream-request.ts";
import type { ServedModel } from "../environment.ts";
import { mayHaveBundles, noteWithoutBundles } from "../forward/bundle-routes.ts";
import { type BundledAnswer, forwardBundle } from "../forward/forward-bundle.ts";
import { forwardCompletion } from "../forward/forward-completion.ts";
import { type ForwardLimits, forwardLimits } from "../forward/forward-limits.ts";
import { unreachable } from "../forward/judge-status.ts";
import type { Watch } from "../forward/watch.ts";
import { KEPT_ANSWER_MAX_BYTES, type Received } from "./receive-answer.ts";
import type { Watches } from "./watches.ts";

export interface CallSetting {
  served: ServedModel;
  cacheSalt: string;
  /** Their signal ends the calls, whatever they wait for. */
  watches: Watches;
  /** No call goes on beyond: a consumer may run for 15 minutes. */
  until: number;
}

export interface ItemCall {
  request: CompletionRequest;
  requestId: string;
  seed: number;
  /** Takes the answer in, and throws where it breaks off. */
  receive: (answer: Received) => Promise<void>;
}

export type CallOutcome =
  | { kind: "answered"; usage: TokenUsage }
  | { kind: "failed"; error: PublicError }
  | { kind: "stopped" };

interface Gathered {
  call: ItemCall;
  end: (outcome: CallOutcome | Promise<CallOutcome>) => void;
  fail: (failure: unknown) => void;
}

/** vLLM's `priority`: live Completions have 0 and come before. */
const JOB_PRIORITY = 10;

export class ItemCalls {
  readonly #setting: CallSetting;
  #gathered: Gathered[] = [];

  constructor(setting: CallSetting) {
    this.#setting = setting;
  }

  /** In a request of its own; an answer that is large flows. */
  alone(call: ItemCall): Promise<CallOutcome> {
    return this.#setting.watches.use((watch) => this.#callAlone(call, watch));
  }

  /** For an answer that is kept in memory. */
  call(call: ItemCall): Promise<CallOutcome> {
    if (!mayHaveBundles(this.#setting.served.model.id, Date.now())) return this.alone(call);
    return new Promise((end, fail) => {
      if (this.#gathered.push({ call, end, fail }) === 1) setTimeout(() => this.#send(), 0);
    });
  }

  /** Never more than a turn has places, which is far below what the route takes. */
  #send(): void {
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#sendAll(gathered).catch((failure: unknown) => {
      for (const { fail } of gathered) fail(failure);
    });
  }

  async #sendAll(gathered: readonly Gathered[]): Promise<void> {
    if (gathered.length > 1) {
      if (await this.#setting.watches.use((watch) => this.#bundle(gathered, watch))) return;
      noteWithoutBundles(this.#setting.served.model.id, Date.now());
    }
    for (const { call, end } of gathered) end(this.alone(call));
  }

  /** False where the backend has no route for it. */
  async #bundle(gathered: readonly Gathered[], watch: Watch): Promise<boolean> {
    const { served, until, watches } = this.#setting;
    const input = {
      ...{ backend: served.backend, modelId: served.model.id, until, watch },
      bodies: gathered.map(({ call }) => this.#bodyOf(call)),
      requestId: gathered[0]?.call.requestId ?? "",
      ...{ answerMaxBytes: KEPT_ANSWER_MAX_BYTES, limits: forwardLimits },
    };
    return await forwardBundle(input, (line, answer) => {
      const one = gathered[line];
      one?.end(watches.signal.aborted ? { kind: "stopped" } : takeIn(one.call, answer));
    });
  }

  async #callAlone(call: ItemCall, watch: Watch): Promise<CallOutcome> {
    const { served, until, watches } = this.#setting;
    const { request, requestId, receive } = call;
    const forwarded = await forwardCompletion({
      ...{ backend: served.backend, modelId: served.model.id, body: this.#bodyOf(call) },
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

  #bodyOf({ request, requestId, seed }: ItemCall): string {
    const { served, cacheSalt } = this.#setting;
    const body = buildUpstreamBody(request, {
      ...{ servedName: served.backend.servedName, seed, requestId, cacheSalt },
      ...{ priority: JOB_PRIORITY, maxTokens: request.maxTokens },
      vocabSize: served.model.vocab_size,
    });
    return JSON.stringify(body);
  }
}

async function takeIn(call: ItemCall, answer: BundledAnswer): Promise<CallOutcome> {
  if (answer.kind === "refused") return { kind: "failed", error: answer.error };
  await call.receive(answer);
  return { kind: "answered", usage: answer.usage };
}

function limitsUntil(until: number): ForwardLimits {
  const plainMs = Math.max(1, Math.min(forwardLimits.plainMs, until - Date.now()));
  return { ...forwardLimits, plainMs };
}

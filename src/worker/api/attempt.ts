// One attempt at a Completion: Hold, backend, settlement. Whatever happens, the Hold ends once.
import type { Context } from "hono";
import type { HeldRequest, TokenUsage } from "../../contract/account.ts";
import type { Model } from "../../contract/catalogue.ts";
import type { CompletionRequest } from "../../contract/completion-request.ts";
import { type CompletionEnd, chargeFor } from "../../core/charge.ts";
import { countChoices } from "../../core/request-size.ts";
import { buildUpstreamBody } from "../../core/upstream-request.ts";
import { type Admitted, admitCompletion } from "../accounting/admit-completion.ts";
import { keepHold } from "../accounting/hold-lease.ts";
import type { PromptCounter } from "../accounting/prompt-counter.ts";
import { settleHold } from "../accounting/settle-hold.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { AppEnv, Frame, ServedModel } from "../environment.ts";
import type { EarlyStream } from "../forward/early-stream.ts";
import { type ForwardedAnswer, forwardCompletion } from "../forward/forward-completion.ts";
import { forwardLimits } from "../forward/forward-limits.ts";
import { type Watch, watchRequest } from "../forward/watch.ts";
import { apiHeaders } from "../frame.ts";
import { stillUses, useModel } from "../inference/model-status.ts";
import { publicRefusal, Refused } from "../refuse.ts";

/** One Completion, from its valid request to its end. */
export interface Run {
  caller: Caller;
  request: CompletionRequest;
  served: ServedModel;
  prompts: PromptCounter;
  /** Only the exact count of its tokens can tell whether the Model takes it. */
  countsFirst: boolean;
  seed: number;
  early: EarlyStream;
  answer: Pick<PromiseWithResolvers<Response>, "resolve" | "reject">;
}

/** Whether it is worth a wait: nothing was generated, nothing is charged, nobody was answered. */
export function saysNotReady(failure: unknown): failure is Refused {
  return failure instanceof Refused && failure.error.code === "model_starting";
}

/** Resolves when the client has all it gets, and it is paid for. Throws `Refused`. */
export async function attemptCompletion(
  c: Context<AppEnv>,
  run: Run,
  attempt: number,
): Promise<void> {
  const watch = watchRequest(c.req.raw.signal);
  try {
    await attemptWatched(c, run, attempt, watch);
  } finally {
    watch.end();
  }
}

async function attemptWatched(
  c: Context<AppEnv>,
  run: Run,
  attempt: number,
  watch: Watch,
): Promise<void> {
  const { caller, served, answer } = run;
  const frame = c.get("frame");
  // Each attempt has a Hold of its own; an id whose Hold has ended is never admitted again.
  const requestId = attempt === 1 ? frame.requestId : `${frame.requestId}-${attempt}`;
  const admitted = await admit(c, run, requestId, watch);
  frame.timings.set("admit", Date.now() - frame.startedAt - (frame.timings.get("cold") ?? 0));
  if (admitted === null) return answer.resolve(clientLeft());
  const { keyId, held: tokens } = admitted;
  const held: HeldRequest = { requestId, keyId, model: served.model.id, held: tokens };
  let usage: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  try {
    if (watch.stopped() !== null) return answer.resolve(clientLeft());
    usage = await owedUsage(await forward(c, run, { admitted, held, watch }), run);
  } catch (failure) {
    // The client is told at once; that nothing is owed may become durable after.
    if (run.early.open === null && !saysNotReady(failure)) answer.reject(failure);
    throw failure;
  } finally {
    await settleHold(caller.account, caller.accountId, { ...held, usage });
  }
}

function admit(
  c: Context<AppEnv>,
  run: Run,
  requestId: string,
  watch: Watch,
): Promise<Admitted | null> {
  const { caller, request, served, prompts } = run;
  const frame = c.get("frame");
  return admitCompletion({
    account: caller.account,
    accountId: caller.accountId,
    request: {
      requestId,
      keyHash: caller.keyHash,
      model: served.model.id,
      choices: countChoices(request),
      maxTokens: request.maxTokens,
    },
    prompts,
    watch,
    onFigures: (figures) => {
      frame.figures = figures;
    },
  });
}

/** Sends it on and answers. Resolves when it has ended. */
async function forward(
  c: Context<AppEnv>,
  run: Run,
  { admitted, held, watch }: { admitted: Admitted; held: HeldRequest; watch: Watch },
): Promise<CompletionEnd> {
  const { caller, request, served, prompts, seed, early, answer: client } = run;
  const frame = c.get("frame");
  const { configuration, cacheSalt } = c.get("services");
  const body = buildUpstreamBody(request, {
    servedName: served.backend.servedName,
    seed,
    requestId: frame.requestId,
    cacheSalt: await cacheSalt.of(caller.accountId),
    priority: LIVE_PRIORITY,
    maxTokens: admitted.maxTokens,
    vocabSize: served.model.vocab_size,
  });
  const endUse = useModel(c, served.model.id);
  let answer: ForwardedAnswer | null = null;
  keepHold({
    account: caller.account,
    held,
    watch,
    everyMs: configuration.HOLD_RENEW_MS,
    progress: () => {
      stillUses(c, served.model.id);
      return progressOf(answer, prompts);
    },
    onRefused: (refusal) => watch.stop({ why: "cut", error: publicRefusal(refusal) }),
  });
  try {
    const sentAt = Date.now();
    const forwarded = await forwardCompletion({
      backend: served.backend,
      modelId: served.model.id,
      body: JSON.stringify(body),
      stream: request.stream,
      includeUsage: request.includeUsage,
      continuousUsage: request.continuousUsage,
      prompts: countChoices(request) / request.n,
      n: request.n,
      requestId: frame.requestId,
      watch,
      limits: forwardLimits,
      open: early.open,
    });
    frame.timings.set("inference", Date.now() - sentAt);
    if (forwarded.kind === "refused") throw new Refused(forwarded.error);
    if (forwarded.kind === "client_left") {
      client.resolve(clientLeft());
      return { how: "client_left", promptTokens: null, completionTokens: 0 };
    }
    answer = forwarded;
    if (early.open === null) client.resolve(answerResponse(frame, forwarded, run, admitted));
    return await forwarded.ended;
  } finally {
    // Before the settlement: what ends is not renewed.
    watch.end();
    endUse();
  }
}

/** What it costs. A prompt that cannot be counted any more is charged to nobody. */
async function owedUsage(ending: CompletionEnd, { request, prompts }: Run): Promise<TokenUsage> {
  const charge = chargeFor(ending, request.stream);
  if (charge.kind === "usage") return charge.usage;
  const promptTokens = await prompts.count().catch(() => 0);
  return { promptTokens, completionTokens: charge.completionTokens };
}

function progressOf(answer: ForwardedAnswer | null, prompts: PromptCounter): TokenUsage {
  const progress = answer?.progress() ?? { promptTokens: null, completionTokens: 0 };
  const { completionTokens } = progress;
  if (completionTokens === 0) return { promptTokens: 0, completionTokens: 0 };
  const known = prompts.known.exact ? prompts.known.total : 0;
  return { promptTokens: progress.promptTokens ?? known, completionTokens };
}

function answerResponse(
  frame: Frame,
  { body, contentType }: ForwardedAnswer,
  { request, seed, served }: Run,
  admitted: Admitted,
): Response {
  const lowered = admitted.maxTokens === request.maxTokens ? null : admitted.maxTokens;
  const headers = {
    ...apiHeaders(frame),
    ...completionHeaders(seed, served.model),
    "content-type": contentType,
    ...(lowered !== null && {
      "x-max-tokens-lowered": `requested=${request.maxTokens}, applied=${lowered}`,
    }),
  };
  return new Response(body, { headers });
}

export function completionHeaders(seed: number, model: Model): Record<string, string> {
  return { "x-seed": String(seed), "x-model-revision": model.revision };
}

/** Nobody reads it: 499 is what proxies log for a client that closed its request. */
export function clientLeft(): Response {
  return new Response(null, { status: 499 });
}

/** vLLM's `priority`: live Completions before Jobs. */
const LIVE_PRIORITY = 0;

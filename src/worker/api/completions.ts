// `POST /v1/completions`: where the order of everything is visible. Key format, body, Model, Hold,
// backend, settlement. All of it runs in `waitUntil`, registered before the first wait: workerd drops
// a handler whose client left, and a Hold must be settled then too.
import type { Context } from "hono";
import type { HeldRequest, TokenUsage } from "../../contract/account.ts";
import {
  type CompletionRequest,
  parseCompletionRequest,
} from "../../contract/completion-request.ts";
import { COMPLETION_BODY_MAX_BYTES } from "../../contract/limits.ts";
import { errorFromProblems } from "../../contract/problems.ts";
import { type CompletionEnd, chargeFor } from "../../core/charge.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { countChoices } from "../../core/request-size.ts";
import { buildUpstreamBody } from "../../core/upstream-request.ts";
import { type Admitted, admitCompletion } from "../accounting/admit-completion.ts";
import { keepHold } from "../accounting/hold-lease.ts";
import { PromptCounter } from "../accounting/prompt-counter.ts";
import { settleHold } from "../accounting/settle-hold.ts";
import { type Caller, identify, readCaller } from "../auth/authenticate.ts";
import type { AppEnv, Frame, ServedModel } from "../environment.ts";
import { type ForwardedAnswer, forwardCompletion } from "../forward/forward-completion.ts";
import { forwardLimits } from "../forward/forward-limits.ts";
import { watchRequest } from "../forward/watch.ts";
import { apiHeaders } from "../frame.ts";
import { readJson } from "../read-body.ts";
import { publicRefusal, Refused } from "../refuse.ts";
import { servedModel } from "./models.ts";

export function complete(c: Context<AppEnv>): Promise<Response> {
  const answer = Promise.withResolvers<Response>();
  const { requestId } = c.get("frame");
  const run = runCompletion(c, answer).catch((failure: unknown) => {
    answer.reject(failure);
    if (failure instanceof Refused) return;
    console.error({ event: "completion_defect", requestId, failure: String(failure) });
  });
  c.executionCtx.waitUntil(run);
  return answer.promise;
}

type Answer = Pick<PromiseWithResolvers<Response>, "resolve" | "reject">;

interface ValidCompletion {
  request: CompletionRequest;
  served: ServedModel;
  prompts: PromptCounter;
}

async function runCompletion(c: Context<AppEnv>, answer: Answer): Promise<void> {
  const frame = c.get("frame");
  const caller = await readCaller(c);
  const valid = await validate(c, caller).catch(async (failure: unknown) => {
    // A key that is worth nothing is the first thing to say, whatever else is wrong.
    if (failure instanceof Refused) await identify(c, caller, { countsAsStart: false });
    throw failure;
  });
  const admitted = await admit(c, caller, valid);
  frame.timings.set("admit", Date.now() - frame.startedAt);
  if (admitted === null) return answer.resolve(clientLeft());
  const held: HeldRequest = {
    requestId: frame.requestId,
    keyId: admitted.keyId,
    model: valid.served.model.id,
    held: admitted.held,
  };
  let usage: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  try {
    if (c.req.raw.signal.aborted) return answer.resolve(clientLeft());
    const ending = await forward(c, caller, valid, admitted, held, answer.resolve);
    if (ending !== null) usage = await owedUsage(ending, valid);
  } catch (failure) {
    // The client is told at once; that nothing is owed may become durable after.
    answer.reject(failure);
    throw failure;
  } finally {
    await settleHold(caller.account, caller.accountId, { ...held, usage });
  }
}

async function validate(c: Context<AppEnv>, caller: Caller): Promise<ValidCompletion> {
  const parsed = parseCompletionRequest(await readJson(c.req.raw, COMPLETION_BODY_MAX_BYTES));
  if (!parsed.ok) throw new Refused(errorFromProblems(parsed.problems));
  const { request } = parsed;
  const served = servedModel(c.get("services"), request.model);
  const prompts = new PromptCounter(request, served, c.get("frame").requestId);
  let verdict = checkAgainstModel(request, served.model);
  if (verdict.kind === "count-tokens-first") {
    // The backend counts for nobody whose key is worth nothing.
    await identify(c, caller, { countsAsStart: false });
    verdict = checkAgainstModel(request, served.model, await prompts.countEach());
    // Admission counts the start of what fits; the backend's work for the rest counts here.
    if (verdict.kind === "refused") await identify(c, caller, { countsAsStart: true });
  }
  if (verdict.kind === "refused") throw new Refused(errorFromProblems(verdict.problems));
  return { request, served, prompts };
}

function admit(
  c: Context<AppEnv>,
  caller: Caller,
  { request, served, prompts }: ValidCompletion,
): Promise<Admitted | null> {
  const frame = c.get("frame");
  return admitCompletion({
    account: caller.account,
    accountId: caller.accountId,
    request: {
      requestId: frame.requestId,
      keyHash: caller.keyHash,
      model: served.model.id,
      choices: countChoices(request),
      maxTokens: request.maxTokens,
    },
    prompts,
    clientSignal: c.req.raw.signal,
    onFigures: (figures) => {
      frame.figures = figures;
    },
  });
}

/** Sends it on and answers. Resolves when it has ended; null when nothing reached the backend. */
async function forward(
  c: Context<AppEnv>,
  caller: Caller,
  { request, served, prompts }: ValidCompletion,
  admitted: Admitted,
  held: HeldRequest,
  respond: (response: Response) => void,
): Promise<CompletionEnd | null> {
  const frame = c.get("frame");
  const { configuration, cacheSalt } = c.get("services");
  const seed = request.seed ?? drawSeed();
  const body = buildUpstreamBody(request, {
    servedName: served.backend.servedName,
    seed,
    requestId: frame.requestId,
    cacheSalt: await cacheSalt.of(caller.accountId),
    priority: LIVE_PRIORITY,
    maxTokens: admitted.maxTokens,
    vocabSize: served.model.vocab_size,
  });
  const watch = watchRequest(c.req.raw.signal);
  let answer: ForwardedAnswer | null = null;
  keepHold({
    account: caller.account,
    held,
    watch,
    everyMs: configuration.HOLD_RENEW_MS,
    progress: () => progressOf(answer, prompts),
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
    });
    frame.timings.set("inference", Date.now() - sentAt);
    if (forwarded.kind === "refused") throw new Refused(forwarded.error);
    if (forwarded.kind === "client_left") {
      respond(clientLeft());
      return { how: "client_left", promptTokens: null, completionTokens: 0 };
    }
    answer = forwarded;
    const { maxTokens } = request;
    const lowered = admitted.maxTokens === maxTokens ? null : { maxTokens, to: admitted.maxTokens };
    respond(answerResponse(frame, forwarded, seed, served, lowered));
    return await forwarded.ended;
  } finally {
    watch.end();
  }
}

/** What it costs. A prompt that cannot be counted any more is charged to nobody. */
async function owedUsage(
  ending: CompletionEnd,
  { request, prompts }: ValidCompletion,
): Promise<TokenUsage> {
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
  answer: ForwardedAnswer,
  seed: number,
  { model }: ServedModel,
  lowered: { maxTokens: number; to: number } | null,
): Response {
  const headers = {
    ...apiHeaders(frame),
    "content-type": answer.contentType,
    "x-seed": String(seed),
    "x-model-revision": model.revision,
    ...(lowered === null
      ? {}
      : { "x-max-tokens-lowered": `requested=${lowered.maxTokens}, applied=${lowered.to}` }),
  };
  return new Response(answer.body, { headers });
}

/** Nobody reads it: 499 is what proxies log for a client that closed its request. */
function clientLeft(): Response {
  return new Response(null, { status: 499 });
}

/** vLLM's `priority`: live Completions before Jobs. */
const LIVE_PRIORITY = 0;

/** vLLM's own default seed is 0 at every start, so unseeded samples would repeat. 0 to 2^53-1. */
function drawSeed(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1f_ffff) * 2 ** 32 + low;
}

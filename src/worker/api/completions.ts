// `POST /v1/completions`: where the order of everything is visible. Key format, body, Warm, Hold,
// backend, settlement. All of it runs in `waitUntil`, registered before the first wait: workerd drops
// a handler whose client left, and a Hold must be settled then too.
import type { Context } from "hono";
import { parseCompletionRequest } from "../../contract/completion-request.ts";
import type { ModelStatus } from "../../contract/inference.ts";
import { COMPLETION_BODY_MAX_BYTES } from "../../contract/limits.ts";
import { errorFromProblems } from "../../contract/problems.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { inferenceOf } from "../../durable-objects/objects.ts";
import { PromptCounter } from "../accounting/prompt-counter.ts";
import { type Caller, identify, readCaller } from "../auth/authenticate.ts";
import type { AppEnv } from "../environment.ts";
import { drawSeed } from "../forward/draw-seed.ts";
import { EarlyStream } from "../forward/early-stream.ts";
import { apiHeaders } from "../frame.ts";
import { remember } from "../inference/model-status.ts";
import { ATTEMPTS_MOST, untilWarm } from "../inference/until-warm.ts";
import { readJson } from "../read-body.ts";
import { defect, Refused } from "../refuse.ts";
import {
  attemptCompletion,
  clientLeft,
  completionHeaders,
  type Run,
  saysNotReady,
} from "./attempt.ts";
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

async function runCompletion(
  c: Context<AppEnv>,
  answer: PromiseWithResolvers<Response>,
): Promise<void> {
  const caller = await readCaller(c);
  const run = await readRun(c, caller, answer).catch(async (failure: unknown) => {
    // A key that is worth nothing is the first thing to say, whatever else is wrong.
    if (failure instanceof Refused) await identify(c, caller, { countsAsStart: false });
    throw failure;
  });
  try {
    await completeWhenWarm(c, run);
  } catch (failure) {
    if (run.early.open === null) throw failure;
    const { requestId } = c.get("frame");
    await run.early.fail(failure instanceof Refused ? failure.error : defect, requestId);
    if (!(failure instanceof Refused)) throw failure;
  } finally {
    run.early.rest();
  }
}

/** What is wrong without asking the backend is said before anything waits. */
async function readRun(
  c: Context<AppEnv>,
  caller: Caller,
  answer: PromiseWithResolvers<Response>,
): Promise<Run> {
  const parsed = parseCompletionRequest(await readJson(c.req.raw, COMPLETION_BODY_MAX_BYTES));
  if (!parsed.ok) throw new Refused(errorFromProblems(parsed.problems));
  const { request } = parsed;
  const served = servedModel(c.get("services"), request.model);
  const verdict = checkAgainstModel(request, served.model);
  if (verdict.kind === "refused") throw new Refused(errorFromProblems(verdict.problems));
  const frame = c.get("frame");
  const seed = request.seed ?? drawSeed();
  const early = new EarlyStream(served.model.id, (body) => {
    const headers = { ...apiHeaders(frame), ...completionHeaders(seed, served.model) };
    headers["content-type"] = "text/event-stream; charset=utf-8";
    answer.resolve(new Response(body, { headers }));
  });
  const prompts = new PromptCounter(request, served, frame.requestId);
  const countsFirst = verdict.kind === "count-tokens-first";
  return { caller, request, served, prompts, countsFirst, seed, early, answer };
}

async function completeWhenWarm(c: Context<AppEnv>, run: Run): Promise<void> {
  const { caller, served, request, early, answer } = run;
  const modelId = served.model.id;
  const onWait = (status: ModelStatus, deadline: number) => {
    if (!request.stream) return;
    early.wait((status.startingSince ?? Date.now()) + status.expectedStartMs, deadline);
  };
  for (let attempt = 1; ; attempt += 1) {
    const warm = await untilWarm(c, { caller, modelId, onWait });
    early.rest();
    if (!warm || early.gone) return answer.resolve(clientLeft());
    try {
      await checkCounted(c, run);
      return await attemptCompletion(c, run, attempt);
    } catch (failure) {
      // It had gone to sleep, or another replica had.
      if (!saysNotReady(failure) || attempt === ATTEMPTS_MOST) throw failure;
      remember(modelId, await inferenceOf(c.env, modelId).notReady());
    }
  }
}

/** What only the prompt's exact count can tell. */
async function checkCounted(c: Context<AppEnv>, run: Run): Promise<void> {
  const { request, served, prompts, caller } = run;
  if (!run.countsFirst) return;
  // The backend counts for nobody whose key is worth nothing.
  await identify(c, caller, { countsAsStart: false });
  const verdict = checkAgainstModel(request, served.model, await prompts.countEach());
  if (verdict.kind !== "refused") return;
  // Admission counts the start of what fits; the backend's work for the rest counts here.
  await identify(c, caller, { countsAsStart: true });
  throw new Refused(errorFromProblems(verdict.problems));
}

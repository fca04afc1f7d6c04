// `POST /v1/tokenize` and `/v1/detokenize`: the Model's own tokenizer. Free, but each counts as a
// start of the minute, since the backend does the work.
import type { Context } from "hono";
import type { z } from "zod";
import { COMPLETION_BODY_MAX_BYTES } from "../../contract/limits.ts";
import { DetokenizeBody, TokenizeBody } from "../../contract/tokenize.ts";
import { inferenceOf } from "../../durable-objects/objects.ts";
import { type Caller, identify, readCaller } from "../auth/authenticate.ts";
import type { AppEnv } from "../environment.ts";
import { type Answered, detokenizeIds, tokenizeText } from "../forward/tokenize.ts";
import { remember, useModel } from "../inference/model-status.ts";
import { ATTEMPTS_MOST, untilWarm } from "../inference/until-warm.ts";
import { readJson } from "../read-body.ts";
import { Refused } from "../refuse.ts";
import { servedModel } from "./models.ts";
import { parseInput } from "./parse-input.ts";

export async function tokenize(c: Context<AppEnv>): Promise<Response> {
  const { caller, body } = await readBody(c, TokenizeBody);
  const { backend } = servedModel(c.get("services"), body.model);
  const ask = () => tokenizeText(backend, body, tokenizerCall(c));
  return c.json(await answerWhenWarm(c, caller, body.model, ask));
}

export async function detokenize(c: Context<AppEnv>): Promise<Response> {
  const { caller, body } = await readBody(c, DetokenizeBody);
  const { backend } = servedModel(c.get("services"), body.model);
  const ask = () => detokenizeIds(backend, body, tokenizerCall(c));
  return c.json(await answerWhenWarm(c, caller, body.model, ask));
}

async function readBody<T>(c: Context<AppEnv>, schema: z.ZodType<T>) {
  const caller = await readCaller(c);
  await identify(c, caller, { countsAsStart: true });
  const body = parseInput(schema, await readJson(c.req.raw, COMPLETION_BODY_MAX_BYTES));
  return { caller, body };
}

/** Throws `Refused`. */
async function answerWhenWarm<T>(
  c: Context<AppEnv>,
  caller: Caller,
  modelId: string,
  ask: () => Promise<Answered<T>>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await untilWarm(c, { caller, modelId });
    const answered = await ask().finally(useModel(c, modelId));
    if (answered.ok) return answered.answer;
    const { error } = answered;
    if (error.code !== "model_starting" || attempt === ATTEMPTS_MOST) throw new Refused(error);
    remember(modelId, await inferenceOf(c.env, modelId).notReady());
  }
}

function tokenizerCall(c: Context<AppEnv>) {
  return { requestId: c.get("frame").requestId, signal: c.req.raw.signal };
}

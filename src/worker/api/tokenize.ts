// `POST /v1/tokenize` and `/v1/detokenize`: the Model's own tokenizer. Free, but each counts as a
// start of the minute, since the backend does the work.
import type { Context } from "hono";
import { COMPLETION_BODY_MAX_BYTES } from "../../contract/limits.ts";
import { DetokenizeBody, TokenizeBody } from "../../contract/tokenize.ts";
import { identify, readCaller } from "../auth/authenticate.ts";
import type { AppEnv } from "../environment.ts";
import { type Answered, detokenizeIds, tokenizeText } from "../forward/tokenize.ts";
import { useModel } from "../inference/model-status.ts";
import { untilWarm } from "../inference/until-warm.ts";
import { readJson } from "../read-body.ts";
import { Refused } from "../refuse.ts";
import { servedModel } from "./models.ts";
import { parseInput } from "./parse-input.ts";

export async function tokenize(c: Context<AppEnv>): Promise<Response> {
  const caller = await readCaller(c);
  await identify(c, caller, { countsAsStart: true });
  const body = parseInput(TokenizeBody, await readJson(c.req.raw, COMPLETION_BODY_MAX_BYTES));
  const { backend } = servedModel(c.get("services"), body.model);
  await untilWarm(c, { caller, modelId: body.model });
  const used = useModel(c, body.model);
  return c.json(answerOf(await tokenizeText(backend, body, tokenizerCall(c)).finally(used)));
}

export async function detokenize(c: Context<AppEnv>): Promise<Response> {
  const caller = await readCaller(c);
  await identify(c, caller, { countsAsStart: true });
  const body = parseInput(DetokenizeBody, await readJson(c.req.raw, COMPLETION_BODY_MAX_BYTES));
  const { backend } = servedModel(c.get("services"), body.model);
  await untilWarm(c, { caller, modelId: body.model });
  const used = useModel(c, body.model);
  return c.json(answerOf(await detokenizeIds(backend, body, tokenizerCall(c)).finally(used)));
}

function tokenizerCall(c: Context<AppEnv>) {
  return { requestId: c.get("frame").requestId, signal: c.req.raw.signal };
}

function answerOf<T>(answered: Answered<T>): T {
  if (!answered.ok) throw new Refused(answered.error);
  return answered.answer;
}

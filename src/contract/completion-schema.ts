// The one schema of a `POST /v1/completions` body, as it is once null fields are taken out: null
// means absent for every optional field, which the parser and OpenAPI both apply.
import { z } from "zod";
import { completionFields, type FieldName } from "./completion-fields.ts";
import {
  biasMap,
  type Check,
  checkPrompt,
  idList,
  stringList,
  stringOrList,
} from "./completion-shapes.ts";
import { requestLimits as limits } from "./request-limits.ts";

/** As the client wrote it, and as the backend gets it. */
type Prompt = string | readonly string[] | readonly number[] | readonly (readonly number[])[];

/** A list or map whose members a loop checks; `json` is its shape in OpenAPI. */
function shaped<T>(check: Check, json: Record<string, unknown>) {
  return z
    .custom<T>()
    .check((context) => {
      const message = check(context.value);
      if (message !== null) context.issues.push({ code: "custom", message, input: undefined });
    })
    .meta(json);
}

const tokenId = { type: "integer", minimum: 0 };
const text = { type: "string", minLength: 1 };

function ids(field: FieldName, minItems: number, maxItems: number) {
  const check = idList(completionFields[field].accepts, minItems, maxItems);
  const json = { type: "array", items: tokenId, minItems, maxItems };
  return shaped<readonly number[]>(check, json).optional();
}

const idPrompt = { type: "array", items: tokenId, minItems: 1 };
const prompt = shaped<Prompt>(checkPrompt, {
  anyOf: [
    text,
    { type: "array", items: text, minItems: 1, maxItems: limits.prompts },
    idPrompt,
    { type: "array", items: idPrompt, minItems: 1, maxItems: limits.prompts },
  ],
});

const stopText = { ...text, maxLength: limits.stopCharacters };
const stop = shaped<string | readonly string[]>(
  stringOrList(completionFields.stop.accepts, limits.stopStrings, limits.stopCharacters),
  { anyOf: [stopText, { type: "array", items: stopText, maxItems: limits.stopStrings }] },
).optional();

const badWords = shaped<readonly string[]>(
  stringList(completionFields.bad_words.accepts, limits.badWords, limits.badWordCharacters),
  {
    type: "array",
    items: { ...text, maxLength: limits.badWordCharacters },
    maxItems: limits.badWords,
  },
).optional();

const logitBias = shaped<Readonly<Record<string, number>>>(
  biasMap(completionFields.logit_bias.accepts, limits.logitBiasEntries, limits.logitBiasMost),
  {
    type: "object",
    propertyNames: { pattern: "^(0|[1-9][0-9]*)$" },
    additionalProperties: {
      type: "number",
      minimum: -limits.logitBiasMost,
      maximum: limits.logitBiasMost,
    },
    maxProperties: limits.logitBiasEntries,
  },
).optional();

const flag = z.boolean().optional();
const nullableFlag = z.boolean().nullish();
const penalty = z.number().min(-limits.penaltyMost).max(limits.penaltyMost).optional();
const logprobs = z.int().min(-1).optional();

export const completionSchema = z.strictObject({
  model: z.string().min(1).max(limits.modelCharacters),
  prompt,
  max_tokens: z.int().min(0).optional(),
  temperature: z
    .union([z.literal(0), z.number().min(limits.temperatureLeast).max(limits.temperatureMost)])
    .optional(),
  top_p: z.number().gt(0).max(1).optional(),
  top_k: z.int().min(-1).optional(),
  min_p: z.number().min(0).max(1).optional(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  repetition_penalty: z.number().gt(0).max(limits.repetitionPenaltyMost).optional(),
  n: z.int().min(1).max(limits.n).optional(),
  stop,
  stop_token_ids: ids("stop_token_ids", 0, limits.stopTokenIds),
  include_stop_str_in_output: flag,
  ignore_eos: flag,
  skip_special_tokens: flag,
  spaces_between_special_tokens: flag,
  add_special_tokens: flag,
  return_token_ids: flag,
  return_tokens_as_token_ids: flag,
  echo: flag,
  stream: flag,
  min_tokens: z.int().min(0).optional(),
  seed: z.int().min(0).max(limits.seedMost).optional(),
  logprobs,
  prompt_logprobs: logprobs,
  logprob_token_ids: ids("logprob_token_ids", 1, limits.logprobTokenIds),
  logit_bias: logitBias,
  allowed_token_ids: ids("allowed_token_ids", 1, limits.allowedTokenIds),
  bad_words: badWords,
  stream_options: z
    .strictObject({ include_usage: nullableFlag, continuous_usage_stats: nullableFlag })
    .optional(),
  user: z.string().max(limits.userCharacters).optional(),
} satisfies Record<FieldName, z.ZodType>);

export type CompletionBody = z.infer<typeof completionSchema>;

// `POST /v1/completions` in the OpenAPI document: what it takes and gives.
import { z } from "zod";
import { completionFields, type FieldName, fieldNames } from "./completion-fields.ts";
import { completionSchema } from "./completion-schema.ts";
import type { ErrorCode } from "./errors.ts";
import { count, header, type Json, json, type OwnOperation, reference } from "./openapi-parts.ts";

/** The request body: the schema's types and ranges with the field table's words and defaults. */
function completionBodySchema(): Json {
  const { $schema, ...schema } = z.toJSONSchema(completionSchema, {
    unrepresentable: "any",
    io: "input",
  });
  const required = schema.required ?? [];
  const describe = (name: FieldName): Json => {
    const { accepts, notes, default: initial } = completionFields[name];
    const property: Json = { ...(schema.properties?.[name] as Json) };
    const description = `${accepts[0]?.toUpperCase()}${accepts.slice(1)}. ${notes}`;
    if (required.includes(name)) return { description, ...property };
    return {
      description,
      ...(initial !== null && { default: initial }),
      anyOf: [property, { type: "null" }],
    };
  };
  const properties = Object.fromEntries(fieldNames.map((name) => [name, describe(name)]));
  return { ...schema, properties };
}

const usageSchema = {
  type: "object",
  properties: { prompt_tokens: count, completion_tokens: count, total_tokens: count },
  required: ["prompt_tokens", "completion_tokens", "total_tokens"],
};

const choiceSchema = {
  type: "object",
  properties: {
    index: { ...count, description: "The prompt's index × n + the choice's." },
    text: { type: "string" },
    logprobs: { type: ["object", "null"] },
    finish_reason: { type: ["string", "null"], description: "`stop` or `length`." },
    stop_reason: { type: ["integer", "string", "null"] },
    token_ids: { type: ["array", "null"], items: count },
    prompt_logprobs: { type: ["array", "null"] },
    prompt_token_ids: { type: ["array", "null"], items: count },
  },
  required: ["index", "text"],
};

const completionAnswerSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    object: { const: "text_completion" },
    created: { ...count, description: "Seconds since 1970." },
    model: { type: "string" },
    choices: { type: "array", items: choiceSchema },
    usage: { anyOf: [usageSchema, { type: "null" }] },
  },
  required: ["id", "object", "created", "model", "choices"],
};

const ofCompletions: readonly ErrorCode[] = [
  "context_length_exceeded",
  "whole_vocabulary_too_large",
  "budget_exceeded",
];
export const completionsOperation: OwnOperation = {
  requestBody: { required: true, content: json(reference("CompletionRequest")) },
  success: {
    description: "The choices; with `stream: true` as SSE events that end with `data: [DONE]`.",
    headers: {
      "x-request-id": header("This request's id."),
      "x-seed": header("The seed that was used, given or drawn.", "integer"),
      "x-model-revision": header("The commit of the weights."),
      "x-max-tokens-lowered": header("`requested=N, applied=M`, where the tokens ran short."),
    },
    content: {
      ...json(reference("Completion")),
      "text/event-stream": { schema: { type: "string" } },
    },
  },
  codes: ofCompletions,
};

export const completionSchemas = {
  CompletionRequest: completionBodySchema(),
  Completion: completionAnswerSchema,
};

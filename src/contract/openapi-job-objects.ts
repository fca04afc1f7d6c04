// Jobs, files and batches in the OpenAPI document, as they are sent and shown.
import {
  JOB_INPUT_MAX_BYTES,
  JOB_ITEMS_MOST,
  JOB_JSON_MAX_BYTES,
  METADATA_PAIRS_MOST,
} from "./job-limits.ts";
import { JOB_ENDPOINT } from "./job-request.ts";
import { NAME_MAX_CHARACTERS } from "./limits.ts";
import { count, type Json, object, orNull, reference, text } from "./openapi-parts.ts";

const seconds = { ...count, description: "Seconds since 1970." };
const secondsOrNull = orNull(seconds);
const name = { type: "string", minLength: 1, maxLength: NAME_MAX_CHARACTERS };

const item = {
  type: "object",
  properties: {
    custom_id: { ...text, description: "Unique in the Job; the result has it too." },
    method: { const: "POST" },
    url: { const: JOB_ENDPOINT },
    body: reference("CompletionRequest"),
  },
  required: ["custom_id", "body"],
  additionalProperties: false,
};

const jobRequest = {
  description: `At most ${JOB_ITEMS_MOST} items and ${JOB_JSON_MAX_BYTES} bytes; as lines ${JOB_INPUT_MAX_BYTES}.`,
  oneOf: [
    {
      type: "object",
      properties: {
        name,
        model: text,
        params: { type: "object", description: "A completion's other fields, for all prompts." },
        prompts: { type: "array", minItems: 1, maxItems: JOB_ITEMS_MOST },
      },
      required: ["model", "prompts"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: {
        name,
        completions: { type: "array", items: item, minItems: 1, maxItems: JOB_ITEMS_MOST },
      },
      required: ["completions"],
      additionalProperties: false,
    },
  ],
};

const job = object({
  id: text,
  object: { const: "job" },
  name: text,
  model: text,
  state: { enum: ["queued", "running", "paused", "completed", "failed", "cancelled"] },
  pause: orNull({
    ...object({
      reason: { enum: ["budget_exceeded", "spend_cap", "model_starting"] },
      message: { ...text, description: "What it waits for, and what to do." },
      since: seconds,
    }),
    description: "With `budget_exceeded` also `budget`, as in an error.",
  }),
  progress: object({
    ...{ total: count, succeeded: count, failed: count, tokens: count },
    eta_seconds: orNull(count),
  }),
  usage: object({ prompt_tokens: count, completion_tokens: count, total_tokens: count }),
  errors: {
    type: "array",
    description: "Failed items, those that failed alike together.",
    items: object({ code: text, message: text, count, custom_id: text }),
  },
  failure: orNull(text),
  created_at: seconds,
  started_at: secondsOrNull,
  cancelled_at: secondsOrNull,
  ended_at: secondsOrNull,
  removed_at: secondsOrNull,
});

const file = object({
  id: text,
  object: { const: "file" },
  bytes: count,
  filename: text,
  purpose: { enum: ["batch", "batch_output"] },
  status: { const: "processed" },
  created_at: seconds,
  expires_at: secondsOrNull,
});

const metadata = orNull({
  type: "object",
  additionalProperties: text,
  maxProperties: METADATA_PAIRS_MOST,
});

const batchRequest = {
  type: "object",
  properties: {
    input_file_id: text,
    endpoint: { const: JOB_ENDPOINT },
    completion_window: { ...text, description: "Kept and shown; it ends nothing." },
    metadata,
  },
  required: ["input_file_id", "endpoint", "completion_window"],
  additionalProperties: false,
};

const batch = object({
  id: text,
  object: { const: "batch" },
  endpoint: { const: JOB_ENDPOINT },
  model: text,
  status: {
    enum: [
      ...["validating", "in_progress", "finalizing", "completed", "failed", "cancelling"],
      "cancelled",
    ],
  },
  input_file_id: text,
  completion_window: text,
  metadata,
  output_file_id: orNull(text),
  error_file_id: orNull(text),
  request_counts: object({ total: count, completed: count, failed: count }),
  created_at: seconds,
});

export const jobSchemas: Json = {
  JobItem: item,
  JobRequest: jobRequest,
  Job: job,
  File: file,
  BatchRequest: batchRequest,
  Batch: batch,
};

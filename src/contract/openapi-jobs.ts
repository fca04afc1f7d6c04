// What the routes of Jobs, files and batches take and give, for the OpenAPI document.
import type { ErrorCode } from "./errors.ts";
import { IDEMPOTENCY_KEY_MAX_CHARACTERS } from "./job-limits.ts";
import { PAGE_MAX_ROWS } from "./limits.ts";
import {
  header,
  type Json,
  json,
  type OwnOperation,
  object,
  reference,
  text,
} from "./openapi-parts.ts";

const inHeader = (headerName: string, description: string) => {
  return { name: headerName, in: "header", description, schema: text };
};
const inQuery = (queryName: string, description: string, schema: Json = text) => {
  return { name: queryName, in: "query", description, schema };
};

const idempotency = inHeader(
  "Idempotency-Key",
  `At most ${IDEMPOTENCY_KEY_MAX_CHARACTERS} characters; a repeat with the same one is the same Job.`,
);
const page = [
  inQuery("after", "The last id of the page before."),
  inQuery("limit", "Rows of a page.", { type: "integer", minimum: 1, maximum: PAGE_MAX_ROWS }),
];
const only = inQuery("only", "Leaves out the other items.", { enum: ["succeeded", "failed"] });
const ranges = [
  inHeader("Range", "One range of bytes."),
  inHeader("If-Range", "The `etag` of what was read before."),
];
const given = (description: string, schema: string): Json => {
  return { description, content: json(reference(schema)) };
};
const listed = (description: string, schema: string): Json => {
  const list = object({
    object: { const: "list" },
    data: { type: "array", items: reference(schema) },
    has_more: { type: "boolean" },
  });
  return { description, content: json(list) };
};
const deleted: Json = {
  description: "It is gone.",
  content: json(object({ id: text, object: text, deleted: { const: true } })),
};
const lines: Json = {
  description:
    "Lines of JSON; with `Range` 206 and `content-range`, whose size is `*` while it grows.",
  headers: {
    etag: header("For `If-Range`."),
    "x-job-complete": header("`false` while more may come."),
  },
  content: { "application/x-ndjson": { schema: text } },
};
const form = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: object({ file: { type: "string", format: "binary" }, purpose: { const: "batch" } }),
    },
  },
};

const ofSubmit: readonly ErrorCode[] = [
  "model_not_found",
  "context_length_exceeded",
  "whole_vocabulary_too_large",
  "idempotency_conflict",
];

/** By method and path. */
export const jobOperations: Readonly<Record<string, OwnOperation>> = {
  "POST /v1/jobs": {
    parameters: [idempotency, inQuery("name", "With lines, what `name` says in JSON.")],
    requestBody: {
      required: true,
      content: {
        ...json(reference("JobRequest")),
        "application/x-ndjson": { schema: { ...text, description: "A JobItem on each line." } },
      },
    },
    success: given("The Job, which runs from now on.", "Job"),
    codes: ofSubmit,
  },
  "GET /v1/jobs": {
    parameters: page,
    success: listed("A page of Jobs.", "Job"),
    codes: ["invalid_request"],
  },
  "GET /v1/jobs/{id}": { success: given("The Job.", "Job"), codes: [] },
  "DELETE /v1/jobs/{id}": { success: deleted, codes: ["conflict"] },
  "POST /v1/jobs/{id}/cancel": { success: given("The Job.", "Job"), codes: [] },
  "GET /v1/jobs/{id}/results": {
    parameters: [only, ...ranges],
    success: lines,
    codes: ["range_not_satisfiable", "invalid_request"],
  },
  "POST /v1/files": {
    requestBody: form,
    success: given("The file.", "File"),
    codes: ["conflict"],
  },
  "GET /v1/files": {
    parameters: [...page, inQuery("purpose", "Only `batch` has any: results are not listed.")],
    success: listed("A page of uploads.", "File"),
    codes: ["invalid_request"],
  },
  "GET /v1/files/{id}": { success: given("The file.", "File"), codes: [] },
  "DELETE /v1/files/{id}": { success: deleted, codes: ["conflict"] },
  "GET /v1/files/{id}/content": {
    parameters: ranges,
    success: lines,
    codes: ["range_not_satisfiable"],
  },
  "POST /v1/batches": {
    parameters: [idempotency],
    requestBody: { required: true, content: json(reference("BatchRequest")) },
    success: given("The batch, which runs from now on.", "Batch"),
    codes: ["not_found", ...ofSubmit],
  },
  "GET /v1/batches": {
    parameters: page,
    success: listed("A page of batches.", "Batch"),
    codes: ["invalid_request"],
  },
  "GET /v1/batches/{id}": { success: given("The batch.", "Batch"), codes: [] },
  "POST /v1/batches/{id}/cancel": { success: given("The batch.", "Batch"), codes: [] },
};

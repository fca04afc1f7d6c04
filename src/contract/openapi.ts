// The OpenAPI 3.1 document, from the route table, the error catalogue and the request's schema.
// Pure; `npm run generate` writes it to docs/openapi.json, which the Worker serves.
import { z } from "zod";
import { completionFields, type FieldName, fieldNames } from "./completion-fields.ts";
import { completionSchema } from "./completion-schema.ts";
import { type ErrorCode, errorCatalogue } from "./errors.ts";
import { type Route, routes, unsupportedPaths } from "./routes.ts";

type Json = Readonly<Record<string, unknown>>;

const errorCodes = Object.keys(errorCatalogue) as ErrorCode[];
const completionsRoute = "POST /v1/completions";
const webhookPath = "/webhooks/inference";

/** The request body: the schema's types and ranges with the field table's words and defaults. */
function needsKey({ access }: Route): boolean {
  return access === "account" || access === "admin";
}

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

const count = { type: "integer", minimum: 0 };

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

const errorSchema = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        message: { type: "string", description: "What happened, and what to do." },
        type: { enum: [...new Set(errorCodes.map((code) => errorCatalogue[code].type))] },
        param: { type: ["string", "null"], description: "The first field that is wrong." },
        code: { enum: errorCodes },
        budget: {
          type: "object",
          description:
            "With `budget_exceeded`: the person's figures, in tokens; where the key's monthly limit is the narrower, those of the key's month.",
          properties: {
            ...Object.fromEntries(
              ["granted", "spent", "held", "needed"].map((name) => [name, count]),
            ),
            available: {
              type: "integer",
              description: "Below 0 where a key's limit was set lower than what it had used.",
            },
          },
        },
      },
      required: ["message", "type", "param", "code"],
    },
  },
  required: ["error"],
};

const everywhere: readonly ErrorCode[] = ["method_not_allowed", "internal_error"];
const withKey: readonly ErrorCode[] = ["invalid_api_key", "account_disabled", "rate_limited"];
const withBody: readonly ErrorCode[] = [
  "invalid_request",
  "unsupported_media_type",
  "request_too_large",
];
const ofBackend: readonly ErrorCode[] = [
  "model_not_found",
  "spend_cap",
  "inference_failed",
  "model_starting",
  "inference_overloaded",
  "inference_timeout",
];
const ofWebhook: readonly ErrorCode[] = [
  "invalid_signature",
  "not_found",
  "request_too_large",
  "invalid_request",
  "model_not_found",
];
const ofCompletions: readonly ErrorCode[] = [
  "context_length_exceeded",
  "whole_vocabulary_too_large",
  "budget_exceeded",
];
const backendPaths: readonly string[] = [
  "/v1/completions",
  "/v1/tokenize",
  "/v1/detokenize",
] satisfies (typeof routes)[number]["path"][];

const conflictPaths: readonly string[] = [
  "/v1/admin/people/{id}/invite",
  "/v1/admin/token-requests/{id}/approve",
  "/v1/admin/token-requests/{id}/reject",
] satisfies (typeof routes)[number]["path"][];

/** Every code that a route can answer with, in the catalogue's order. */
export function codesOf(route: Route): ErrorCode[] {
  const codes = new Set(everywhere);
  const add = (more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (needsKey(route)) add(withKey);
  if (route.access === "admin") add(["admin_required"]);
  if (route.path.includes("{")) {
    add(route.path.startsWith("/v1/models") ? ["model_not_found"] : ["not_found"]);
  }
  if (route.path === webhookPath) add(ofWebhook);
  else if (route.method !== "GET") add(withBody);
  if (route.access === "admin" && route.method !== "GET") add(["idempotency_conflict"]);
  if (conflictPaths.includes(route.path)) add(["conflict"]);
  if (backendPaths.includes(route.path)) add(ofBackend);
  if (route.path === "/v1/completions") add(ofCompletions);
  return errorCodes.filter((code) => codes.has(code));
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json) => ({ "application/json": { schema } });

/** One response for each status; its description lists the codes that share it. */
function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const { status, when } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${when}`]);
  }
  const content = json(reference("Error"));
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [status, { description: lines.join("\n\n"), content }]),
  );
}

const header = (description: string, type = "string") => ({ description, schema: { type } });

const completionsOperation = {
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
};

function operation(route: Route): Json {
  const key = `${route.method} ${route.path}`;
  const isCompletions = key === completionsRoute;
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  return {
    operationId: key
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "_")
      .replace(/_$/, ""),
    summary: route.summary,
    security: needsKey(route) ? [{ key: [] }] : [],
    ...(names.length > 0 && {
      parameters: names.map((name) => {
        return { name, in: "path", required: true, schema: { type: "string" } };
      }),
    }),
    ...(isCompletions && { requestBody: completionsOperation.requestBody }),
    responses: {
      [route.path === webhookPath ? 204 : 200]: isCompletions
        ? completionsOperation.success
        : { description: route.summary },
      ...errorResponses(codesOf(route)),
    },
  };
}

function paths(): Json {
  const table: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    table[route.path] = { ...table[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  for (const path of unsupportedPaths) {
    const summary = "Not offered: base models have no chat template";
    table[path] = { post: { summary, responses: errorResponses(["chat_unsupported"]) } };
  }
  return table;
}

export function buildOpenApi(version: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Continuo",
      version,
      license: { name: "MIT", identifier: "MIT" },
      description: "An OpenAI-compatible inference API for base models.",
      "x-generated": "from src/contract/ by `npm run generate`; edit the contract, not this file",
    },
    servers: [{ url: "/" }],
    paths: paths(),
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, `ctn_…`." },
      },
      schemas: {
        CompletionRequest: completionBodySchema(),
        Completion: completionAnswerSchema,
        Error: errorSchema,
      },
    },
  };
}

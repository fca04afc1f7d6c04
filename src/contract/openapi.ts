// The OpenAPI 3.1 document, from the route table, the error catalogue and the request's schema.
// Pure; `npm run generate` writes it to docs/openapi.json, which the Worker serves.
import { type ErrorCode, errorCatalogue } from "./errors.ts";
import { completionSchemas, completionsOperation } from "./openapi-completions.ts";
import { jobSchemas } from "./openapi-job-objects.ts";
import { jobOperations } from "./openapi-jobs.ts";
import { count, type Json, json, type OwnOperation, reference } from "./openapi-parts.ts";
import { type Route, routes, unsupportedPaths } from "./routes.ts";

const errorCodes = Object.keys(errorCatalogue) as ErrorCode[];
const completionsRoute = "POST /v1/completions";
/** Answers nothing but that it was taken. */
const reportPath = "/webhooks/inference" satisfies (typeof routes)[number]["path"];

function needsKey({ access }: Route): boolean {
  return access === "account" || access === "admin";
}

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
  "request_too_large",
  "invalid_request",
  "rate_limited",
];
const onlyConfigured: readonly ErrorCode[] = ["not_found"];
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

function keyOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

function ownOperation(route: Route): OwnOperation | undefined {
  const key = keyOf(route);
  return key === completionsRoute ? completionsOperation : jobOperations[key];
}

function takesBody(route: Route): boolean {
  const own = ownOperation(route);
  return own === undefined ? route.method !== "GET" : own.requestBody !== undefined;
}

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
  if (route.path === reportPath) add([...onlyConfigured, "model_not_found"]);
  if (route.path === "/webhooks/keys") add([...onlyConfigured, "idempotency_conflict"]);
  if (route.access === "signed") add(ofWebhook);
  else if (takesBody(route)) add(withBody);
  if (route.access === "admin" && route.method !== "GET") add(["idempotency_conflict"]);
  if (conflictPaths.includes(route.path)) add(["conflict"]);
  if (backendPaths.includes(route.path)) add(ofBackend);
  add(ownOperation(route)?.codes ?? []);
  return errorCodes.filter((code) => codes.has(code));
}

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

function operation(route: Route): Json {
  const key = keyOf(route);
  const own = ownOperation(route);
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
  const parameters = [...inPath, ...(own?.parameters ?? [])];
  return {
    operationId: key
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "_")
      .replace(/_$/, ""),
    summary: route.summary,
    security: needsKey(route) ? [{ key: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(own?.requestBody !== undefined && { requestBody: own.requestBody }),
    responses: {
      [route.path === reportPath ? 204 : 200]: own?.success ?? { description: route.summary },
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
        ...completionSchemas,
        ...jobSchemas,
        Error: errorSchema,
      },
    },
  };
}

// docs/reference/openapi.md, jobs.md and webhooks.md: the document of docs/openapi.json as pages,
// without a viewer. Pure.
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { capital, code, head, table } from "./markdown.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { name: string; in: string; description?: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

/** What of the document the pages are made of. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const of = (...starts: string[]) => {
  return (path: string) => starts.some((start) => path.startsWith(start));
};
const isOfJobs = of("/v1/jobs", "/v1/files", "/v1/batches");
const isWebhook = of("/webhooks/");

export function openapiPage(document: OpenApiDocument): string {
  return `${head("docs/openapi.json", "routes, endpoints, openapi, swagger, api reference, schema, rest, admin api")}
# Routes and OpenAPI

Every route of the API, but for those of [Jobs](jobs.md) and [webhooks](webhooks.md), which have pages
of their own. All of it for programs, with every schema:
[\`/openapi.json\`](http://127.0.0.1:8787/openapi.json) (OpenAPI 3.1).

${routesOf(document, (path) => !isOfJobs(path) && !isWebhook(path))}`;
}

export function jobsPage(document: OpenApiDocument): string {
  const { Job, JobItem, JobRequest, Batch } = document.components.schemas;
  const objects = { Job, JobItem, JobRequest, Batch };
  const sections = Object.entries(objects).map(
    ([name, schema]) => `## The object ${name}\n\n${members(schema ?? {})}\n`,
  );
  return `${head("docs/openapi.json", "batch, batches, files, queue, job states, paused, results, custom_id, jsonl")}
# Jobs

The routes of Jobs, and of OpenAI's \`files\` and \`batches\`, which are the same Jobs. How to use them is
on [Run a Job](../how-to/run-a-job.md), their bounds are on [Limits](limits.md).

${routesOf(document, isOfJobs)}
${sections.join("\n")}`;
}

export function webhooksPage(document: OpenApiDocument): string {
  return `${head("docs/openapi.json", "webhook, signature, standard webhooks, secret scanning, leaked keys, events")}
# Webhooks

What other services post here. Each is signed; a wrong signature, or a time that is too far off, is a
401 [\`invalid_signature\`](errors.md#invalid_signature). The secrets are on
[Configuration](../operate/configuration.md).

${routesOf(document, isWebhook)}`;
}

function routesOf(document: OpenApiDocument, isHere: (path: string) => boolean): string {
  const sections = Object.entries(document.paths)
    .filter(([path]) => isHere(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => {
        return routeSection(`${method.toUpperCase()} ${path}`, operation);
      }),
    );
  return `${sections.join("\n\n")}\n`;
}

function routeSection(name: string, operation: Operation): string {
  const { summary, security = [], parameters = [], requestBody, responses } = operation;
  const needsKey = security.length > 0 ? " Needs a key." : "";
  const rows = parameters.map((one) => [code(one.name), one.in, one.description ?? ""]);
  const errors = Object.keys(responses)
    .filter((status) => !status.startsWith("2"))
    .flatMap((status) => codesIn(responses[status]?.description ?? ""))
    .map((each) => `[${code(each)}](errors.md#${each})`);
  const answer = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  return [
    `## ${code(name)}`,
    `${summary}.${needsKey}`,
    rows.length === 0 ? "" : table(["Parameter", "In", "Means"], rows),
    ...Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => body(type, schema)),
    answer === undefined || answer.description === summary ? "" : answer.description,
    `Errors: ${errors.join(", ")}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A response's description has a line for each of its codes. */
function codesIn(description: string): ErrorCode[] {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  return codes.filter((each) => description.includes(`\`${each}\`:`));
}

function body(type: string, schema: Schema): string {
  const name = schema.$ref?.split("/").at(-1);
  if (name === "CompletionRequest") {
    return `Body, ${code(type)}: [the fields of a Completion](fields.md).`;
  }
  if (name !== undefined) return `Body, ${code(type)}: a ${code(name)}.`;
  const inside = schema.properties === undefined ? "" : `\n\n${members(schema)}`;
  return `Body, ${code(type)}${schema.description ? `: ${schema.description}` : "."}${inside}`;
}

function members(schema: Schema): string {
  const alternatives = schema.anyOf ?? schema.oneOf ?? [];
  if (schema.properties === undefined && alternatives.length > 0) {
    return alternatives.map(members).join("\n\nor\n\n");
  }
  const required = schema.required ?? [];
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    code(name),
    `${typeOf(member)}${required.includes(name) ? "" : ", optional"}`,
    capital(member.description ?? ""),
  ]);
  return table(["Member", "Is", "Means"], rows);
}

function typeOf(schema: Schema): string {
  const { $ref, const: only, enum: words, items, anyOf, oneOf, type } = schema;
  if ($ref !== undefined) return `a ${code($ref.split("/").at(-1) ?? "")}`;
  if (only !== undefined) return code(only);
  if (words !== undefined) return words.map(code).join(", ");
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return alternatives.map(typeOf).join(" or ");
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return [type].flat().join(" or ");
}

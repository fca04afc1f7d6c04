// The reference pages that error messages point to, as plain Markdown, and the OpenAPI document. All
// are generated (`npm run generate`) and committed.
import type { Context } from "hono";
import openapi from "../../../docs/openapi.json" with { type: "json" };
import errorsPage from "../../../docs/reference/errors.md";
import fieldsPage from "../../../docs/reference/fields.md";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";

const pages: ReadonlyMap<string, string> = new Map([
  ["/docs/reference/errors", errorsPage],
  ["/docs/reference/fields", fieldsPage],
]);

/** Where this deployment's docs stand, without a trailing slash. */
export function docsUrl(c: Context<AppEnv>): string {
  return `${new URL(c.req.url).origin}/docs`;
}

/** What somebody sees who opens the address itself. */
export function showWelcome(c: Context<AppEnv>): Response {
  const { origin } = new URL(c.req.url);
  return c.text(`Continuo: an inference API for base models.

  base_url for the OpenAI SDK   ${origin}/v1
  fields of a completion        ${docsUrl(c)}/reference/fields
  errors                        ${docsUrl(c)}/reference/errors
  OpenAPI                       ${origin}/openapi.json
`);
}

/** Whether there is something to read at this path, beside the API. */
export function isPage(path: string): boolean {
  return path === "/" || pageAt(path) !== undefined;
}

export function showDocs(c: Context<AppEnv>): Response {
  const page = pageAt(c.req.path);
  if (page === undefined) {
    const known = [...pages.keys()].join(", ");
    throw new Refused({ code: "not_found", message: `There is no such page. There are ${known}.` });
  }
  return c.body(page, 200, { "content-type": "text/markdown; charset=utf-8" });
}

function pageAt(path: string): string | undefined {
  return pages.get(path.replace(/\.md$/, ""));
}

/** The document with this deployment's own address as its server. */
export function showOpenapi(c: Context<AppEnv>): Response {
  return c.json({ ...openapi, servers: [{ url: new URL(c.req.url).origin }] });
}

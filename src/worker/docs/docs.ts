// What the rest of the Worker needs of the docs: their address, and the OpenAPI document, which is
// generated from the contract (`npm run generate`) and committed.
import type { Context } from "hono";
import openapi from "../../../docs/openapi.json" with { type: "json" };
import type { AppEnv } from "../environment.ts";

/** Where this deployment's docs stand, without a trailing slash. */
export function docsUrl(c: Context<AppEnv>): string {
  return `${new URL(c.req.url).origin}/docs`;
}

/** What a program sees that opens the address itself. */
export function showWelcome(c: Context<AppEnv>): Response {
  const { origin } = new URL(c.req.url);
  return c.text(`Continuo: an inference API for base models.

  base_url for the OpenAI SDK   ${origin}/v1
  docs                          ${docsUrl(c)}
  all of them on one page       ${origin}/llms.txt
  OpenAPI                       ${origin}/openapi.json
`);
}

/** The document with this deployment's own address as its server. */
export function showOpenapi(c: Context<AppEnv>): Response {
  return c.json({ ...openapi, servers: [{ url: new URL(c.req.url).origin }] });
}

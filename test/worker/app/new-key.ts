// Keys made by the page's own form.
import { env } from "cloudflare:workers";
import { accountOf } from "../../../src/durable-objects/objects.ts";
import type { Visitor } from "./visitor.ts";

let forms = 0;

/** The form of a key as its page sends it, with an id of its own. */
export function form(fields: Record<string, string> = {}): Record<string, string> {
  forms += 1;
  return { id: `form${forms}`, name: "laptop", expires: "", limit: "", ...fields };
}

export function keysOf({ id }: { id: string }) {
  return accountOf(env, id).keys();
}

export function secretIn(html: string): string | undefined {
  return /ctn_[0-9a-z]{16}_[0-9a-z]{40}/.exec(html)?.[0];
}

export async function newKey(visitor: Visitor, fields: Record<string, string> = {}) {
  const sent = form(fields);
  const html = await (await visitor.post("/keys", sent)).text();
  const secret = secretIn(html);
  const key = (await keysOf(visitor)).find(({ id }) => id.endsWith(`_${sent.id}`));
  if (secret === undefined || key === undefined) throw new Error(`no key was made: ${html}`);
  return { ...key, secret, path: `/keys/${key.id}` };
}

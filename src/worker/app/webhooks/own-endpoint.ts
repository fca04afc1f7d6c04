// The endpoint of the path, if it is the person's own: another's looks as if it were not there.
import type { Context } from "hono";
import type { Endpoint } from "../../../contract/outgoing-webhooks.ts";
import { webhooksOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { signedIn } from "../session.ts";

/** Throws `Refused` 404. */
export async function ownEndpoint(c: Context<AppEnv>): Promise<Endpoint> {
  const endpoints = await webhooksOf(c.env, signedIn(c).person.id).endpoints();
  const found = endpoints.find(({ id }) => id === c.req.param("id"));
  if (found !== undefined) return found;
  throw new Refused({ code: "not_found", message: "You have no such endpoint." });
}

const notices = {
  removed: "The endpoint and its deliveries are removed.",
  tested: "A test event is on its way. What came of it shows below.",
  on: "The endpoint is switched on: what happens from now on is sent to it.",
  replayed: "The delivery is on its way again, under the same id.",
  "shown-before":
    "This was done before, and its secret was shown then. It can't be shown again: if you did not copy it, replace it.",
} as const;

export const webhookNotices: Readonly<Record<string, string>> = notices;

export function noticeUrl(notice: keyof typeof notices): string {
  return `/webhooks?notice=${notice}`;
}

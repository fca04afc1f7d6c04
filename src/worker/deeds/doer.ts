// Who may do it. The API and the pages have asked before; a form that forgets to ask still gives
// nobody an Admin's powers, or another person's keys.
import type { Context } from "hono";
import { directoryOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { nothingHere } from "./answered.ts";

/** Who acts by a signed webhook, and is no person: whoever holds one of the configured secrets. */
export const WEBHOOK = "webhook";

/** `who` is a person's id, `operator` or `webhook`. Throws `Refused` 403. */
export async function requireAdminDoer(c: Context<AppEnv>, who: string): Promise<void> {
  if (await isAdminNow(c, who)) return;
  throw new Refused({ code: "admin_required", message: "Only an Admin may do this." });
}

/** What is another's looks to a Member as if it were not there. Throws `Refused` 404. */
export async function requireOwnerOrAdmin(
  c: Context<AppEnv>,
  who: string,
  whom: string,
): Promise<void> {
  if (who === whom || (await isAdminNow(c, who))) return;
  throw nothingHere();
}

async function isAdminNow(c: Context<AppEnv>, who: string): Promise<boolean> {
  if (who === "operator" || who === WEBHOOK) return true;
  const doer = await directoryOf(c.env).person(who);
  return doer !== null && doer.role === "admin" && !doer.disabled;
}

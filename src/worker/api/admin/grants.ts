import type { Context } from "hono";
import { GrantBody } from "../../../contract/admin.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { parseInput } from "../parse-input.ts";
import { presentGrant } from "../present.ts";
import { record } from "./audit.ts";
import { expiryIsOver, isOver, readExpiry } from "./expiry.ts";
import { answered, knownPerson } from "./people.ts";

/** `POST /v1/admin/people/{id}/grants`: repeatable by its `id`, also when its expiry has passed. */
export async function grantTokens(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const whom = await knownPerson(c, c.req.param("id") ?? "");
  const body = parseInput(GrantBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { tokens, note } = body;
  const id = `grant_${whom}_${body.id ?? crypto.randomUUID().replaceAll("-", "")}`;
  const expiresAt = readExpiry(body.expires_at);
  const account = accountOf(c.env, whom);
  const { startedAt } = c.get("frame");
  if (isOver(expiresAt, startedAt) && !(await account.grants()).some((one) => one.id === id)) {
    throw expiryIsOver(startedAt);
  }
  const granted = await account.grant({ id, tokens, note, expiresAt });
  const grant = answered(granted, "A Grant with this id has other content.");
  await record(c, { who, what: "tokens.grant", whom, detail: { tokens, note }, repeatId: id });
  return c.json(presentGrant(grant));
}

import type { Context } from "hono";
import { GrantBody } from "../../../contract/admin.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import * as deeds from "../../deeds/grants.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { parseInput } from "../parse-input.ts";
import { presentGrant } from "../present.ts";
import { readExpiry } from "./read-expiry.ts";

/** `POST /v1/admin/people/{id}/grants`: repeatable by its `id`, also when its expiry has passed. */
export async function grantTokens(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const body = parseInput(GrantBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { id, tokens, note } = body;
  const grant = { id, tokens, note, expiresAt: readExpiry(body.expires_at) };
  return c.json(presentGrant(await deeds.grantTokens(c, who, c.req.param("id") ?? "", grant)));
}

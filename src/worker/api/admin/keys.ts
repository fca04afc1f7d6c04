import type { Context } from "hono";
import { ChangeKeyBody, MintKeyBody, RevokeKeyBody } from "../../../contract/admin.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import { knownPerson } from "../../deeds/answered.ts";
import * as deeds from "../../deeds/keys.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { parseInput } from "../parse-input.ts";
import { presentKey } from "../present.ts";
import { readExpiry } from "./read-expiry.ts";

/** `GET /v1/admin/people/{id}/keys`. */
export async function listKeys(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const { id } = await knownPerson(c, c.req.param("id") ?? "");
  const keys = await accountOf(c.env, id).keys();
  return c.json({ object: "list", data: keys.map(presentKey) });
}

/**
 * `POST /v1/admin/people/{id}/keys`: the answer's `key` is shown once, and null for a repeat with the
 * same `id`.
 */
export async function mintKey(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const body = parseInput(MintKeyBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { id, name, scope, monthly_token_limit: monthlyTokenLimit } = body;
  const content = { id, name, scope, expiresAt: readExpiry(body.expires_at), monthlyTokenLimit };
  const { key, secret } = await deeds.mintKey(c, who, c.req.param("id") ?? "", content);
  return c.json({ ...presentKey(key), key: secret });
}

/** `PATCH /v1/admin/keys/{id}`: its name, expiry or monthly limit. */
export async function changeKey(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const body = parseInput(ChangeKeyBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { id, name, monthly_token_limit: monthlyTokenLimit } = body;
  const change = { id, name, expiresAt: readExpiry(body.expires_at), monthlyTokenLimit };
  return c.json(presentKey(await deeds.changeKey(c, who, c.req.param("id") ?? "", change)));
}

/** `POST /v1/admin/keys/{id}/revoke`. */
export async function revokeKey(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { reason } = parseInput(RevokeKeyBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  return c.json(presentKey(await deeds.revokeKey(c, who, c.req.param("id") ?? "", reason)));
}

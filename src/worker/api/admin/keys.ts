import type { Context } from "hono";
import type { KeyRecord } from "../../../contract/account.ts";
import { ChangeKeyBody, MintKeyBody, RevokeKeyBody } from "../../../contract/admin.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import { accountOfKeyId, newKeyId } from "../../auth/api-key.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { Refused } from "../../refuse.ts";
import { parseInput } from "../parse-input.ts";
import { presentKey } from "../present.ts";
import { type Deed, record, recordedBefore } from "./audit.ts";
import { expiryIsOver, isOver, readExpiry } from "./expiry.ts";
import { answered, knownPerson } from "./people.ts";

/** `GET /v1/admin/people/{id}/keys`. */
export async function listKeys(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const keys = await accountOf(c.env, await knownPerson(c, c.req.param("id") ?? "")).keys();
  return c.json({ object: "list", data: keys.map(presentKey) });
}

/**
 * `POST /v1/admin/people/{id}/keys`: the answer's `key` is shown once. A repeat with the same `id`
 * gets the same record with `key` null, since only its hash is kept.
 */
export async function mintKey(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const whom = await knownPerson(c, c.req.param("id") ?? "");
  const body = parseInput(MintKeyBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { name, scope, monthly_token_limit: monthlyTokenLimit } = body;
  const keyId = body.id === undefined ? newKeyId(whom) : `key_${whom}_${body.id}`;
  const expiresAt = readExpiry(body.expires_at);
  const account = accountOf(c.env, whom);
  const { startedAt } = c.get("frame");
  if (isOver(expiresAt, startedAt) && !(await account.keys()).some(({ id }) => id === keyId)) {
    throw expiryIsOver(startedAt);
  }
  const minted = await c.get("services").keys.mint(whom);
  const content = { name, scope, expiresAt, monthlyTokenLimit };
  const { hash: keyHash, start } = minted;
  const answer = await account.mint({ keyId, keyHash, start, ...content });
  const before = answer.ok ? undefined : (await account.keys()).find(({ id }) => id === keyId);
  const repeated = before !== undefined && sameContent(before, content);
  const key = repeated ? before : answered(answer, "A key with this id has other content.");
  await record(c, { who, what: "key.mint", whom, detail: { keyId, scope }, repeatId: keyId });
  return c.json({ ...presentKey(key), key: repeated ? null : minted.key });
}

type KeyContent = Pick<KeyRecord, "name" | "scope" | "expiresAt" | "monthlyTokenLimit">;

function sameContent(key: KeyRecord, content: KeyContent): boolean {
  return (
    key.name === content.name &&
    key.scope === content.scope &&
    key.expiresAt === content.expiresAt &&
    key.monthlyTokenLimit === content.monthlyTokenLimit
  );
}

/**
 * `PATCH /v1/admin/keys/{id}`: its name, expiry or monthly limit. A repeat with the same `id` gets the
 * key as it is now and changes nothing; other content under that `id` is refused.
 */
export async function changeKey(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { keyId, whom } = await keyOwner(c);
  const body = parseInput(ChangeKeyBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { id, name, monthly_token_limit: monthlyTokenLimit } = body;
  const expiresAt = readExpiry(body.expires_at);
  const change = {
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(monthlyTokenLimit !== undefined && { monthlyTokenLimit }),
  };
  const repeatId = id && `${keyId} ${id}`;
  const deed: Deed = { who, what: "key.change", whom, detail: { keyId, ...change }, repeatId };
  const repeated = await recordedBefore(c, deed);
  const { startedAt } = c.get("frame");
  if (!repeated && isOver(expiresAt, startedAt)) throw expiryIsOver(startedAt);
  const key = answered(await accountOf(c.env, whom).changeKey(keyId, repeated ? {} : change), "");
  if (!repeated) await record(c, deed);
  return c.json(presentKey(key));
}

/** `POST /v1/admin/keys/{id}/revoke`: from the next request on the key is worthless. */
export async function revokeKey(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { keyId, whom } = await keyOwner(c);
  const { reason } = parseInput(RevokeKeyBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const revoked = answered(await accountOf(c.env, whom).revoke(keyId, reason), "");
  const detail = { keyId, reason };
  await record(c, { who, what: "key.revoke", whom, detail, repeatId: keyId });
  return c.json(presentKey(revoked));
}

async function keyOwner(c: Context<AppEnv>): Promise<{ keyId: string; whom: string }> {
  const keyId = c.req.param("id") ?? "";
  const accountId = accountOfKeyId(keyId);
  if (accountId === null) {
    throw new Refused({ code: "not_found", message: "This is no id of a key: key_…" });
  }
  return { keyId, whom: await knownPerson(c, accountId) };
}

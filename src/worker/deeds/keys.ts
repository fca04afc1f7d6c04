// What is done to keys: by their person, or by an Admin.
import type { Context } from "hono";
import type { KeyChange, KeyRecord } from "../../contract/account.ts";
import type { RevocationSource } from "../../contract/directory.ts";
import { withoutKeys } from "../../contract/key-format.ts";
import { KEY_SHOWN_AGAIN_MS } from "../../contract/limits.ts";
import { accountOf, directoryOf } from "../../durable-objects/objects.ts";
import { accountOfKeyId, newKeyId } from "../auth/api-key.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { answered, knownPerson } from "./answered.ts";
import { type Deed, record, recordedBefore } from "./audit-row.ts";
import { requireAdminDoer, requireOwnerOrAdmin, WEBHOOK } from "./doer.ts";
import { expiryIsOver, isOver } from "./expiry.ts";
import { tellJobs } from "./tell-jobs.ts";

type KeyContent = Pick<KeyRecord, "name" | "scope" | "expiresAt" | "monthlyTokenLimit">;

export type NewKey = KeyContent & {
  /** Makes the minting repeatable. */
  id?: string | undefined;
  /** Random, and known to whoever repeats it alone: what the secret is made of. Drawn when absent. */
  draw?: string | undefined;
};

/**
 * The secret is shown once. A repeat with the same `id` gets the same record with `secret` null, since
 * only its hash is kept; with the same `draw` too it gets the secret for KEY_SHOWN_AGAIN_MS, since the
 * first answer may have been lost. The admin scope is an Admin's to give.
 */
export async function mintKey(
  c: Context<AppEnv>,
  who: string,
  whom: string,
  { id, draw, ...content }: NewKey,
): Promise<{ key: KeyRecord; secret: string | null }> {
  const { scope, expiresAt } = content;
  if (scope === "admin") await requireAdminDoer(c, who);
  else await requireOwnerOrAdmin(c, who, whom);
  await knownPerson(c, whom);
  const keyId = id === undefined ? newKeyId(whom) : `key_${whom}_${id}`;
  const account = accountOf(c.env, whom);
  const { startedAt } = c.get("frame");
  if (isOver(expiresAt, startedAt) && !(await account.keys()).some((one) => one.id === keyId)) {
    throw expiryIsOver(startedAt);
  }
  const minted = await c.get("services").keys.mint(whom, draw);
  const { hash: keyHash, start } = minted;
  await directoryOf(c.env).indexKeys(whom, [keyHash], { all: false });
  const answer = await account.mint({ keyId, keyHash, start, ...content });
  const before = answer.ok ? undefined : (await account.keys()).find((one) => one.id === keyId);
  const repeated = before !== undefined && sameContent(before, content);
  const key = repeated ? before : answered(answer, "A key with this id has other content.");
  await record(c, { who, what: "key.mint", whom, detail: { keyId, scope }, repeatId: keyId });
  const isNew = startedAt - key.createdAt < KEY_SHOWN_AGAIN_MS && key.revokedAt === null;
  return { key, secret: repeated || !isNew ? null : minted.key };
}

function sameContent(key: KeyRecord, content: KeyContent): boolean {
  return (
    key.name === content.name &&
    key.scope === content.scope &&
    key.expiresAt === content.expiresAt &&
    key.monthlyTokenLimit === content.monthlyTokenLimit
  );
}

/**
 * A repeat with the same `id` gets the key as it is now and changes nothing; other content under that
 * `id` is refused.
 */
export async function changeKey(
  c: Context<AppEnv>,
  who: string,
  keyId: string,
  { id, name, expiresAt, monthlyTokenLimit }: KeyChange & { id?: string | undefined },
): Promise<KeyRecord> {
  const whom = await ownerOf(c, who, keyId);
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
  if (!repeated && monthlyTokenLimit !== undefined) await tellJobs(c, whom, "tokensChanged");
  if (!repeated) await record(c, deed);
  return key;
}

/**
 * From the next request on the key is worthless, and what runs with it is cut. The first reason is
 * kept, without a key in it: whoever holds this one reads it. Whoever's key others revoke is told so in
 * the App.
 */
export async function revokeKey(
  c: Context<AppEnv>,
  who: string,
  keyId: string,
  given: string,
  source: RevocationSource = "admin",
): Promise<KeyRecord> {
  const whom = await ownerOf(c, who, keyId);
  const reason = withoutKeys(given);
  const revoked = answered(await accountOf(c.env, whom).revoke(keyId, reason), "");
  const { name: keyName, start: keyStart, revokedAt, revokedWhy } = revoked;
  const detail = { keyId, reason, ...(who === WEBHOOK && { source }) };
  await record(c, { who, what: "key.revoke", whom, detail, repeatId: keyId });
  if (who !== whom && revokedWhy === reason) {
    const at = revokedAt ?? c.get("frame").startedAt;
    const named = { keyId, personId: whom, keyName: withoutKeys(keyName), keyStart };
    await directoryOf(c.env).tellOfKey({ ...named, at, source, why: reason });
  }
  return revoked;
}

async function ownerOf(c: Context<AppEnv>, who: string, keyId: string): Promise<string> {
  const owner = accountOfKeyId(keyId);
  if (owner === null) {
    throw new Refused({ code: "not_found", message: "This is no id of a key: key_…" });
  }
  await requireOwnerOrAdmin(c, who, owner);
  return (await knownPerson(c, owner)).id;
}

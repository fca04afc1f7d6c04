// A key that somebody has found where it should not be is revoked: a person's own, or one that the App
// made for its pages.
import type { Context } from "hono";
import type { RevocationSource } from "../../contract/directory.ts";
import { withoutKeys } from "../../contract/key-format.ts";
import { accountOf, directoryOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { record } from "./audit-row.ts";
import { WEBHOOK } from "./doer.ts";
import type { FoundKey } from "./find-key.ts";
import { revokeKey } from "./keys.ts";

/** Enough to tell one of an Account's keys from the others. */
const NAMING_CHARACTERS = 16;

/** Whether it was good until now. The first reason stays. */
export async function revokeFoundKey(
  c: Context<AppEnv>,
  found: FoundKey,
  given: string,
  source: RevocationSource,
): Promise<boolean> {
  const { key } = found;
  const reason = withoutKeys(given);
  const wasGood = key.revokedAt === null;
  // With the same reason, what a crash left out is made up.
  if (!wasGood && key.revokedWhy !== reason) return false;
  if (found.appKeyHash === null) await revokeKey(c, WEBHOOK, key.id, reason, source);
  else await revokeAppKey(c, found.owner, found.appKeyHash, reason, source);
  return wasGood;
}

async function revokeAppKey(
  c: Context<AppEnv>,
  owner: string,
  hash: string,
  reason: string,
  source: RevocationSource,
): Promise<void> {
  const revoked = await accountOf(c.env, owner).revokeAppKey(hash, reason);
  // It has expired meanwhile.
  if (revoked === null) return;
  const { id: keyId, name: keyName, revokedAt, revokedWhy } = revoked;
  const named = `app_${owner}_${hash.slice(0, NAMING_CHARACTERS)}`;
  const detail = { keyId, reason, source };
  await record(c, { who: WEBHOOK, what: "key.revoke", whom: owner, detail, repeatId: named });
  if (revokedWhy !== reason) return;
  const at = revokedAt ?? c.get("frame").startedAt;
  const told = { keyId: named, personId: owner, keyName, keyStart: `ctn_${owner}_` };
  await directoryOf(c.env).tellOfKey({ ...told, at, source, why: reason });
}

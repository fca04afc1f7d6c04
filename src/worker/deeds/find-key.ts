// Which key somebody means who has found one: by its text, its id, or the SHA-256 of its text.
import type { Context } from "hono";
import type { KeyRecord } from "../../contract/account.ts";
import { APP_KEY_ID } from "../../contract/jobs.ts";
import { accountOf, directoryOf } from "../../durable-objects/objects.ts";
import { accountOfKeyId } from "../auth/api-key.ts";
import type { AppEnv } from "../environment.ts";

export type KeyClue = { key: string } | { keyId: string } | { hash: string };

export interface FoundKey {
  owner: string;
  key: KeyRecord;
  /** Of one that the App made for its pages: they share one id. Null for a person's own. */
  appKeyHash: string | null;
}

/**
 * Null where there is no such key. What was never minted wakes no Account. By its hash alone none of the
 * App's is found: those are in no index, and live for minutes.
 */
export async function findKey(c: Context<AppEnv>, clue: KeyClue): Promise<FoundKey | null> {
  if ("keyId" in clue) {
    const owner = accountOfKeyId(clue.keyId);
    // A made-up id must not make an Account.
    if (owner === null || (await directoryOf(c.env).person(owner)) === null) return null;
    const keys = await accountOf(c.env, owner).keys();
    const key = keys.find(({ id }) => id === clue.keyId);
    return key === undefined ? null : { owner, key, appKeyHash: null };
  }
  if ("key" in clue) {
    const read = await c.get("services").keys.read(clue.key);
    return read === null ? null : keyIn(c, read.accountId, read.hash);
  }
  const owner = await ownerOfHash(c, clue.hash);
  return owner === null ? null : keyIn(c, owner, clue.hash);
}

async function keyIn(c: Context<AppEnv>, owner: string, hash: string): Promise<FoundKey | null> {
  const key = await accountOf(c.env, owner).keyByHash(hash);
  return key && { owner, key, appKeyHash: key.id === APP_KEY_ID ? hash : null };
}

/**
 * From the Directory's index. Keys that are older than it are found too: a hash that it does not know
 * is the occasion to read, once, the Accounts from before.
 */
async function ownerOfHash(c: Context<AppEnv>, hash: string): Promise<string | null> {
  const directory = directoryOf(c.env);
  for (;;) {
    const { accountId, toIndex } = await directory.ownerOfHash(hash);
    if (accountId !== null || toIndex.length === 0) return accountId;
    for (const id of toIndex) {
      await directory.indexKeys(id, await accountOf(c.env, id).keyHashes(), { all: true });
    }
  }
}

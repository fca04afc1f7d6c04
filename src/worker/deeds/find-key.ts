// Which key somebody means who has found one: by its text, its id, or the SHA-256 of its text.
import type { Context } from "hono";
import type { KeyRecord } from "../../contract/account.ts";
import { accountOf, directoryOf } from "../../durable-objects/objects.ts";
import { accountOfKeyId } from "../auth/api-key.ts";
import type { AppEnv } from "../environment.ts";

export type KeyClue = { key: string } | { keyId: string } | { hash: string };

/** Null where there is no such key. What was never minted wakes no Account. */
export async function findKey(c: Context<AppEnv>, clue: KeyClue): Promise<KeyRecord | null> {
  if ("keyId" in clue) {
    const owner = accountOfKeyId(clue.keyId);
    // A made-up id must not make an Account.
    if (owner === null || (await directoryOf(c.env).person(owner)) === null) return null;
    const keys = await accountOf(c.env, owner).keys();
    return keys.find(({ id }) => id === clue.keyId) ?? null;
  }
  if ("key" in clue) {
    const read = await c.get("services").keys.read(clue.key);
    return read === null ? null : accountOf(c.env, read.accountId).keyByHash(read.hash);
  }
  const owner = await ownerOfHash(c, clue.hash);
  return owner === null ? null : accountOf(c.env, owner).keyByHash(clue.hash);
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

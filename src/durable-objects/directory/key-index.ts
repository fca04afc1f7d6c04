// Which Account a key belongs to when only its hash is known. Written before the key is minted, so
// that there is no key without a row; a row without its key names an Account that denies it.
import type { KeyOwner } from "../../contract/directory.ts";
import { INDEX_ACCOUNTS_MOST } from "../../contract/limits.ts";

export function indexKeys(sql: SqlStorage, accountId: string, hashes: readonly string[]): void {
  for (const hash of hashes) {
    sql.exec(
      "INSERT INTO key_hashes (hash, account_id) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
      hash,
      accountId,
    );
  }
}

/** All keys of this Account are in the table from now on. */
export function finishIndex(sql: SqlStorage, accountId: string): void {
  sql.exec("DELETE FROM accounts_to_index WHERE account_id = ?", accountId);
}

export function ownerOfHash(sql: SqlStorage, hash: string): KeyOwner {
  const find = "SELECT account_id FROM key_hashes WHERE hash = ?";
  const row = sql.exec<{ account_id: string }>(find, hash).toArray()[0];
  if (row !== undefined) return { accountId: row.account_id, toIndex: [] };
  const toIndex = sql
    .exec<{ account_id: string }>(
      "SELECT account_id FROM accounts_to_index LIMIT ?",
      INDEX_ACCOUNTS_MOST,
    )
    .toArray()
    .map(({ account_id }) => account_id);
  return { accountId: null, toIndex };
}

// The App's own keys on disk. There are a handful, and they change seldom, so all are written at once.
import { type AppKeys, appKey, noAppKeys } from "../../core/app-keys.ts";

interface AppKeyRow extends Record<string, SqlStorageValue> {
  hash: string;
  session_id: string;
  expires_at: number;
}

export function readAppKeys(sql: SqlStorage): AppKeys {
  const keys = noAppKeys();
  // The oldest first: it makes room first.
  for (const row of sql.exec<AppKeyRow>("SELECT * FROM app_keys ORDER BY expires_at")) {
    keys.byHash.set(row.hash, appKey(row.session_id, row.expires_at));
  }
  return keys;
}

export function writeAppKeys(sql: SqlStorage, { byHash }: AppKeys): void {
  sql.exec("DELETE FROM app_keys");
  for (const [hash, { sessionId, key }] of byHash) {
    sql.exec(
      "INSERT INTO app_keys (hash, session_id, expires_at) VALUES (?, ?, ?)",
      hash,
      sessionId,
      key.expiresAt,
    );
  }
}

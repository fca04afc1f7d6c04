// The App's own keys on disk. There are a handful, and they change seldom, so all are written at once.
import { type AppKeys, appKey, noAppKeys } from "../../core/app-keys.ts";

interface AppKeyRow extends Record<string, SqlStorageValue> {
  hash: string;
  session_id: string;
  expires_at: number;
  revoked_at: number | null;
  revoked_why: string | null;
}

export function readAppKeys(sql: SqlStorage): AppKeys {
  const keys = noAppKeys();
  // The oldest first: it makes room first.
  for (const row of sql.exec<AppKeyRow>("SELECT * FROM app_keys ORDER BY expires_at")) {
    const { revoked_at: revokedAt, revoked_why: revokedWhy } = row;
    const { sessionId, key } = appKey(row.session_id, row.expires_at);
    keys.byHash.set(row.hash, { sessionId, key: { ...key, revokedAt, revokedWhy } });
  }
  return keys;
}

export function writeAppKeys(sql: SqlStorage, { byHash }: AppKeys): void {
  sql.exec("DELETE FROM app_keys");
  for (const [hash, { sessionId, key }] of byHash) {
    sql.exec(
      `INSERT INTO app_keys (hash, session_id, expires_at, revoked_at, revoked_why)
       VALUES (?, ?, ?, ?, ?)`,
      ...[hash, sessionId, key.expiresAt, key.revokedAt, key.revokedWhy],
    );
  }
}

// What a person is told of their keys that others revoked.
import type { KeyNotice, RevocationSource } from "../../contract/directory.ts";
import { KEY_NOTICES_SHOWN } from "../../contract/limits.ts";

interface Row extends Record<string, SqlStorageValue> {
  id: string;
  person_id: string;
  at: number;
  key_name: string;
  key_start: string;
  source: string;
  why: string;
}

/** One a key: a repeat leaves what was told first, also when it was put away. */
export function tellOfKey(sql: SqlStorage, notice: KeyNotice): void {
  sql.exec(
    `INSERT INTO key_notices (id, person_id, at, key_name, key_start, source, why)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    notice.keyId,
    notice.personId,
    notice.at,
    notice.keyName,
    notice.keyStart,
    notice.source,
    notice.why,
  );
}

/** Those that were not put away, newest first. */
export function keyNoticesOf(sql: SqlStorage, personId: string): KeyNotice[] {
  const rows = sql.exec<Row>(
    `SELECT * FROM key_notices WHERE person_id = ? AND dismissed_at IS NULL
     ORDER BY at DESC, id LIMIT ?`,
    personId,
    KEY_NOTICES_SHOWN,
  );
  return rows.toArray().map((row) => ({
    ...{ keyId: row.id, personId: row.person_id, at: row.at },
    ...{ keyName: row.key_name, keyStart: row.key_start, why: row.why },
    source: row.source as RevocationSource,
  }));
}

/** False when the person was told nothing of this key. */
export function dismissKeyNotice(
  sql: SqlStorage,
  personId: string,
  keyId: string,
  now: number,
): boolean {
  const dismissed = sql.exec(
    `UPDATE key_notices SET dismissed_at = coalesce(dismissed_at, ?)
     WHERE id = ? AND person_id = ? RETURNING id`,
    now,
    keyId,
    personId,
  );
  return dismissed.toArray().length > 0;
}

// Who did what to whom. Append-only: nothing here changes or removes a row.
import type { AuditEntry, AuditFilter, Page } from "../../contract/directory.ts";
import { withoutKeys } from "../../contract/key-format.ts";
import { readPage } from "./read-page.ts";

interface AuditRow extends Record<string, SqlStorageValue> {
  seq: number;
  id: string;
  at: number;
  who: string;
  what: string;
  whom: string | null;
  detail: string;
}

/** One row for each id: a repeat leaves what was written first. A key in a note stays out of it. */
export function writeAudit(sql: SqlStorage, entry: AuditEntry): void {
  sql.exec(
    `INSERT INTO audit (id, at, who, what, whom, detail) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
    entry.id,
    entry.at,
    entry.who,
    entry.what,
    entry.whom,
    withoutKeys(JSON.stringify(entry.detail)),
  );
}

export function auditDetail(sql: SqlStorage, id: string): AuditEntry["detail"] | null {
  const rows = sql.exec<{ detail: string }>("SELECT detail FROM audit WHERE id = ?", id);
  const row = rows.toArray()[0];
  return row === undefined ? null : readDetail(row.detail);
}

export function pageOfAudit(sql: SqlStorage, filter: AuditFilter): Page<AuditEntry> {
  const { who, whom, what, ...page } = filter;
  const { rows, next } = readPage<AuditRow>(sql, "audit", { who, whom, what }, page);
  return {
    rows: rows.map(({ seq, detail, ...row }) => ({ ...row, detail: readDetail(detail) })),
    next,
  };
}

function readDetail(detail: string): AuditEntry["detail"] {
  return JSON.parse(detail) as AuditEntry["detail"];
}

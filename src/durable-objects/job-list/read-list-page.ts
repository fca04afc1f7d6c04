// Pages of a person's Jobs and files.
import type { Page } from "../../contract/directory.ts";

/**
 * The newest rows first, those after the row whose id is `after`; where several are as old, the larger
 * id is first. After a row that there is no more comes nothing. No name or condition is from outside.
 */
export function readListPage<Row extends Record<string, SqlStorageValue> & { id: string }>(
  sql: SqlStorage,
  { table, where }: { table: "jobs" | "files"; where: string },
  page: { after: string | null; limit: number },
): Page<Row> {
  const { after, limit } = page;
  const place = `(created_at, id) < (SELECT created_at, id FROM ${table} WHERE id = ?)`;
  const rows = sql
    .exec<Row>(
      `SELECT * FROM ${table} WHERE ${where} ${after === null ? "" : `AND ${place}`}
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...(after === null ? [] : [after]),
      limit + 1,
    )
    .toArray();
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : null;
  return { rows: shown, next };
}

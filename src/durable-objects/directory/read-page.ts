import type { Page } from "../../contract/directory.ts";

/**
 * The newest rows of a table first, those before the row that `after` names. Only the filters that are
 * set become conditions, so that each finds its index. A table or column name is never from outside.
 */
export function readPage<Row extends Record<string, SqlStorageValue> & { seq: number }>(
  sql: SqlStorage,
  table: "audit" | "token_requests",
  filters: Readonly<Record<string, string | null>>,
  page: { after: string | null; limit: number },
): Page<Row> {
  const set = Object.entries(filters).filter(([, value]) => value !== null);
  const conditions = set.map(([column]) => `${column} = ?`);
  const values: SqlStorageValue[] = set.map(([, value]) => value);
  if (page.after !== null) {
    conditions.push("seq < ?");
    values.push(Number(page.after));
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const rows = sql
    .exec<Row>(
      `SELECT * FROM ${table} ${where} ORDER BY seq DESC LIMIT ?`,
      ...values,
      page.limit + 1,
    )
    .toArray();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { rows: shown, next: more ? String(last.seq) : null };
}

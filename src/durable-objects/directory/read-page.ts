import type { Page } from "../../contract/directory.ts";

/** A column's value, or what it must not be; null where anything goes. */
export type Filter = string | { not: string } | null;

/**
 * The newest rows of a table first, those before the row that `after` names. Only the filters that are
 * set become conditions, so that each finds its index. A table or column name is never from outside.
 */
export function readPage<Row extends Record<string, SqlStorageValue> & { seq: number }>(
  sql: SqlStorage,
  table: "audit" | "token_requests",
  filters: Readonly<Record<string, Filter>>,
  page: { after: string | null; limit: number },
): Page<Row> {
  const conditions: string[] = [];
  const values: SqlStorageValue[] = [];
  for (const [column, filter] of Object.entries(filters)) {
    if (filter === null) continue;
    const isValue = typeof filter === "string";
    conditions.push(`${column} ${isValue ? "=" : "<>"} ?`);
    values.push(isValue ? filter : filter.not);
  }
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

// What Accounts say of themselves, so that a page about many people asks one object instead of each.
import type { RollUp } from "../../contract/directory.ts";
import { PAGE_MAX_ROWS } from "../../contract/limits.ts";

interface Row extends Record<string, SqlStorageValue> {
  person_id: string;
  at: number;
  month: string;
  spent_this_month: number;
  granted: number;
  available: number;
  last_used_at: number | null;
}

/** What was read later counts, in whatever order it comes. Nobody's is kept who is not in the list. */
export function keepRollUp(sql: SqlStorage, rollUp: RollUp): void {
  sql.exec(
    `INSERT INTO roll_ups
     (person_id, at, month, spent_this_month, granted, available, last_used_at)
     SELECT id, ?, ?, ?, ?, ?, ? FROM people WHERE id = ?
     ON CONFLICT (person_id) DO UPDATE SET
       at = excluded.at,
       month = excluded.month,
       spent_this_month = excluded.spent_this_month,
       granted = excluded.granted,
       available = excluded.available,
       last_used_at = excluded.last_used_at
     WHERE excluded.at >= roll_ups.at`,
    rollUp.at,
    rollUp.month,
    rollUp.spentThisMonth,
    rollUp.granted,
    rollUp.available,
    rollUp.lastUsedAt,
    rollUp.personId,
  );
}

export function rollUpsOf(sql: SqlStorage, personIds: readonly string[]): RollUp[] {
  return personIds.slice(0, PAGE_MAX_ROWS).flatMap((id) => {
    const row = sql.exec<Row>("SELECT * FROM roll_ups WHERE person_id = ?", id).toArray()[0];
    return row === undefined ? [] : [rollUpFrom(row)];
  });
}

function rollUpFrom(row: Row): RollUp {
  return {
    personId: row.person_id,
    at: row.at,
    month: row.month,
    spentThisMonth: row.spent_this_month,
    granted: row.granted,
    available: row.available,
    lastUsedAt: row.last_used_at,
  };
}

// The files of a person: their rows here, their bytes in the store until a day that is set.
import type { Page } from "../../contract/directory.ts";
import type { FileRow } from "../../contract/job-list.ts";
import { Errand } from "../errand.ts";
import { readListPage } from "./read-list-page.ts";

/** So many the store deletes in one call. */
const REMOVED_AT_ONCE = 1_000;

export class Files {
  readonly #sql: SqlStorage;
  readonly #store: R2Bucket;

  constructor(sql: SqlStorage, store: R2Bucket) {
    this.#sql = sql;
    this.#store = store;
  }

  put(file: FileRow, storeKey: string): void {
    this.#sql.exec(
      `INSERT INTO files (id, created_at, removed_at, store_key, file) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      ...[file.id, file.createdAt, file.removedAt, storeKey, JSON.stringify(file)],
    );
  }

  find(id: string, now: number): FileRow | null {
    const rows = this.#sql.exec<{ file: string }>(
      "SELECT file FROM files WHERE id = ? AND removed_at > ?",
      id,
      now,
    );
    const row = rows.toArray()[0];
    return row === undefined ? null : (JSON.parse(row.file) as FileRow);
  }

  page(page: { after: string | null; limit: number }, now: number): Page<FileRow> {
    // A whole number; what is removed may still be there for a moment.
    const list = { table: "files", where: `removed_at > ${now}` } as const;
    const { rows, next } = readListPage<{ id: string; file: string }>(this.#sql, list, page);
    return { rows: rows.map(({ file }) => JSON.parse(file) as FileRow), next };
  }

  /** From now on nobody finds it; its bytes go with the errand. */
  hide(id: string, now: number): void {
    this.#sql.exec("UPDATE files SET removed_at = min(removed_at, ?) WHERE id = ?", now, id);
  }

  /** Removes the bytes of what is hidden or too old, and then the rows. */
  removal(): Errand {
    return new Errand({
      what: "file_removal",
      wantedAt: () => this.#nextRemoval(),
      run: () => this.#removeDue(Date.now()),
    });
  }

  #nextRemoval(): number | null {
    const next = "SELECT min(removed_at) AS next FROM files";
    return this.#sql.exec<{ next: number | null }>(next).one().next;
  }

  async #removeDue(now: number): Promise<void> {
    const due = this.#sql
      .exec<{ id: string; store_key: string }>(
        "SELECT id, store_key FROM files WHERE removed_at <= ? LIMIT ?",
        now,
        REMOVED_AT_ONCE,
      )
      .toArray();
    await this.#store.delete(due.map((row) => row.store_key));
    for (const { id } of due) this.#sql.exec("DELETE FROM files WHERE id = ?", id);
  }
}

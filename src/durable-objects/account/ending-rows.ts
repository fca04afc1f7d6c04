// Ended requests on disk, so that a repeated settlement changes nothing: those of the last minutes, one
// row a commit, and of Jobs' slices each until it is forgotten.
import { ENDED_KEPT_MS } from "../../contract/limits.ts";
import { type Commit, type Ending, isKept } from "../../core/ledger-state.ts";

/** Old endings are swept in this rhythm rather than at every commit. */
const SWEEP_EVERY_MS = 60_000;

export class EndingRows {
  readonly #sql: SqlStorage;
  #sweptAt = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  read(now: number): Ending[] {
    const recent = this.#sql
      .exec<{ endings: string }>(
        "SELECT endings FROM endings WHERE at > ? ORDER BY seq",
        now - ENDED_KEPT_MS,
      )
      .toArray()
      .flatMap((commit) => JSON.parse(commit.endings) as Ending[]);
    const kept = this.#sql
      .exec<{ ending: string }>("SELECT ending FROM slice_endings")
      .toArray()
      .map((row) => JSON.parse(row.ending) as Ending);
    return [...kept, ...recent];
  }

  write({ at, endings, forgotten }: Commit): void {
    const recent = endings.filter((ending) => !isKept(ending));
    if (recent.length > 0) {
      this.#sql.exec("INSERT INTO endings (at, endings) VALUES (?, ?)", at, JSON.stringify(recent));
    }
    for (const ending of endings.filter(isKept)) {
      this.#sql.exec(
        "INSERT OR REPLACE INTO slice_endings (hold_id, ending) VALUES (?, ?)",
        ending.requestId,
        JSON.stringify(ending),
      );
    }
    // After those of the same commit, which may be among them.
    for (const id of forgotten) this.#sql.exec("DELETE FROM slice_endings WHERE hold_id = ?", id);
    this.#sweep(at);
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    this.#sql.exec("DELETE FROM endings WHERE at <= ?", now - ENDED_KEPT_MS);
  }
}

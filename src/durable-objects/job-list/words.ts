// What all Jobs of a person have to hear: each until it has answered.
import { Errand } from "../errand.ts";
import { jobOf, type ObjectBindings } from "../objects.ts";

type Word = "tokensChanged" | "cancel";

/** A call is small, and a person has at most JOBS_UNENDED_MOST Jobs that hear it. */
const CALLS_AT_ONCE = 50;

export class Words {
  readonly #sql: SqlStorage;
  readonly #env: ObjectBindings;

  constructor(sql: SqlStorage, env: ObjectBindings) {
    this.#sql = sql;
    this.#env = env;
  }

  /** For each Job that has not ended. */
  leave(word: Word): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO words (job_id, word) SELECT id, ? FROM jobs WHERE ended = 0`,
      word,
    );
  }

  telling(): Errand {
    return new Errand({
      what: "job_words",
      wantedAt: (now) => (this.#next(1).length === 0 ? null : now),
      run: () => this.#tell(),
    });
  }

  #next(most: number): { seq: number; job_id: string; word: Word }[] {
    const words = this.#sql.exec<{ seq: number; job_id: string; word: Word }>(
      "SELECT seq, job_id, word FROM words ORDER BY seq LIMIT ?",
      most,
    );
    return words.toArray();
  }

  async #tell(): Promise<void> {
    const words = this.#next(CALLS_AT_ONCE);
    const calls = words.map(({ job_id: jobId, word }) => jobOf(this.#env, jobId)[word]());
    const answers = await Promise.allSettled(calls);
    const failed = answers.filter((answer) => answer.status === "rejected");
    for (const [index, { seq, job_id: jobId, word }] of words.entries()) {
      this.#sql.exec("DELETE FROM words WHERE seq = ?", seq);
      if (answers[index]?.status === "fulfilled") continue;
      // Behind the others, so that it keeps none of them waiting.
      const again = "INSERT OR IGNORE INTO words (job_id, word) VALUES (?, ?)";
      this.#sql.exec(again, jobId, word);
    }
    if (failed[0] !== undefined) throw failed[0].reason;
  }
}

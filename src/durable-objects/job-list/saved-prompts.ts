// The person's saved prompts.
import {
  SAVED_PROMPTS_MOST,
  type SavedPrompt,
  type SavePromptBody,
} from "../../contract/saved-prompts.ts";

type Named = Record<"id" | "name", string>;

export class SavedPrompts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  list(): Named[] {
    const newestFirst = "SELECT id, name FROM saved_prompts ORDER BY saved DESC";
    return this.#sql.exec<Named>(newestFirst).toArray();
  }

  find(id: string): SavedPrompt | null {
    const found = "SELECT id, name, text FROM saved_prompts WHERE id = ?";
    return this.#sql.exec<Named & { text: string }>(found, id).toArray()[0] ?? null;
  }

  save({ name, text }: SavePromptBody): { id: string } | null {
    const all = this.list();
    const before = all.find((one) => one.name === name);
    if (before === undefined && all.length >= SAVED_PROMPTS_MOST) return null;
    const id = before?.id ?? crypto.randomUUID();
    this.#sql.exec(
      `INSERT OR REPLACE INTO saved_prompts (id, name, text, saved)
       VALUES (?, ?, ?, (SELECT coalesce(max(saved), 0) + 1 FROM saved_prompts))`,
      ...[id, name, text],
    );
    return { id };
  }

  remove(id: string): boolean {
    const removed = "DELETE FROM saved_prompts WHERE id = ? RETURNING id";
    return this.#sql.exec(removed, id).toArray().length > 0;
  }
}

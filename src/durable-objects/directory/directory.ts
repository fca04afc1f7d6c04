// Who the people are and who did what to whom: one object, off the hot path.
import { DurableObject } from "cloudflare:workers";
import type { Repeatable, Role } from "../../contract/account.ts";
import type { AuditEntry, DirectoryRpc, Page, Person } from "../../contract/directory.ts";
import { migrate } from "../migrate.ts";
import directorySql from "./0001-directory.sql";

interface PersonRow extends Record<string, SqlStorageValue> {
  id: string;
  email: string;
  role: string;
  disabled: number;
  created_at: number;
}

export class Directory extends DurableObject<unknown> implements DirectoryRpc {
  readonly #sql: SqlStorage;

  constructor(context: DurableObjectState, env: unknown) {
    super(context, env);
    migrate(context.storage, [directorySql]);
    this.#sql = context.storage.sql;
  }

  async addPerson(person: { id: string; email: string; role: Role }): Promise<Repeatable<Person>> {
    const before = this.#find("email", person.email);
    if (before !== null) {
      return before.role === person.role
        ? { ok: true, value: before }
        : { ok: false, reason: "conflict" };
    }
    const added: Person = { ...person, disabled: false, createdAt: Date.now() };
    this.#sql.exec(
      "INSERT INTO people (id, email, role, disabled, created_at) VALUES (?, ?, ?, 0, ?)",
      added.id,
      added.email,
      added.role,
      added.createdAt,
    );
    return { ok: true, value: added };
  }

  async changePerson(
    id: string,
    change: { role?: Role | undefined; disabled?: boolean | undefined },
  ): Promise<Repeatable<Person>> {
    const before = this.#find("id", id);
    if (before === null) return { ok: false, reason: "unknown" };
    const role = change.role ?? before.role;
    const disabled = change.disabled ?? before.disabled;
    this.#sql.exec(
      "UPDATE people SET role = ?, disabled = ? WHERE id = ?",
      role,
      disabled ? 1 : 0,
      id,
    );
    return { ok: true, value: { ...before, role, disabled } };
  }

  async person(id: string): Promise<Person | null> {
    return this.#find("id", id);
  }

  async people(page: {
    after: string | null;
    limit: number;
    email: string | null;
  }): Promise<Page<Person>> {
    const rows = this.#sql
      .exec<PersonRow>(
        `SELECT * FROM people
         WHERE email > ? AND (? IS NULL OR email = ?) ORDER BY email LIMIT ?`,
        page.after ?? "",
        page.email,
        page.email,
        page.limit + 1,
      )
      .toArray()
      .map(fromRow);
    const shown = rows.slice(0, page.limit);
    return { rows: shown, next: rows.length > page.limit ? (shown.at(-1)?.email ?? null) : null };
  }

  async record(entry: AuditEntry): Promise<void> {
    this.#sql.exec(
      `INSERT INTO audit (id, at, who, what, whom, detail) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      entry.id,
      entry.at,
      entry.who,
      entry.what,
      entry.whom,
      JSON.stringify(entry.detail),
    );
  }

  async recorded(id: string): Promise<AuditEntry["detail"] | null> {
    const rows = this.#sql.exec<{ detail: string }>("SELECT detail FROM audit WHERE id = ?", id);
    const row = rows.toArray()[0];
    return row === undefined ? null : (JSON.parse(row.detail) as AuditEntry["detail"]);
  }

  #find(column: "id" | "email", value: string): Person | null {
    const rows = this.#sql.exec<PersonRow>(`SELECT * FROM people WHERE ${column} = ?`, value);
    const row = rows.toArray()[0];
    return row === undefined ? null : fromRow(row);
  }
}

function fromRow(row: PersonRow): Person {
  return {
    id: row.id,
    email: row.email,
    role: row.role === "admin" ? "admin" : "member",
    disabled: row.disabled !== 0,
    createdAt: row.created_at,
  };
}

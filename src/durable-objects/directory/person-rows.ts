// The people's rows. Free functions, since whatever the object names as a method can be called from
// outside.
import type { Repeatable, Role } from "../../contract/account.ts";
import type { Page, Person } from "../../contract/directory.ts";
import { INVITE_DAYS } from "../../contract/limits.ts";
import { DAY_MS } from "./days.ts";

interface PersonRow extends Record<string, SqlStorageValue> {
  id: string;
  email: string;
  role: string;
  disabled: number;
  created_at: number;
  invited_until: number | null;
  last_signed_in_at: number | null;
}

function personFrom(row: PersonRow): Person {
  return {
    id: row.id,
    email: row.email,
    role: row.role === "admin" ? "admin" : "member",
    disabled: row.disabled !== 0,
    createdAt: row.created_at,
    invitedUntil: row.invited_until,
    lastSignedInAt: row.last_signed_in_at,
  };
}

export function findPerson(sql: SqlStorage, column: "id" | "email", value: string): Person | null {
  const rows = sql.exec<PersonRow>(`SELECT * FROM people WHERE ${column} = ?`, value);
  const row = rows.toArray()[0];
  return row === undefined ? null : personFrom(row);
}

export function addPerson(
  sql: SqlStorage,
  person: { id: string; email: string; role: Role },
  now: number,
): Repeatable<Person> {
  const before = findPerson(sql, "email", person.email);
  if (before !== null) {
    if (before.role !== person.role) return { ok: false, reason: "conflict" };
    return { ok: true, value: before };
  }
  const added: Person = {
    ...{ id: person.id, email: person.email, role: person.role, disabled: false, createdAt: now },
    ...{ invitedUntil: now + INVITE_DAYS * DAY_MS, lastSignedInAt: null },
  };
  sql.exec(
    `INSERT INTO people (id, email, role, disabled, created_at, invited_until)
     VALUES (?, ?, ?, 0, ?, ?)`,
    added.id,
    added.email,
    added.role,
    added.createdAt,
    added.invitedUntil,
  );
  return { ok: true, value: added };
}

/** An invite that was used is a conflict: its person signs in by what they are bound to. */
export function extendInvite(sql: SqlStorage, id: string, now: number): Repeatable<Person> {
  const before = findPerson(sql, "id", id);
  if (before === null) return { ok: false, reason: "unknown" };
  if (before.invitedUntil === null) return { ok: false, reason: "conflict" };
  const invitedUntil = now + INVITE_DAYS * DAY_MS;
  sql.exec("UPDATE people SET invited_until = ? WHERE id = ?", invitedUntil, id);
  return { ok: true, value: { ...before, invitedUntil } };
}

/** By e-mail address, `after` excluded. */
export function pageOfPeople(
  sql: SqlStorage,
  page: { after: string | null; limit: number; email: string | null },
): Page<Person> {
  const [condition, value] =
    page.email === null ? ["email > ?", page.after ?? ""] : ["email = ?", page.email];
  const rows = sql
    .exec<PersonRow>(
      `SELECT * FROM people WHERE ${condition} ORDER BY email LIMIT ?`,
      value,
      page.limit + 1,
    )
    .toArray()
    .map(personFrom);
  const shown = rows.slice(0, page.limit);
  return { rows: shown, next: rows.length > page.limit ? (shown.at(-1)?.email ?? null) : null };
}

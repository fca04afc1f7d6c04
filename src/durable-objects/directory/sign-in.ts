// Who somebody is who comes from the OpenID provider. An address counts once, at the first sign-in of
// an invite; from then on only the subject does, whatever the provider says the address is now.
import type { Person, SignIn, SignInRequest } from "../../contract/directory.ts";
import { writeAudit } from "./audit-log.ts";
import { addPerson, findPerson } from "./person-rows.ts";
import { beginSession } from "./sessions.ts";

export function signIn(sql: SqlStorage, request: SignInRequest, now: number): SignIn {
  const bound = findBound(sql, request);
  if (bound !== null) return begin(sql, bound.person, bound.boundAt, request, now);
  if (!request.emailVerified) return { outcome: "email_unverified" };
  const email = request.email.toLowerCase();
  const invited = findPerson(sql, "email", email);
  if (invited === null) {
    if (request.firstAdmin === null) return { outcome: "not_invited" };
    return bind(sql, addFirstAdmin(sql, request.firstAdmin.id, email, now), request, now);
  }
  if (invited.disabled) return { outcome: "disabled" };
  if (invited.invitedUntil === null) return { outcome: "bound_to_another" };
  if (invited.invitedUntil <= now) return { outcome: "invite_expired" };
  return bind(sql, invited, request, now);
}

function findBound(
  sql: SqlStorage,
  { issuer, sub }: SignInRequest,
): { person: Person; boundAt: number } | null {
  const find = "SELECT person_id, bound_at FROM subjects WHERE issuer = ? AND sub = ?";
  const rows = sql.exec<{ person_id: string; bound_at: number }>(find, issuer, sub).toArray();
  const [row] = rows;
  const person = row === undefined ? null : findPerson(sql, "id", row.person_id);
  return row === undefined || person === null ? null : { person, boundAt: row.bound_at };
}

/** The configuration named them: the row says so, as of anybody whom an Admin adds. */
function addFirstAdmin(sql: SqlStorage, id: string, email: string, now: number): Person {
  const added = addPerson(sql, { id, email, role: "admin" }, now);
  if (!added.ok) throw new Error("an address that nobody has was taken");
  writeAudit(sql, {
    ...{ id: `person.add ${id}`, at: now, who: "operator", what: "person.add", whom: id },
    detail: { email, role: "admin" },
  });
  return added.value;
}

function bind(sql: SqlStorage, person: Person, request: SignInRequest, now: number): SignIn {
  const { issuer, sub } = request;
  const add = "INSERT INTO subjects (issuer, sub, person_id, bound_at) VALUES (?, ?, ?, ?)";
  sql.exec(add, issuer, sub, person.id, now);
  sql.exec("UPDATE people SET invited_until = NULL WHERE id = ?", person.id);
  writeAudit(sql, {
    ...{ id: `person.bind ${person.id}`, at: now, who: person.id, what: "person.bind" },
    ...{ whom: person.id, detail: { issuer } },
  });
  return begin(sql, { ...person, invitedUntil: null }, now, request, now);
}

/** The first sign-in is the one that bound the person; repeated, it is still the first. */
function begin(
  sql: SqlStorage,
  person: Person,
  boundAt: number,
  { session }: SignInRequest,
  now: number,
): SignIn {
  if (person.disabled) return { outcome: "disabled" };
  const lastSignedInAt = beginSession(sql, person.id, session, now);
  sql.exec("UPDATE people SET last_signed_in_at = ? WHERE id = ?", lastSignedInAt, person.id);
  const first = lastSignedInAt === boundAt;
  return { outcome: "signed_in", person: { ...person, lastSignedInAt }, first };
}

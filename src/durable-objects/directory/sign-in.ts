// Who somebody is who comes from the OpenID provider. An address counts once, at the first sign-in of
// an invite; from then on only the subject does, whatever the provider says the address is now.
import type { OpenIdSubject, Person, SignIn, SignInRequest } from "../../contract/directory.ts";
import { writeAudit } from "./audit-log.ts";
import { addPerson, findPerson } from "./person-rows.ts";
import { beginSession } from "./sessions.ts";

export function signIn(sql: SqlStorage, request: SignInRequest, now: number): SignIn {
  const bound = personOfSubject(sql, request);
  if (bound !== null) return begin(sql, bound.person, bound.firstSession, request, now);
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

export function personOfSubject(
  sql: SqlStorage,
  { issuer, sub }: OpenIdSubject,
): { person: Person; firstSession: string } | null {
  const find = "SELECT person_id, first_session FROM subjects WHERE issuer = ? AND sub = ?";
  const rows = sql.exec<{ person_id: string; first_session: string }>(find, issuer, sub);
  const row = rows.toArray()[0];
  if (row === undefined) return null;
  const person = findPerson(sql, "id", row.person_id);
  return person === null ? null : { person, firstSession: row.first_session };
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
  const { issuer, sub, session } = request;
  sql.exec(
    `INSERT INTO subjects (issuer, sub, person_id, bound_at, first_session)
     VALUES (?, ?, ?, ?, ?)`,
    issuer,
    sub,
    person.id,
    now,
    session.hash,
  );
  sql.exec("UPDATE people SET invited_until = NULL WHERE id = ?", person.id);
  writeAudit(sql, {
    ...{ id: `person.bind ${person.id}`, at: now, who: person.id, what: "person.bind" },
    ...{ whom: person.id, detail: { issuer } },
  });
  return begin(sql, { ...person, invitedUntil: null }, session.hash, request, now);
}

function begin(
  sql: SqlStorage,
  person: Person,
  firstSession: string,
  { session }: SignInRequest,
  now: number,
): SignIn {
  if (person.disabled) return { outcome: "disabled" };
  const { begunAt, madeRoom } = beginSession(sql, person.id, session, now);
  // A late repeat is no later sign-in.
  const lastSignedInAt = Math.max(person.lastSignedInAt ?? begunAt, begunAt);
  sql.exec("UPDATE people SET last_signed_in_at = ? WHERE id = ?", lastSignedInAt, person.id);
  const first = session.hash === firstSession;
  return { outcome: "signed_in", person: { ...person, lastSignedInAt }, first, madeRoom };
}

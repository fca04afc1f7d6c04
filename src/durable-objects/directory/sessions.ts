// Who is signed in where. A session's id is in the cookie alone; its hash is what is kept.
import type { NewSession, Person, Session } from "../../contract/directory.ts";
import {
  SESSION_DAYS,
  SESSION_IDLE_DAYS,
  SESSION_SEEN_EVERY_MS,
  SESSIONS_MOST,
} from "../../contract/limits.ts";
import { DAY_MS } from "./days.ts";
import { findPerson } from "./person-rows.ts";

interface SessionRow extends Record<string, SqlStorageValue> {
  hash: string;
  id: string;
  person_id: string;
  agent: string;
  started_at: number;
  last_seen_at: number;
}

/**
 * Begins a session of this person, or finds the one that a broken-off call had begun; answers when it
 * began, and which others ended for it.
 */
export function beginSession(
  sql: SqlStorage,
  personId: string,
  session: NewSession,
  now: number,
): { begunAt: number; madeRoom: string[] } {
  const before = findSession(sql, session.hash);
  if (before !== null) {
    // Hashes of random ids never meet: whoever sends another's has not made it from an id.
    if (before.person_id !== personId) throw new Error("a session belongs to one person");
    return { begunAt: before.started_at, madeRoom: [] };
  }
  const madeRoom = makeRoom(sql, personId, now);
  sql.exec(
    `INSERT INTO sessions (hash, id, person_id, agent, started_at, last_seen_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    session.hash,
    crypto.randomUUID(),
    personId,
    session.agent,
    now,
    now,
  );
  return { begunAt: now, madeRoom };
}

/** Whose session this is, and notes that it was seen; null when it is none or none any more. */
export function readSession(
  sql: SqlStorage,
  hash: string,
  now: number,
): { person: Person; sessionId: string } | null {
  const session = findSession(sql, hash);
  if (session === null) return null;
  if (isOver(session, now)) {
    sql.exec("DELETE FROM sessions WHERE hash = ?", hash);
    return null;
  }
  const person = findPerson(sql, "id", session.person_id);
  if (person === null || person.disabled) return null;
  if (now - session.last_seen_at >= SESSION_SEEN_EVERY_MS) {
    sql.exec("UPDATE sessions SET last_seen_at = ? WHERE hash = ?", now, hash);
  }
  return { person, sessionId: session.id };
}

/** Those that are not over, the one seen last first. */
export function sessionsOf(
  sql: SqlStorage,
  personId: string,
  currentHash: string | null,
  now: number,
): Session[] {
  return rowsOf(sql, personId)
    .filter((session) => !isOver(session, now))
    .map(({ hash, id, agent, started_at: startedAt, last_seen_at: lastSeenAt }) => {
      return { id, agent, startedAt, lastSeenAt, current: hash === currentHash };
    });
}

export function endSession(sql: SqlStorage, personId: string, sessionId: string): boolean {
  if (sessionId === "all") {
    sql.exec("DELETE FROM sessions WHERE person_id = ?", personId);
    return true;
  }
  const ended = sql.exec(
    "DELETE FROM sessions WHERE id = ? AND person_id = ? RETURNING id",
    sessionId,
    personId,
  );
  return ended.toArray().length > 0;
}

/** Forgets what is over, and beyond what one person may have the ones seen longest ago. */
function makeRoom(sql: SqlStorage, personId: string, now: number): string[] {
  const ended = rowsOf(sql, personId).filter((session, index) => {
    return isOver(session, now) || index >= SESSIONS_MOST - 1;
  });
  for (const { hash } of ended) sql.exec("DELETE FROM sessions WHERE hash = ?", hash);
  return ended.map(({ id }) => id);
}

function isOver(session: SessionRow, now: number): boolean {
  return (
    now >= session.started_at + SESSION_DAYS * DAY_MS ||
    now >= session.last_seen_at + SESSION_IDLE_DAYS * DAY_MS
  );
}

function findSession(sql: SqlStorage, hash: string): SessionRow | null {
  const rows = sql.exec<SessionRow>("SELECT * FROM sessions WHERE hash = ?", hash);
  return rows.toArray()[0] ?? null;
}

function rowsOf(sql: SqlStorage, personId: string): SessionRow[] {
  const newestFirst = "SELECT * FROM sessions WHERE person_id = ? ORDER BY last_seen_at DESC, id";
  return sql.exec<SessionRow>(newestFirst, personId).toArray();
}

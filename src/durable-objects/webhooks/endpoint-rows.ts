// A person's endpoints, with the secrets that sign what is sent to each.

import { KEY_SHOWN_AGAIN_MS } from "../../contract/limits.ts";
import {
  ENDPOINTS_MOST,
  type Endpoint,
  type EndpointAnswer,
  type EventType,
  OLD_SECRET_SIGNS_HOURS,
} from "../../contract/outgoing-webhooks.ts";
import type { Failing } from "../../core/outgoing-schedule.ts";

const HOUR_MS = 3_600_000;

/** As many as Standard Webhooks allow at least, and as HMAC-SHA-256 has in its hash. */
const SECRET_BYTES = 32;

interface Row extends Record<string, SqlStorageValue> {
  id: string;
  place: number;
  url: string;
  events: string;
  created_at: number;
  secret: string;
  rotation_id: string | null;
  rotated_at: number | null;
  old_secret: string | null;
  old_secret_until: number | null;
  failing_since: number | null;
  failed_at: number | null;
  off_at: number | null;
  off_why: string | null;
}

/** What a delivery needs of its endpoint. */
export interface Target {
  id: string;
  url: string;
  /** All that sign now, the newest first. */
  secrets: string[];
  failing: Failing | null;
}

export class EndpointRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(now: number): Endpoint[] {
    const rows = this.#sql.exec<Row>("SELECT * FROM endpoints ORDER BY created_at, id");
    return rows.toArray().map((row) => endpointFromRow(row, now));
  }

  find(id: string, now: number): Endpoint | null {
    const row = this.#row("id", id);
    return row === null ? null : endpointFromRow(row, now);
  }

  /** The endpoint in this place, if something may be sent to it. */
  targetAt(place: number, now: number): Target | null {
    const row = this.#row("place", place);
    if (row === null || row.off_at !== null) return null;
    const { id, url, secret, failing_since: since, failed_at: lastAt } = row;
    const old = oldSecretOf(row, now);
    return {
      ...{ id, url, secrets: old === null ? [secret] : [secret, old] },
      failing: since === null || lastAt === null ? null : { since, lastAt },
    };
  }

  /** The address has been judged. The same form sent again gets the same endpoint. */
  add(id: string, url: string, events: readonly EventType[], now: number): EndpointAnswer {
    const before = this.#row("id", id);
    if (before !== null) {
      const isSame = before.url === url && before.events === JSON.stringify(events);
      if (!isSame) return { ok: false, reason: "conflict" };
      return shown(before, before.rotated_at === null ? before.created_at : 0, now);
    }
    const place = this.#freePlace();
    if (place === null) return { ok: false, reason: "too_many" };
    this.#sql.exec(
      `INSERT INTO endpoints (id, place, url, events, created_at, secret)
       VALUES (?, ?, ?, ?, ?, ?)`,
      ...[id, place, url, JSON.stringify(events), now, newSecret()],
    );
    return this.#shown(id, now);
  }

  rotate(id: string, rotationId: string, now: number): EndpointAnswer {
    const before = this.#row("id", id);
    if (before === null) return { ok: false, reason: "unknown" };
    if (before.rotation_id === rotationId) return shown(before, before.rotated_at ?? 0, now);
    this.#sql.exec(
      `UPDATE endpoints SET secret = ?, rotation_id = ?, rotated_at = ?, old_secret = ?,
         old_secret_until = ? WHERE id = ?`,
      ...[newSecret(), rotationId, now, before.secret, now + OLD_SECRET_SIGNS_HOURS * HOUR_MS],
      id,
    );
    return this.#shown(id, now);
  }

  remove(id: string): boolean {
    const removed = this.#sql.exec("DELETE FROM endpoints WHERE id = ? RETURNING id", id);
    return removed.toArray().length > 0;
  }

  /** Null: the last attempt did not fail. */
  noteFailing(id: string, failing: Failing | null): void {
    const note = "UPDATE endpoints SET failing_since = ?, failed_at = ? WHERE id = ?";
    this.#sql.exec(note, failing?.since ?? null, failing?.lastAt ?? null, id);
  }

  switchOff(id: string, why: "failing" | "gone", now: number): void {
    this.#sql.exec("UPDATE endpoints SET off_at = ?, off_why = ? WHERE id = ?", now, why, id);
  }

  switchOn(id: string): void {
    const on = "UPDATE endpoints SET off_at = NULL, off_why = NULL WHERE id = ?";
    this.#sql.exec(on, id);
    this.noteFailing(id, null);
  }

  #row(column: "id" | "place", value: string | number): Row | null {
    const find = `SELECT * FROM endpoints WHERE ${column} = ?`;
    return this.#sql.exec<Row>(find, value).toArray()[0] ?? null;
  }

  #freePlace(): number | null {
    const rows = this.#sql.exec<{ place: number }>("SELECT place FROM endpoints").toArray();
    const taken = new Set(rows.map(({ place }) => place));
    for (let place = 0; place < ENDPOINTS_MOST; place += 1) if (!taken.has(place)) return place;
    return null;
  }

  /** Just made. */
  #shown(id: string, now: number): EndpointAnswer {
    const row = this.#row("id", id);
    return row === null ? { ok: false, reason: "unknown" } : shown(row, now, now);
  }
}

/** Of two quick presses a browser shows the second answer alone: it has the secret too. */
function shown(row: Row, madeAt: number, now: number): EndpointAnswer {
  const secret = now - madeAt < KEY_SHOWN_AGAIN_MS ? row.secret : null;
  return { ok: true, endpoint: endpointFromRow(row, now), secret };
}

function endpointFromRow(row: Row, now: number): Endpoint {
  const { id, url, off_at: offAt, off_why: why } = row;
  return {
    ...{ id, url, events: JSON.parse(row.events) as EventType[], createdAt: row.created_at },
    failingSince: row.failing_since,
    off: offAt === null ? null : { at: offAt, why: why === "gone" ? "gone" : "failing" },
    oldSecretUntil: oldSecretOf(row, now) === null ? null : row.old_secret_until,
  };
}

function oldSecretOf({ old_secret: secret, old_secret_until: until }: Row, now: number) {
  return until !== null && now < until ? secret : null;
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

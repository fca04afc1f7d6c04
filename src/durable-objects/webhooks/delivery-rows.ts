// Events on their way to a person's endpoints, and what came of each attempt.
import type { Page } from "../../contract/directory.ts";
import {
  ATTEMPTS_KEPT_MOST,
  DELIVERIES_KEPT_DAYS,
  DELIVERIES_KEPT_MOST,
  DELIVERIES_WAITING_MOST,
  type Delivery,
  type DeliveryAttempt,
  type Endpoint,
  type OutgoingEvent,
} from "../../contract/outgoing-webhooks.ts";
import { bodyOf } from "../../core/outgoing-events.ts";
import { nextTry } from "../../core/outgoing-schedule.ts";

const DAY_MS = 86_400_000;

interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  event_id: string;
  endpoint_id: string;
  state: string;
  tries: number;
  next_at: number | null;
  attempts: string;
  /** Of its event and its endpoint. */
  type: string;
  at: number;
  body: string;
  url: string;
}

const ALL = `SELECT deliveries.*, events.type, events.at, events.body, endpoints.url FROM deliveries
  JOIN events ON events.id = event_id JOIN endpoints ON endpoints.id = endpoint_id`;

/** What is sent now. */
export interface DueDelivery {
  seq: number;
  eventId: string;
  body: string;
}

export class DeliveryRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** One for each of these endpoints; none where the event has been taken before. */
  take(
    event: OutgoingEvent,
    endpoints: readonly Endpoint[],
    { now, silent }: { now: number; silent: boolean },
  ): void {
    if (endpoints.length === 0) return;
    const { id, type, at } = event;
    const taken = this.#sql
      .exec(
        `INSERT INTO events (id, type, at, body, taken_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING RETURNING id`,
        ...[id, type, at, bodyOf(event), now],
      )
      .toArray();
    if (taken.length === 0) return;
    for (const endpoint of endpoints) {
      const isOn = !silent && endpoint.off === null;
      const isSent = isOn && this.#waiting(endpoint.id) < DELIVERIES_WAITING_MOST;
      this.#sql.exec(
        `INSERT INTO deliveries (event_id, endpoint_id, state, tries, next_at, attempts)
         VALUES (?, ?, ?, 0, ?, '[]')`,
        ...[id, endpoint.id, isSent ? "waiting" : "unsent", isSent ? now : null],
      );
    }
    this.#removeOldest();
  }

  /** When something is to be sent to this endpoint, or null. */
  nextAt(endpointId: string): number | null {
    const next = `SELECT min(next_at) AS next FROM deliveries
      WHERE endpoint_id = ? AND next_at IS NOT NULL`;
    return this.#sql.exec<{ next: number | null }>(next, endpointId).one().next;
  }

  due(endpointId: string, now: number): DueDelivery | null {
    const [row] = this.#sql
      .exec<Row>(
        `${ALL} WHERE endpoint_id = ? AND next_at <= ? ORDER BY next_at, seq LIMIT 1`,
        endpointId,
        now,
      )
      .toArray();
    return row === undefined ? null : { seq: row.seq, eventId: row.event_id, body: row.body };
  }

  noteAttempt(seq: number, attempt: DeliveryAttempt, isDelivered: boolean): void {
    const row = this.#row(seq);
    if (row === null) return;
    const tries = row.tries + 1;
    const nextAt = isDelivered ? null : nextTry(tries, attempt.at + attempt.durationMs);
    const state = isDelivered ? "delivered" : nextAt === null ? "failed" : "waiting";
    const attempts = [...attemptsOf(row), attempt].slice(-ATTEMPTS_KEPT_MOST);
    this.#sql.exec(
      "UPDATE deliveries SET state = ?, tries = ?, next_at = ?, attempts = ? WHERE seq = ?",
      ...[state, tries, nextAt, JSON.stringify(attempts), seq],
    );
  }

  /** Its endpoint was switched off, or its person disabled: what waited is tried no more. */
  giveUp(endpointId: string): void {
    this.#sql.exec(
      `UPDATE deliveries SET state = iif(attempts = '[]', 'unsent', 'failed'), next_at = NULL
       WHERE endpoint_id = ? AND next_at IS NOT NULL`,
      endpointId,
    );
  }

  /** From the first attempt on; what waits already is sent sooner. */
  sendAgain(seq: number, now: number): void {
    const again = "UPDATE deliveries SET state = 'waiting', tries = 0, next_at = ? WHERE seq = ?";
    this.#sql.exec(again, now, seq);
  }

  removeOf(endpointId: string): void {
    this.#sql.exec("DELETE FROM deliveries WHERE endpoint_id = ?", endpointId);
    this.#removeEventsOfNobody();
  }

  find(seq: number): { delivery: Delivery; body: string } | null {
    const row = this.#row(seq);
    return row === null ? null : { delivery: deliveryFromRow(row), body: row.body };
  }

  ofEvent(eventId: string): Delivery | null {
    const [row] = this.#sql.exec<Row>(`${ALL} WHERE event_id = ? LIMIT 1`, eventId).toArray();
    return row === undefined ? null : deliveryFromRow(row);
  }

  page({ after, limit }: { after: string | null; limit: number }): Page<Delivery> {
    const before = Number(after ?? Number.MAX_SAFE_INTEGER);
    const rows = this.#sql
      .exec<Row>(`${ALL} WHERE seq < ? ORDER BY seq DESC LIMIT ?`, before, limit + 1)
      .toArray();
    const shown = rows.slice(0, limit).map(deliveryFromRow);
    return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
  }

  /** When the oldest event has been kept long enough, or null. */
  nextRemoval(): number | null {
    const oldest = "SELECT min(taken_at) AS oldest FROM events";
    const { oldest: takenAt } = this.#sql.exec<{ oldest: number | null }>(oldest).one();
    return takenAt === null ? null : takenAt + DELIVERIES_KEPT_DAYS * DAY_MS;
  }

  removeOld(now: number): void {
    const until = now - DELIVERIES_KEPT_DAYS * DAY_MS;
    this.#sql.exec("DELETE FROM events WHERE taken_at <= ?", until);
    this.#sql.exec("DELETE FROM deliveries WHERE event_id NOT IN (SELECT id FROM events)");
  }

  #row(seq: number): Row | null {
    return this.#sql.exec<Row>(`${ALL} WHERE seq = ?`, seq).toArray()[0] ?? null;
  }

  #waiting(endpointId: string): number {
    const count = `SELECT count(*) AS waiting FROM deliveries
      WHERE endpoint_id = ? AND next_at IS NOT NULL`;
    return this.#sql.exec<{ waiting: number }>(count, endpointId).one().waiting;
  }

  #removeOldest(): void {
    const { kept } = this.#sql
      .exec<{ kept: number }>("SELECT count(*) AS kept FROM deliveries")
      .one();
    if (kept <= DELIVERIES_KEPT_MOST) return;
    this.#sql.exec(
      `DELETE FROM deliveries WHERE seq IN
         (SELECT seq FROM deliveries WHERE next_at IS NULL ORDER BY seq LIMIT ?)`,
      kept - DELIVERIES_KEPT_MOST,
    );
    this.#removeEventsOfNobody();
  }

  #removeEventsOfNobody(): void {
    this.#sql.exec("DELETE FROM events WHERE id NOT IN (SELECT event_id FROM deliveries)");
  }
}

function attemptsOf({ attempts }: Row): DeliveryAttempt[] {
  return JSON.parse(attempts) as DeliveryAttempt[];
}

function deliveryFromRow(row: Row): Delivery {
  return {
    id: String(row.seq),
    event: { id: row.event_id, type: row.type as Delivery["event"]["type"], at: row.at },
    endpoint: { id: row.endpoint_id, url: row.url },
    state: row.state as Delivery["state"],
    attempts: attemptsOf(row),
    nextAt: row.next_at,
  };
}

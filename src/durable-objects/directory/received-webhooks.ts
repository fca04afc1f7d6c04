// Webhooks that were obeyed: who sends one again gets the same answer, and nothing is done twice.
import type { ReceivedWebhook } from "../../contract/directory.ts";
import { WEBHOOKS_KEPT_DAYS } from "../../contract/limits.ts";
import { DAY_MS } from "./days.ts";

interface Row extends Record<string, SqlStorageValue> {
  id: string;
  body_hash: string;
  answer: string;
}

export function findReceived(sql: SqlStorage, id: string): ReceivedWebhook | null {
  const find = "SELECT id, body_hash, answer FROM received_webhooks WHERE id = ?";
  const row = sql.exec<Row>(find, id).toArray()[0];
  return row === undefined ? null : { id, bodyHash: row.body_hash, answer: row.answer };
}

/** The first one counts, where two deliveries of one webhook ran at once. */
export function keepReceived(
  sql: SqlStorage,
  received: ReceivedWebhook,
  now: number,
): ReceivedWebhook {
  sql.exec("DELETE FROM received_webhooks WHERE at <= ?", now - WEBHOOKS_KEPT_DAYS * DAY_MS);
  sql.exec(
    `INSERT INTO received_webhooks (id, at, body_hash, answer) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
    received.id,
    now,
    received.bodyHash,
    received.answer,
  );
  return findReceived(sql, received.id) ?? received;
}

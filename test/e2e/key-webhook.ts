// Events of keys, as whoever holds the secret sends them.
import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Stack } from "./stack-process.ts";

export interface Sending {
  id?: string;
  secret?: string;
  /** When it says it was signed, in ms. */
  at?: number;
  /** What was put behind the body after it was signed. */
  tail?: string;
}

export function sendKeyEvent(
  stack: Stack,
  event: object,
  { id = randomUUID(), secret = stack.webhookSecret, at = Date.now(), tail = "" }: Sending = {},
): Promise<Response> {
  const body = JSON.stringify(event);
  return fetch(`${stack.app}/webhooks/keys`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1_000)),
      "webhook-signature": new Webhook(secret).sign(id, new Date(at), body),
    },
    body: body + tail,
  });
}

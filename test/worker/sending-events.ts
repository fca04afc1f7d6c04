// How the tests send events of keys: signed as Standard Webhooks say, as Svix does, and as WorkOS does.
import { Webhook } from "standardwebhooks";
import { hex } from "../../src/core/hex.ts";
import { webhookSecrets, workosSecret } from "./bindings.ts";
import { call } from "./calling.ts";

export const KEYS_PATH = "/webhooks/keys";

export interface Sending {
  id?: string;
  secret?: string;
  /** When it says it was signed. */
  at?: number;
  /** Svix has names of its own for the headers. */
  family?: "webhook" | "svix";
  /** Another signature, before the right one. */
  alsoSigned?: string;
  headers?: Record<string, string>;
}

export function send(events: unknown, sending: Sending = {}): Promise<Response> {
  const { id = crypto.randomUUID(), secret = webhookSecrets[0], family = "webhook" } = sending;
  const body = typeof events === "string" ? events : JSON.stringify(events);
  const time = new Date(sending.at ?? Date.now());
  const headers = {
    [`${family}-id`]: id,
    [`${family}-timestamp`]: String(Math.floor(time.getTime() / 1_000)),
    [`${family}-signature`]: [sending.alsoSigned, new Webhook(secret).sign(id, time, body)]
      .filter((one) => one !== undefined)
      .join(" "),
    ...sending.headers,
  };
  return call(KEYS_PATH, { method: "POST", body, headers });
}

export async function sendAsWorkos(
  event: unknown,
  { at = Date.now(), secret = workosSecret }: { at?: number; secret?: string } = {},
): Promise<Response> {
  const body = JSON.stringify(event);
  const utf8 = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, utf8.encode(`${at}.${body}`));
  const signature = `t=${at}, v1=${hex(new Uint8Array(mac))}`;
  return call(KEYS_PATH, { method: "POST", body, headers: { "workos-signature": signature } });
}

export interface Answered {
  type: string;
  outcome: string;
  key_id?: string;
  user_id?: string;
}

export async function outcomes(sending: Promise<Response>): Promise<Answered[]> {
  const response = await sending;
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return (JSON.parse(text) as { data: Answered[] }).data;
}

export async function outcome(sending: Promise<Response>): Promise<string> {
  const [first] = await outcomes(sending);
  return first?.outcome ?? "none";
}

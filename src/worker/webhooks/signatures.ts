// Who signed a webhook, over its raw bytes. `standardwebhooks` compares in constant time and refuses a
// time that is too far off, in both directions.
import { Webhook } from "standardwebhooks";
import { WEBHOOK_TOLERANCE_MS } from "../../contract/key-events.ts";
import { hex } from "../../core/hex.ts";
import { equal } from "../auth/api-key.ts";
import { Refused } from "../refuse.ts";

const utf8 = new TextEncoder();

/**
 * The webhook's id, or null where none of the secrets signed it. Several, so that they can be rotated;
 * so can the sender's, who then sends several signatures. Svix sends the same under names of its own.
 */
export function standardSigned(
  text: string,
  headers: Headers,
  secrets: readonly string[],
): string | null {
  const family = headers.has("webhook-id") ? "webhook" : "svix";
  const read = (name: string) => headers.get(`${family}-${name}`) ?? "";
  const id = read("id");
  const signature = {
    ...{ "webhook-id": id, "webhook-timestamp": read("timestamp") },
    "webhook-signature": read("signature"),
  };
  const isSigned = secrets.some((secret) => {
    try {
      new Webhook(secret).verify(text, signature, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  });
  return isSigned ? id : null;
}

/**
 * `WorkOS-Signature: t=<ms>, v1=<HMAC-SHA-256 in hex of "<ms>.<body>">`.
 * https://workos.com/docs/events/data-syncing/webhooks
 */
export async function workosSigned(
  text: string,
  headers: Headers,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  const header = /^t=(\d{1,15}), ?v1=([0-9a-f]{64})$/.exec(headers.get("workos-signature") ?? "");
  const [, time = "", given = ""] = header ?? [];
  if (header === null || Math.abs(now - Number(time)) > WEBHOOK_TOLERANCE_MS) return false;
  for (const secret of secrets) {
    const mac = await hmac(utf8.encode(secret), `${time}.${text}`);
    if (equal(hex(mac), given)) return true;
  }
  return false;
}

async function hmac(secret: Uint8Array, text: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8.encode(text)));
}

export function wrongSignature(): Refused {
  const message =
    "The webhook's signature is missing or wrong, or its time is more than " +
    `${WEBHOOK_TOLERANCE_MS / 1_000} s off. Compare the secret and the clock with this service's.`;
  return new Refused({ code: "invalid_signature", message });
}

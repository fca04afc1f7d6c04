// Who signed a webhook, over its raw bytes: compared in constant time, and refused where its time is too
// far off, in both directions. `standardwebhooks` does the same in JavaScript, and takes 35 to 80 ms for
// a body of 1 MB and each secret where the runtime's own HMAC takes 5 to 10: strangers could have us
// spend it.
import { WEBHOOK_TOLERANCE_MS } from "../../contract/key-events.ts";
import { hex } from "../../core/hex.ts";
import { equal } from "../auth/api-key.ts";
import { Refused } from "../refuse.ts";

const utf8 = new TextEncoder();

/** What stands before the base64 of a secret, and before that of a signature. */
const SECRET_PREFIX = "whsec_";
const VERSION = "v1,";

/**
 * The webhook's id, or null where none of the secrets signed it. Several, so that they can be rotated;
 * so can the sender's, who then sends several signatures. Svix sends the same under names of its own.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function standardSigned(
  text: string,
  headers: Headers,
  secrets: readonly string[],
  now: number,
): Promise<string | null> {
  const family = headers.has("webhook-id") ? "webhook" : "svix";
  const read = (name: string) => headers.get(`${family}-${name}`) ?? "";
  const [id, time] = [read("id"), read("timestamp")];
  const given = read("signature").split(" ");
  const isTimely = /^\d{1,12}$/.test(time) && isNear(Number(time) * 1_000, now);
  if (id === "" || !isTimely || !given.some((one) => one.startsWith(VERSION))) return null;
  const signed = `${id}.${time}.${text}`;
  for (const secret of secrets) {
    const key = atob(secret.slice(SECRET_PREFIX.length));
    const mac = await hmac(
      Uint8Array.from(key, (character) => character.charCodeAt(0)),
      signed,
    );
    const right = VERSION + btoa(String.fromCharCode(...mac));
    if (given.some((one) => equal(one, right))) return id;
  }
  return null;
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
  if (header === null || !isNear(Number(time), now)) return false;
  for (const secret of secrets) {
    const mac = await hmac(utf8.encode(secret), `${time}.${text}`);
    if (equal(hex(mac), given)) return true;
  }
  return false;
}

function isNear(time: number, now: number): boolean {
  return Math.abs(now - time) <= WEBHOOK_TOLERANCE_MS;
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

// A sign-in that has begun and not come back from the provider. What has to be compared then is kept
// by the browser that began it, sealed: strangers who open the sign-in page write nothing anywhere.
// The cookie goes with the first answer, and a provider takes a code once.
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { hex } from "../../../core/hex.ts";
import type { AppEnv } from "../../environment.ts";

const Progress = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** Where the person goes when signed in: checked as a path of ours. */
  to: z.string(),
  beganAt: z.number(),
});

export type Progress = z.infer<typeof Progress>;

/** Enough to find a second factor; a cookie left in a shared browser is soon worth nothing. */
const SIGN_IN_SECONDS = 600;

/** `__Host-continuo-sign-in`. */
const COOKIE = "continuo-sign-in";
const attributes = {
  ...({ prefix: "host", path: "/", secure: true, httpOnly: true } as const),
  // Lax, not Strict: the provider's answer arrives as a link from elsewhere.
  ...({ sameSite: "Lax" } as const),
};

/** AES-GCM's own: 96 bits, drawn for each seal. */
const IV_BYTES = 12;
const KEY_PURPOSE = "continuo: a sign-in in progress";

const utf8 = new TextEncoder();

export async function keepProgress(c: Context<AppEnv>, progress: Progress): Promise<void> {
  const [secret] = secrets(c);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const text = utf8.encode(JSON.stringify(progress));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await sealKey(secret), text);
  const value = hex(iv) + hex(new Uint8Array(sealed));
  setCookie(c, COOKIE, value, { ...attributes, maxAge: SIGN_IN_SECONDS });
}

/** Takes it out of the browser, so that it serves one answer. */
export async function takeProgress(c: Context<AppEnv>): Promise<Progress | "none" | "expired"> {
  const value = getCookie(c, COOKIE, "host");
  if (value === undefined) return "none";
  deleteCookie(c, COOKIE, attributes);
  const progress = await open(value, secrets(c));
  if (progress === null) return "none";
  // The browser forgets the cookie by then; whoever kept it has nothing more of it.
  const age = c.get("frame").startedAt - progress.beganAt;
  return age < SIGN_IN_SECONDS * 1000 ? progress : "expired";
}

async function open(value: string, keys: readonly string[]): Promise<Progress | null> {
  const bytes = fromHex(value);
  if (bytes === null || bytes.length <= IV_BYTES) return null;
  const iv = bytes.subarray(0, IV_BYTES);
  for (const secret of keys) {
    const key = await sealKey(secret);
    const text = await crypto.subtle
      .decrypt({ name: "AES-GCM", iv }, key, bytes.subarray(IV_BYTES))
      .catch(() => null);
    if (text !== null) return Progress.parse(JSON.parse(new TextDecoder().decode(text)));
  }
  return null;
}

/** Those that check keys, each for this purpose another key: no secret more to keep and to rotate. */
function secrets(c: Context<AppEnv>): readonly [string, ...string[]] {
  return c.get("services").configuration.KEY_CHECK_SECRETS;
}

async function sealKey(secret: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", utf8.encode(secret), "HKDF", false, [
    "deriveKey",
  ]);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8.encode(KEY_PURPOSE) },
    base,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^([0-9a-f]{2})+$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

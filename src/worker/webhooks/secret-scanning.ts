// `POST /webhooks/github/secret-scanning`: GitHub has found keys of ours in public. Each one that is
// real is revoked; of every one GitHub hears whether it was. A match that comes again changes nothing.
import type { Context } from "hono";
import { withoutKeys } from "../../contract/key-format.ts";
import { NOTE_MAX_CHARACTERS } from "../../contract/limits.ts";
import {
  type Feedback,
  FOUND_KEYS_MAX_BYTES,
  FOUND_KEYS_MOST,
  type FoundKey,
  FoundKeys,
} from "../../contract/secret-scanning.ts";
import { rawFromDer } from "../../core/ecdsa-signature.ts";
import { parseInput } from "../api/parse-input.ts";
import { sha256 } from "../auth/api-key.ts";
import { findKey } from "../deeds/find-key.ts";
import { revokeFoundKey } from "../deeds/revoke-found-key.ts";
import type { AppEnv } from "../environment.ts";
import { parseJson, readText } from "../read-body.ts";
import { Refused } from "../refuse.ts";

const utf8 = new TextEncoder();

/** Throws `Refused`: 400, 401, 413, and 500 while GitHub's own keys cannot be read. */
export function receiveFoundKeys(c: Context<AppEnv>): Promise<Response> {
  const answer = receive(c);
  // Also when the sender leaves: keys are revoked to the end, and strangers who ask and leave would have
  // GitHub's list asked for again by each.
  c.executionCtx.waitUntil(answer.catch(() => undefined));
  return answer;
}

async function receive(c: Context<AppEnv>): Promise<Response> {
  const text = await readText(c.req.raw, FOUND_KEYS_MAX_BYTES);
  if (!(await isGithubs(c, text))) {
    const message = "This is not signed by a key that GitHub publishes for secret scanning.";
    throw new Refused({ code: "invalid_signature", message });
  }
  const found = parseInput(FoundKeys, parseJson(text));
  if (found.length > FOUND_KEYS_MOST) {
    const message = `The body has ${found.length} matches, and may have ${FOUND_KEYS_MOST}. Split it.`;
    throw new Refused({ code: "request_too_large", message });
  }
  const feedback: Feedback[] = [];
  for (const one of found) {
    const label = (await revokeFound(c, one)) ? "true_positive" : "false_positive";
    feedback.push({ token_hash: await sha256(one.token), token_type: one.type, label });
  }
  return c.json(feedback);
}

/** Whether it is a key that we minted, whatever it is worth by now. */
async function revokeFound(c: Context<AppEnv>, { token, url, source }: FoundKey): Promise<boolean> {
  const found = await findKey(c, { key: token });
  // One of the App's pages is forgotten soon after it expires; its check still says that it was ours.
  if (found === null) return (await c.get("services").keys.read(token)) !== null;
  const where = withoutKeys(url === "" ? source : `${source}, ${url}`);
  const reason = `found in public by GitHub: ${where}`.slice(0, NOTE_MAX_CHARACTERS);
  await revokeFoundKey(c, found, reason, "github");
  return true;
}

/** ECDSA over P-256 with SHA-256, over the raw body; the signature in DER and base64. */
async function isGithubs(c: Context<AppEnv>, text: string): Promise<boolean> {
  const identifier = c.req.header("github-public-key-identifier") ?? "";
  const signature = signatureOf(c.req.header("github-public-key-signature") ?? "");
  // No request to GitHub for what cannot be signed by it.
  if (!/^[0-9a-f]{64}$/.test(identifier) || signature === null) return false;
  const key = await keyOf(c, identifier);
  if (key === null) return false;
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  return crypto.subtle.verify(algorithm, key, signature, utf8.encode(text));
}

async function keyOf(c: Context<AppEnv>, identifier: string): Promise<CryptoKey | null> {
  const { requestId, startedAt } = c.get("frame");
  try {
    return await c.get("services").githubKeys.find(identifier, startedAt);
  } catch (failure) {
    console.error({ event: "github_keys_unread", requestId, failure: String(failure) });
    const message = "GitHub's public keys cannot be read now. Send it again in a minute.";
    throw new Refused({ code: "internal_error", message });
  }
}

function signatureOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return rawFromDer(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}

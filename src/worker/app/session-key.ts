// `POST /app/session-key`: what the App's own pages call `/v1` with, as a script calls it with a key of
// the person's. It is handed to a page's script alone: no page shows it, and no log has it.
import type { Context } from "hono";
import { accountOf, directoryOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { signedOut } from "./script-session.ts";
import { readSession, sessionHash } from "./session.ts";

/** For a script: a stranger gets 401 with a sentence rather than the way to the sign-in page. */
export async function makeSessionKey(c: Context<AppEnv>): Promise<Response> {
  const session = await readSession(c);
  const hash = await sessionHash(c);
  if (session === null || hash === null) return signedOut(c);
  const { person, sessionId } = session;
  const { key, hash: keyHash } = await c.get("services").keys.mint(person.id);
  const account = accountOf(c.env, person.id);
  const expiresAt = await account.addAppKey({ keyHash, sessionId });
  // A session that ended meanwhile ended its keys before this one was there.
  const lives = (await directoryOf(c.env).session(hash)) !== null;
  if (!lives) await account.endAppKeys(sessionId);
  if (!lives || expiresAt === null) return signedOut(c);
  return c.json({ key, expires_in: Math.floor((expiresAt - Date.now()) / 1_000) });
}

// Who is signed in. The session's id is 256 random bits in a cookie and nowhere else; the Directory
// knows its SHA-256. Nothing is cached, so a session that was ended is over at the next request.
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Person } from "../../contract/directory.ts";
import { SESSION_DAYS } from "../../contract/limits.ts";
import { hex } from "../../core/hex.ts";
import { accountOf, directoryOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";

export interface SignedIn {
  person: Person;
  /** Names the session in lists and forms; it signs nobody in. */
  sessionId: string;
  /** Token requests that wait for a decision; 0 for a Member, who decides none. */
  openRequests: number;
}

/** With the prefix it is `__Host-continuo`: a browser takes it from this very host only, by TLS. */
const COOKIE = "continuo";

const DAY_SECONDS = 86_400;

const SESSION_ID_BYTES = 32;
const SESSION_ID = /^[0-9a-f]{64}$/;

/** Lax: a link from elsewhere arrives signed in, a form from elsewhere does not. */
const attributes = { path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;

/** The person whose page this is. Throws where `requireSession` did not run: that is a defect. */
export function signedIn(c: Context<AppEnv>): SignedIn {
  const found = c.get("signedIn");
  if (found === undefined) throw new Error("a page asks who is signed in without requireSession()");
  return found;
}

/** For what also shows itself to strangers, such as the layout of an error page. */
export function maybeSignedIn(c: Context<AppEnv>): SignedIn | null {
  return c.get("signedIn") ?? null;
}

/** Asks the Directory, once a request; null for a stranger. */
export async function readSession(c: Context<AppEnv>): Promise<SignedIn | null> {
  const known = maybeSignedIn(c);
  if (known !== null) return known;
  const hash = await sessionHash(c);
  if (hash === null) return null;
  const directory = directoryOf(c.env);
  const session = await directory.session(hash);
  if (session === null) return null;
  const openRequests = session.person.role === "admin" ? await directory.openTokenRequests() : 0;
  const found: SignedIn = { ...session, openRequests };
  c.set("signedIn", found);
  return found;
}

/** Of the browser that asks; null if it has no cookie that could be one. */
export async function sessionHash(c: Context<AppEnv>): Promise<string | null> {
  const id = getCookie(c, COOKIE, "host");
  return id !== undefined && SESSION_ID.test(id) ? hashOf(id) : null;
}

/** Of the person: one, or `all`, with the keys that its pages have. False if there is no such one. */
export async function endSessionOf(
  c: Context<AppEnv>,
  personId: string,
  sessionId: string,
): Promise<boolean> {
  const ended = await directoryOf(c.env).endSession(personId, sessionId);
  // After the session, which could get another key; and always, since the call before may have stopped
  // between the two.
  await endAppKeysOf(c, personId, [sessionId]);
  return ended;
}

/** What the pages of these sessions, which have ended, call the API with. */
export async function endAppKeysOf(
  c: Context<AppEnv>,
  personId: string,
  sessionIds: readonly string[],
): Promise<void> {
  const account = accountOf(c.env, personId);
  await Promise.all(sessionIds.map((id) => account.endAppKeys(id)));
}

/** A new id at each sign-in, whatever the browser brought: nobody can be given a known one. */
export async function newSession(): Promise<{ id: string; hash: string }> {
  const id = hex(crypto.getRandomValues(new Uint8Array(SESSION_ID_BYTES)));
  return { id, hash: await hashOf(id) };
}

export function setSessionCookie(c: Context<AppEnv>, id: string): void {
  setCookie(c, COOKIE, id, {
    ...attributes,
    prefix: "host",
    maxAge: SESSION_DAYS * DAY_SECONDS,
  });
}

export function clearSessionCookie(c: Context<AppEnv>): void {
  deleteCookie(c, COOKIE, { ...attributes, prefix: "host" });
}

async function hashOf(id: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id));
  return hex(new Uint8Array(digest));
}

// What the App's scripts ask for is refused to strangers in a sentence, not by the way to sign in.
import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "../environment.ts";
import { readSession } from "./session.ts";

export function requireScriptSession(): MiddlewareHandler<AppEnv> {
  return async function scriptSessionGuard(c, next) {
    if ((await readSession(c)) === null) return signedOut(c);
    return next();
  };
}

export function signedOut(c: Context<AppEnv>): Response {
  const message = "You are signed out. Load the page again to sign in.";
  return c.json({ error: { message } }, 401);
}

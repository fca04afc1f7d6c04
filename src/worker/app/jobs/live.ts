// What makes a part of a page follow its Jobs while it stands open. Without scripts it is as old as
// the page, and loading the page again shows how it is now.
import type { Context } from "hono";
import type { AppEnv } from "../../environment.ts";
import { readSession } from "../session.ts";

/** Often enough to look alive; one small call of an object each. */
const LOOK_SECONDS = 2;

/**
 * The attributes of the part, which `path` answers anew. What is the same stays where it is, so focus
 * and scrolling do. A failed look changes nothing: the next one follows.
 */
export function live(path: string, goesOn: boolean): Record<string, string> {
  if (!goesOn) return {};
  return {
    "hx-get": path,
    "hx-trigger": `every ${LOOK_SECONDS}s`,
    "hx-swap": "outerMorph",
    "hx-status:4xx": "swap:none",
    "hx-status:5xx": "swap:none",
  };
}

/** Before a part that is asked for: to a page that has outlived its session, load yourself again. */
export async function liveSession(
  c: Context<AppEnv>,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  if ((await readSession(c)) === null) return loadAgain(c);
  await next();
}

export function loadAgain(c: Context<AppEnv>): Response {
  return c.body(null, 204, { "hx-refresh": "true" });
}

// Deeds, done as the App's forms do them: in a request, for somebody who is signed in.
import { env } from "cloudflare:workers";
import { type Context, Hono } from "hono";
import type { PublicError } from "../../src/contract/errors.ts";
import type { AppEnv } from "../../src/worker/environment.ts";
import { frameEveryAnswer } from "../../src/worker/frame.ts";
import { Refused } from "../../src/worker/refuse.ts";

/** What the deed answers. Throws what it throws. */
export async function doing<T>(deed: (c: Context<AppEnv>) => Promise<T>): Promise<T> {
  const done: { answer: T | null; failure: unknown } = { answer: null, failure: null };
  const app = new Hono<AppEnv>();
  app.use(frameEveryAnswer());
  app.post("/", async (c) => {
    done.answer = await deed(c);
    return c.body(null, 204);
  });
  app.onError((failure, c) => {
    done.failure = failure;
    return c.body(null, 500);
  });
  await app.request("/", { method: "POST" }, env);
  if (done.failure !== null) throw done.failure;
  return done.answer as T;
}

/** The refusal of a deed that must be refused. */
export async function refusalOf(
  deed: (c: Context<AppEnv>) => Promise<unknown>,
): Promise<PublicError> {
  try {
    await doing(deed);
  } catch (failure) {
    if (failure instanceof Refused) return failure.error;
    throw failure;
  }
  throw new Error("the deed was not refused");
}

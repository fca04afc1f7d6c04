// The Jobs of the person that something was done to hear of it at once. Should the word be lost, they
// find out by themselves: a Job that waits for tokens tries again, one of a disabled person gets no Hold.
import type { Context } from "hono";
import { jobListOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";

/** Never fails the deed, which is done already. */
export async function tellJobs(
  c: Context<AppEnv>,
  whom: string,
  word: "tokensChanged" | "cancelAll",
): Promise<void> {
  try {
    await jobListOf(c.env, whom)[word]();
  } catch (failure) {
    const { requestId } = c.get("frame");
    console.error({ event: "jobs_not_told", requestId, word, failure: String(failure) });
  }
}

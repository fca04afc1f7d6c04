import { JOBS_UNENDED_MOST } from "../../../contract/job-limits.ts";
import { jobListOf, jobOf, type ObjectBindings } from "../../../durable-objects/objects.ts";
import { Refused } from "../../refuse.ts";

/** Asked of whoever has too many under way: a Job takes that long at least. */
const RETRY_AFTER_MS = 60_000;

/** Throws `Refused` 429 when this person has as many Jobs as may be; a repeated submit adds none. */
export async function requireRoom(
  env: ObjectBindings,
  personId: string,
  jobId: string,
): Promise<void> {
  if ((await jobListOf(env, personId).unended()) < JOBS_UNENDED_MOST) return;
  if ((await jobOf(env, jobId).record()) !== null) return;
  throw new Refused({
    code: "rate_limited",
    message: `${JOBS_UNENDED_MOST} of your Jobs have not ended, as many as may be. Wait until some have, cancel some, or put more items into one: it takes 50,000.`,
    retryAfterMs: RETRY_AFTER_MS,
  });
}

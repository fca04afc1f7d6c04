import type { Context } from "hono";
import type { JobRecord } from "../../../contract/jobs.ts";
import { jobOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { isJobId } from "./job-id.ts";

/** The caller's Job. Throws `Refused` 404, also for another person's: its id tells nobody anything. */
export async function ownJob(
  c: Context<AppEnv>,
  personId: string,
  jobId: string,
): Promise<JobRecord> {
  const record = isJobId(jobId) ? await jobOf(c.env, jobId).record() : null;
  if (record === null || record.personId !== personId) throw noSuchJob();
  return record;
}

export function noSuchJob(): Refused {
  return new Refused({
    code: "not_found",
    message: "You have no such Job. GET /v1/jobs lists those that you have; they are kept 30 days.",
  });
}

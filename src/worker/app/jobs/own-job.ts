// The Job of the path, if it is the person's own: another's looks as if it were not there.
import type { Context } from "hono";
import { JOB_KEPT_DAYS } from "../../../contract/job-limits.ts";
import type { JobRecord } from "../../../contract/jobs.ts";
import { jobOf } from "../../../durable-objects/objects.ts";
import { isJobId } from "../../api/jobs/job-id.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { signedIn } from "../session.ts";

/** Throws `Refused` 404. */
export async function ownJob(c: Context<AppEnv>): Promise<JobRecord> {
  const record = await maybeOwnJob(c);
  if (record !== null) return record;
  const message = `You have no such Job. It may have been removed: Jobs are kept for ${JOB_KEPT_DAYS} days after their end.`;
  throw new Refused({ code: "not_found", message });
}

export async function maybeOwnJob(c: Context<AppEnv>): Promise<JobRecord | null> {
  const id = c.req.param("id") ?? "";
  const record = isJobId(id) ? await jobOf(c.env, id).record() : null;
  return record?.personId === signedIn(c).person.id ? record : null;
}

export function hasEnded({ state }: Pick<JobRecord, "state">): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}

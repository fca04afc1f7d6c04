// Cancelling a Job that runs, and removing one that has ended: each asks once and says what is kept.
import type { Context } from "hono";
import { jobOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { count } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Confirm, Name } from "../layout/parts.tsx";
import { jobUrl } from "./job-page.tsx";
import { progressInWords } from "./job-state.tsx";
import { tokensOf } from "./jobs-page.tsx";
import { hasEnded, ownJob } from "./own-job.ts";

export async function showCancel(c: Context<AppEnv>): Promise<Response> {
  const job = await ownJob(c);
  const title = "Cancel this Job?";
  return page(
    c,
    { title, current: "jobs" },
    <Confirm
      title={title}
      action={`/jobs/${job.id}/cancel`}
      verb="Cancel the Job"
      danger
      back={`/jobs/${job.id}`}
      backTitle="Let it run"
    >
      <p class="text">
        <Name>{job.name}</Name> has done {progressInWords(job)}. These results stay for 30 days, and
        their {count(tokensOf(job))} tokens stay charged. The rest is not run and costs nothing; it
        can't be taken up again.
      </p>
    </Confirm>,
  );
}

/** A Job that has ended meanwhile stays as it is: pressing twice is no error. */
export async function cancel(c: Context<AppEnv>): Promise<Response> {
  const job = await ownJob(c);
  if (hasEnded(job)) return c.redirect(`/jobs/${job.id}`, 303);
  await jobOf(c.env, job.id).cancel();
  return c.redirect(jobUrl(job.id, "cancelled"), 303);
}

export async function showRemove(c: Context<AppEnv>): Promise<Response> {
  const job = await ownJob(c);
  const title = "Remove this Job?";
  return page(
    c,
    { title, current: "jobs" },
    <Confirm
      title={title}
      action={`/jobs/${job.id}/remove`}
      verb="Remove"
      danger
      back={`/jobs/${job.id}`}
      backTitle="Keep it"
    >
      <p class="text">
        The input and the results of <Name>{job.name}</Name> are deleted for good. What it used
        stays in Usage.
      </p>
    </Confirm>,
  );
}

export async function remove(c: Context<AppEnv>): Promise<Response> {
  const job = await ownJob(c);
  if (await jobOf(c.env, job.id).remove()) return c.redirect("/jobs?notice=removed", 303);
  const message = "This Job still runs. Cancel it first, then remove it.";
  throw new Refused({ code: "conflict", message });
}

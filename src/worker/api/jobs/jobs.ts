// A person's Jobs: list, read, cancel, remove, and read their results.
import type { Context } from "hono";
import { z } from "zod";
import { JobsPageQuery } from "../../../contract/job-pages.ts";
import { jobListOf, jobOf } from "../../../durable-objects/objects.ts";
import { identify, readCaller } from "../../auth/authenticate.ts";
import type { AppEnv } from "../../environment.ts";
import { answerFile } from "../../jobs/download.ts";
import { resultsFile } from "../../jobs/results.ts";
import { Refused } from "../../refuse.ts";
import { parseInput } from "../parse-input.ts";
import { isJobId } from "./job-id.ts";
import { noSuchJob, ownJob } from "./own-job.ts";
import { presentJob } from "./present-job.ts";

const ResultsQuery = z.strictObject({ only: z.enum(["succeeded", "failed"]).optional() });

/** `GET /v1/jobs?after=&limit=`: newest first; `after` is the last id of the page before. */
export async function listJobs(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  const { after = null, limit } = parseInput(JobsPageQuery, c.req.query());
  if (after !== null && !isJobId(after)) throw noSuchPlace("job");
  const { rows, next } = await jobListOf(c.env, personId).jobs({ after, limit });
  return c.json({ object: "list", data: rows.map(presentJob), has_more: next !== null });
}

/** `GET /v1/jobs/{id}` */
export async function showJob(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  return c.json(presentJob(await ownJob(c, personId, c.req.param("id") ?? "")));
}

/** `POST /v1/jobs/{id}/cancel`: repeatable; what has ended stays as it is. */
export async function cancelJob(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  const { id } = await ownJob(c, personId, c.req.param("id") ?? "");
  const record = await jobOf(c.env, id).cancel();
  if (record === null) throw noSuchJob();
  return c.json(presentJob(record));
}

/** `DELETE /v1/jobs/{id}`: with input and results, which else stay for 30 days. */
export async function removeJob(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  const { id } = await ownJob(c, personId, c.req.param("id") ?? "");
  if (await jobOf(c.env, id).remove()) return c.json({ id, object: "job", deleted: true });
  throw new Refused({
    code: "conflict",
    message: "This Job has not ended. Cancel it first: POST /v1/jobs/{id}/cancel.",
  });
}

/** `GET /v1/jobs/{id}/results?only=`: lines in input order, also while it runs; by range if asked. */
export async function showResults(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  const { only = "all" } = parseInput(ResultsQuery, c.req.query());
  const record = await ownJob(c, personId, c.req.param("id") ?? "");
  const file = await resultsFile(c.env, record, only);
  if (file === null) throw noSuchJob();
  return answerFile(c, file);
}

/** The person's id. Throws `Refused`. */
export async function callerId(c: Context<AppEnv>): Promise<string> {
  const caller = await readCaller(c);
  await identify(c, caller, { countsAsStart: false });
  return caller.accountId;
}

export function noSuchPlace(what: string): Refused {
  return new Refused({
    code: "invalid_request",
    message: `after: must be the id of a ${what}, the last one of the page before`,
    param: "after",
  });
}

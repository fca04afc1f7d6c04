// OpenAI's batches: Jobs that were submitted with a file, under that API's names.
import type { Context } from "hono";
import { BatchBody } from "../../../contract/batch-request.ts";
import { JobsPageQuery } from "../../../contract/job-pages.ts";
import { fileKey } from "../../../contract/job-store.ts";
import type { BatchOrigin, JobRecord } from "../../../contract/jobs.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { jobListOf, jobOf } from "../../../durable-objects/objects.ts";
import { identify, readCaller } from "../../auth/authenticate.ts";
import type { AppEnv } from "../../environment.ts";
import { takeInLines } from "../../jobs/take-in.ts";
import { readJson } from "../../read-body.ts";
import { Refused } from "../../refuse.ts";
import { noSuchFile } from "../files/files.ts";
import { jobIdOfBatch, newJobId } from "../jobs/job-id.ts";
import { callerId, noSuchPlace } from "../jobs/jobs.ts";
import { ownJob } from "../jobs/own-job.ts";
import { requireRoom } from "../jobs/room.ts";
import { parseInput } from "../parse-input.ts";
import { presentBatch } from "./present-batch.ts";

interface OwnBatch {
  record: JobRecord;
  batch: BatchOrigin;
}

/** `POST /v1/batches`: a wrong line of the file is refused at once, rather than by a batch that failed. */
export function createBatch(c: Context<AppEnv>): Promise<Response> {
  const created = create(c);
  // A handler whose client left is dropped, and what is half in the store has to go all the same.
  c.executionCtx.waitUntil(created.catch(() => undefined));
  return created.then(({ record, batch }) => c.json(presentBatch(record, batch)));
}

async function create(c: Context<AppEnv>): Promise<OwnBatch> {
  const caller = await readCaller(c);
  const { key } = await identify(c, caller, { countsAsStart: true });
  const personId = caller.accountId;
  const asked = parseInput(BatchBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { input_file_id: inputFileId, completion_window: completionWindow, metadata } = asked;
  const row = await jobListOf(c.env, personId).file(inputFileId);
  if (row === null) throw noSuchFile("input_file_id");
  const jobId = await newJobId(personId, c.req.header("idempotency-key") ?? null);
  await requireRoom(c.env, personId, jobId);
  const file = await c.env.JOB_STORE.get(fileKey(personId, inputFileId));
  if (file === null) throw noSuchFile("input_file_id");
  const batch = { inputFileId, completionWindow, metadata: metadata ?? null };
  const submission = { jobId, personId, keyId: key.id, name: row.name, batch };
  const context = { env: c.env, services: c.get("services") };
  const taken = takeInLines(context, submission, file.body).catch(async (failure: unknown) => {
    await file.body.cancel();
    throw failure;
  });
  return { record: await taken, batch };
}

/** `GET /v1/batches?after=&limit=`: newest first, without Jobs that are none. */
export async function listBatches(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  const { after, limit } = parseInput(JobsPageQuery, c.req.query());
  const afterJob = after === undefined ? null : jobIdOfBatch(after);
  if (after !== undefined && afterJob === null) throw noSuchPlace("batch");
  const list = jobListOf(c.env, personId);
  const { rows, next } = await list.jobs({ after: afterJob, limit, batches: true });
  const data = rows.flatMap((record) =>
    record.batch === null ? [] : [presentBatch(record, record.batch)],
  );
  return c.json({ object: "list", data, has_more: next !== null });
}

/** `GET /v1/batches/{id}` */
export async function showBatch(c: Context<AppEnv>): Promise<Response> {
  const { record, batch } = await ownBatch(c, await callerId(c));
  return c.json(presentBatch(record, batch));
}

/** `POST /v1/batches/{id}/cancel`: repeatable; what has ended stays as it is. */
export async function cancelBatch(c: Context<AppEnv>): Promise<Response> {
  const { record, batch } = await ownBatch(c, await callerId(c));
  const cancelled = await jobOf(c.env, record.id).cancel();
  if (cancelled === null) throw noSuchBatch();
  return c.json(presentBatch(cancelled, batch));
}

/** Throws `Refused` 404, also for another person's. */
async function ownBatch(c: Context<AppEnv>, personId: string): Promise<OwnBatch> {
  const jobId = jobIdOfBatch(c.req.param("id") ?? "");
  if (jobId === null) throw noSuchBatch();
  const record = await ownJob(c, personId, jobId);
  const { batch } = record;
  if (batch === null) throw noSuchBatch();
  return { record, batch };
}

function noSuchBatch(): Refused {
  return new Refused({
    code: "not_found",
    message:
      "You have no such batch. GET /v1/batches lists those that you have; they are kept 30 days.",
  });
}

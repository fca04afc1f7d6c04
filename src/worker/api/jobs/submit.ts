// `POST /v1/jobs`: as JSON, or as lines that flow into the store as they come.
import type { Context } from "hono";
import { z } from "zod";
import { JOB_JSON_MAX_BYTES } from "../../../contract/job-limits.ts";
import type { JobRecord } from "../../../contract/jobs.ts";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { identify, readCaller } from "../../auth/authenticate.ts";
import type { AppEnv } from "../../environment.ts";
import { takeInBody, takeInLines } from "../../jobs/take-in.ts";
import { refuseAfterBody } from "../../jobs/take-in-refused.ts";
import { readJson } from "../../read-body.ts";
import { Refused } from "../../refuse.ts";
import { parseInput } from "../parse-input.ts";
import { newJobId } from "./job-id.ts";
import { presentJob } from "./present-job.ts";
import { requireRoom } from "./room.ts";

const LINES_TYPE = /^application\/x-ndjson\s*(;|$)/i;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

const LinesQuery = z.strictObject({ name: z.string().min(1).max(NAME_MAX_CHARACTERS).optional() });
const NoQuery = z.strictObject({});

export function submitJob(c: Context<AppEnv>): Promise<Response> {
  const submitted = refuseAfterBody(c.req.raw, submit(c));
  // A handler whose client left is dropped, and what is half in the store has to go all the same.
  c.executionCtx.waitUntil(submitted.catch(() => undefined));
  return submitted.then((record) => c.json(presentJob(record)));
}

async function submit(c: Context<AppEnv>): Promise<JobRecord> {
  const caller = await readCaller(c);
  const { key } = await identify(c, caller, { countsAsStart: true });
  const personId = caller.accountId;
  const type = c.req.header("content-type") ?? "";
  const isLines = LINES_TYPE.test(type);
  if (!isLines && !JSON_TYPE.test(type)) throw unsupportedType;
  const { name = null } = isLines ? parseInput(LinesQuery, c.req.query()) : noQuery(c);
  const jobId = await newJobId(personId, c.req.header("idempotency-key") ?? null);
  await requireRoom(c.env, personId, jobId);
  const context = { env: c.env, services: c.get("services") };
  const submission = { jobId, personId, keyId: key.id, name, batch: null };
  const { body } = c.req.raw;
  if (isLines) return takeInLines(context, submission, body ?? new Blob().stream());
  return takeInBody(context, submission, await readJson(c.req.raw, JOB_JSON_MAX_BYTES));
}

function noQuery(c: Context<AppEnv>): { name?: string } {
  return parseInput(NoQuery, c.req.query());
}

const unsupportedType = new Refused({
  code: "unsupported_media_type",
  message:
    "A Job is sent with the header content-type: application/json, or as lines with content-type: application/x-ndjson.",
});

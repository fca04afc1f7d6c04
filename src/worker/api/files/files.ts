// The files of OpenAI's batches: what was uploaded, and a batch's results, which are views of its Job.
import type { Context } from "hono";
import type { FileRow } from "../../../contract/job-list.ts";
import { FilesPageQuery } from "../../../contract/job-pages.ts";
import { fileKey } from "../../../contract/job-store.ts";
import type { JobRecord } from "../../../contract/jobs.ts";
import { jobListOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { answerFile, type StoredFile } from "../../jobs/download.ts";
import { resultsFile } from "../../jobs/results.ts";
import { Refused } from "../../refuse.ts";
import { isUploadId, resultsOfFile } from "../jobs/job-id.ts";
import { callerId, noSuchPlace } from "../jobs/jobs.ts";
import { ownJob } from "../jobs/own-job.ts";
import { parseInput } from "../parse-input.ts";
import { presentFile, presentUpload } from "./present-file.ts";

type FoundFile =
  | { kind: "upload"; row: FileRow; stored: StoredFile }
  | { kind: "results"; record: JobRecord; stored: StoredFile };

/** `GET /v1/files?after=&limit=&purpose=`: uploads, newest first. A batch names its results itself. */
export async function listFiles(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  const { after = null, limit, purpose = "batch" } = parseInput(FilesPageQuery, c.req.query());
  if (after !== null && !isUploadId(after)) throw noSuchPlace("file");
  if (purpose !== "batch") return c.json({ object: "list", data: [], has_more: false });
  const { rows, next } = await jobListOf(c.env, personId).files({ after, limit });
  return c.json({ object: "list", data: rows.map(presentUpload), has_more: next !== null });
}

/** `GET /v1/files/{id}` */
export async function showFile(c: Context<AppEnv>): Promise<Response> {
  const found = await ownFile(c, await callerId(c));
  if (found.kind === "upload") return c.json(presentUpload(found.row));
  const { record, stored } = found;
  const bytes = stored.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  const { endedAt, createdAt, removedAt } = record;
  const id = c.req.param("id") ?? "";
  const file = { id, name: stored.name, bytes, createdAt: endedAt ?? createdAt, removedAt };
  return c.json(presentFile(file, "batch_output"));
}

/** `GET /v1/files/{id}/content`: by range if asked. */
export async function showFileContent(c: Context<AppEnv>): Promise<Response> {
  const { stored } = await ownFile(c, await callerId(c));
  return answerFile(c, stored);
}

/** `DELETE /v1/files/{id}`: a batch that was made of it has its lines already. */
export async function removeFile(c: Context<AppEnv>): Promise<Response> {
  const personId = await callerId(c);
  const found = await ownFile(c, personId);
  if (found.kind === "results") {
    const message = `This file is part of a Job's results. Delete the Job: DELETE /v1/jobs/${found.record.id}.`;
    throw new Refused({ code: "conflict", message });
  }
  await jobListOf(c.env, personId).removeFile(found.row.id);
  return c.json({ id: found.row.id, object: "file", deleted: true });
}

/** Throws `Refused` 404, also for another person's. */
async function ownFile(c: Context<AppEnv>, personId: string): Promise<FoundFile> {
  const id = c.req.param("id") ?? "";
  const results = resultsOfFile(id);
  if (results !== null) {
    const record = await ownJob(c, personId, results.jobId);
    const stored = record.batch === null ? null : await resultsFile(c.env, record, results.lines);
    if (stored === null) throw noSuchFile();
    return { kind: "results", record, stored };
  }
  const row = isUploadId(id) ? await jobListOf(c.env, personId).file(id) : null;
  if (row === null) throw noSuchFile();
  return { kind: "upload", row, stored: storedUpload(personId, row) };
}

function storedUpload(personId: string, row: FileRow): StoredFile {
  const pieces = [{ of: fileKey(personId, row.id), bytes: row.bytes }];
  return { name: `${row.id}.jsonl`, id: row.id, pieces, complete: true };
}

export function noSuchFile(param: string | null = null): Refused {
  return new Refused({
    code: "not_found",
    message:
      "You have no such file. GET /v1/files lists those that you have; they are kept 30 days.",
    param,
  });
}

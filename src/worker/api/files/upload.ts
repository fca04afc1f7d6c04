import type { Context } from "hono";
import { FILES_MOST, JOB_KEPT_DAYS } from "../../../contract/job-limits.ts";
import type { FileRow } from "../../../contract/job-list.ts";
import { fileKey } from "../../../contract/job-store.ts";
import { jobListOf } from "../../../durable-objects/objects.ts";
import { identify, readCaller } from "../../auth/authenticate.ts";
import type { AppEnv } from "../../environment.ts";
import { refuseAfterBody } from "../../jobs/take-in-refused.ts";
import { StoreUpload } from "../../jobs/take-in-upload.ts";
import { Refused } from "../../refuse.ts";
import { newFileId } from "../jobs/job-id.ts";
import { presentUpload } from "./present-file.ts";
import { readUpload } from "./read-upload.ts";

const KEPT_MS = JOB_KEPT_DAYS * 86_400_000;

/** `POST /v1/files`: a batch's lines, which are looked at when the batch is made. */
export function uploadFile(c: Context<AppEnv>): Promise<Response> {
  const uploaded = refuseAfterBody(c.req.raw, upload(c));
  // A handler whose client left is dropped, and what is half in the store has to go all the same.
  c.executionCtx.waitUntil(uploaded.catch(() => undefined));
  return uploaded.then((row) => c.json(presentUpload(row)));
}

async function upload(c: Context<AppEnv>): Promise<FileRow> {
  const caller = await readCaller(c);
  await identify(c, caller, { countsAsStart: true });
  const list = jobListOf(c.env, caller.accountId);
  const { rows } = await list.files({ after: null, limit: FILES_MOST });
  if (rows.length >= FILES_MOST) {
    const message = `You have ${FILES_MOST} files, as many as may be. Delete some: DELETE /v1/files/{id}.`;
    throw new Refused({ code: "conflict", message });
  }
  const id = newFileId();
  const { name, bytes } = await store(c, fileKey(caller.accountId, id));
  const createdAt = c.get("frame").startedAt;
  const row = { id, name, bytes, createdAt, removedAt: createdAt + KEPT_MS };
  await list.putFile(row);
  return row;
}

/** Throws `Refused`, and leaves nothing then. */
async function store(c: Context<AppEnv>, key: string): Promise<{ name: string; bytes: number }> {
  const sink = new StoreUpload(c.env.JOB_STORE, key);
  try {
    const name = await readUpload(c.req.raw, sink);
    if (sink.bytes === 0) {
      throw new Refused({ code: "invalid_request", message: "The file is empty.", param: "file" });
    }
    await sink.finish();
    return { name, bytes: sink.bytes };
  } catch (failure) {
    await sink.abort();
    throw failure;
  }
}

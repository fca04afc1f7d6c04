// Jobs as tests of the pages need them: rows of a person's list, and real ones in a state of choice.
import { env } from "cloudflare:workers";
import type { JobErrorGroup, JobRecord, NewJob } from "../../../src/contract/jobs.ts";
import { jobListOf, jobOf } from "../../../src/durable-objects/objects.ts";
import { newJobId } from "../../../src/worker/api/jobs/job-id.ts";

/** Puts rows into a person's list as their Jobs would; each is one millisecond older. */
export async function putRows(
  personId: string,
  rows: readonly Partial<JobRecord>[],
): Promise<JobRecord[]> {
  const now = Date.now();
  const list = jobListOf(env, personId);
  const records: JobRecord[] = [];
  for (const [at, row] of rows.entries()) {
    const record = { ...plain, id: await newJobId("", crypto.randomUUID()), ...row };
    records.push({ ...record, personId, createdAt: row.createdAt ?? now - at });
  }
  for (const record of records) await list.put(record);
  return records;
}

const plain: JobRecord = {
  ...{ id: "", personId: "", keyId: "app", name: "a Job", model: "local", state: "running" },
  ...{ pause: null, counts: { total: 100, succeeded: 0, failed: 0 }, etaSeconds: null },
  usage: { promptTokens: 0, completionTokens: 0 },
  ...{ createdAt: 0, startedAt: 0, cancelledAt: null, endedAt: null, removedAt: null },
  ...{ failure: null, errors: [], batch: null, version: 1 },
};

/** No Model that is served, so that nobody but the test works on its slices. */
const UNSERVED = "a-model-of-the-tests";

/** A real Job of `slices` with two items each. */
export async function newJob(
  personId: string,
  options: { slices?: number; name?: string; keyId?: string } = {},
): Promise<string> {
  const { slices = 2, name = "a real Job", keyId = "app" } = options;
  const id = await newJobId(personId, crypto.randomUUID());
  const job: NewJob = {
    ...{ id, personId, keyId, name, model: UNSERVED, contentHash: id, batch: null },
    inputKey: `${id}-input`,
    slices: Array.from({ length: slices }, (_, at) => {
      return { from: at * 2, items: 2, offset: at * 10, bytes: 10, large: false };
    }),
  };
  const created = await jobOf(env, id).create(job);
  if (!created.ok) throw new Error("the Job was not created");
  return id;
}

export async function claimOne(id: string) {
  const claimed = await jobOf(env, id).claim("a ticket");
  if (claimed.outcome !== "claimed") throw new Error("there was nothing to claim");
  return claimed.claim;
}

/** One slice ends: an item succeeds, an item fails. */
export async function workOffOne(id: string, lines: string, error: JobErrorGroup): Promise<void> {
  const { slice, attempt, personId } = await claimOne(id);
  const bytes = new TextEncoder().encode(lines);
  const at = `people/${personId}/jobs/${id}/results/${slice.from}-${attempt}`;
  await env.JOB_STORE.put(`${at}-all.jsonl`, bytes);
  await jobOf(env, id).commit(
    { from: slice.from, attempt },
    {
      ...{ counts: { succeeded: 1, failed: 1 }, charged: 1, held: 40, errors: [error] },
      usage: { promptTokens: 3, completionTokens: 5 },
      part: { bytes: bytes.length, succeededBytes: bytes.length },
    },
  );
}

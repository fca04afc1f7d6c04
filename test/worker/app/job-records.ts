// Jobs as tests of the pages need them: rows of a person's list, and real ones in a state of choice.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { jobPartKey } from "../../../src/contract/job-store.ts";
import type {
  JobErrorGroup,
  JobRecord,
  JobRpc,
  NewJob,
  SliceClaim,
  SliceReturn,
} from "../../../src/contract/jobs.ts";
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
  await Promise.all(records.map((record) => list.put(record)));
  return records;
}

const plain: JobRecord = {
  ...{ id: "", personId: "", keyId: "app", name: "a Job", model: "local", state: "running" },
  ...{ pause: null, counts: { total: 100, succeeded: 0, failed: 0 }, etaSeconds: null },
  usage: { promptTokens: 0, completionTokens: 0 },
  ...{ createdAt: 0, startedAt: 0, cancelledAt: null, endedAt: null, removedAt: null },
  ...{ failure: null, errors: [], batch: null, version: 1 },
};

interface HeldJob {
  id: string;
  claims: SliceClaim[];
}

/** A real Job of `slices` with two items each, all of them claimed: nobody but the test works on it. */
export async function newJob(
  personId: string,
  options: { slices?: number; name?: string } = {},
): Promise<HeldJob> {
  const { slices = 2, name = "a real Job" } = options;
  const id = await newJobId(personId, crypto.randomUUID());
  const job: NewJob = {
    ...{ id, personId, keyId: "app", name, model: "local", contentHash: id, batch: null },
    inputKey: `${id}-input`,
    slices: Array.from({ length: slices }, (_, at) => {
      return { from: at * 2, items: 2, offset: at * 10, bytes: 10, large: false };
    }),
  };
  const claims = await runInDurableObject(env.JOB.getByName(id), async (object) => {
    const { create, claim } = object as unknown as JobRpc;
    // Without a wait between, so that no consumer comes first.
    const created = create.call(object, job);
    const claimed = job.slices.map(() => claim.call(object, "a ticket"));
    await created;
    return Promise.all(claimed);
  });
  return { id, claims: claims.flatMap((one) => (one.outcome === "claimed" ? [one.claim] : [])) };
}

/** The next slice ends: an item succeeds, an item fails. */
export async function workOffOne(
  { id, claims }: HeldJob,
  lines: string,
  error: JobErrorGroup,
): Promise<void> {
  const claim = nextOf(claims);
  const { personId } = claim;
  const name = { from: claim.slice.from, attempt: claim.attempt };
  const bytes = new TextEncoder().encode(lines);
  await env.JOB_STORE.put(jobPartKey(personId, id, name, "all"), bytes);
  await jobOf(env, id).commit(name, {
    ...{ counts: { succeeded: 1, failed: 1 }, charged: 1, held: 40, errors: [error] },
    usage: { promptTokens: 3, completionTokens: 5 },
    part: { bytes: bytes.length, succeededBytes: bytes.length },
  });
}

export async function giveBackOne({ id, claims }: HeldJob, returned: SliceReturn): Promise<void> {
  const { slice, attempt } = nextOf(claims);
  await jobOf(env, id).giveBack({ from: slice.from, attempt }, returned);
}

/** Cancelled, with nothing that still runs. */
export async function endJob(job: HeldJob): Promise<void> {
  await jobOf(env, job.id).cancel();
  while (job.claims.length > 0) await giveBackOne(job, { why: "stopped" });
}

function nextOf(claims: SliceClaim[]): SliceClaim {
  const claim = claims.shift();
  if (claim === undefined) throw new Error("all slices are done");
  return claim;
}

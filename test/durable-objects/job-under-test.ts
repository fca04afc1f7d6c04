// One Job object on a disk of its own, among others that only note what they are told.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { SliceSettlement } from "../../src/contract/account-slices.ts";
import type {
  ClaimAnswer,
  JobRecord,
  NewJob,
  SliceClaim,
  SliceResult,
} from "../../src/contract/jobs.ts";
import type { OutgoingEvent } from "../../src/contract/outgoing-webhooks.ts";
import { Job } from "../../src/durable-objects/job/job.ts";
import type { ObjectBindings } from "../../src/durable-objects/objects.ts";

/** No machine's clock is there yet, so an alarm only comes where a test runs it. */
export const NOON = Date.UTC(2100, 2, 15, 12);

/** Some seconds, far more than any call takes. */
const TRIES_MOST = 800;

/** What others were told, in order; a name in `deaf` is of a call that fails. */
class Others {
  settled: SliceSettlement[] = [];
  forgotten: string[] = [];
  records: JobRecord[] = [];
  turns: string[] = [];
  dropped: string[] = [];
  emitted: OutgoingEvent[] = [];
  failures = 0;
  readonly deaf = new Set<string>();
  /** So many objects the store lists in one answer. */
  storePage = 1_000;

  get bindings(): ObjectBindings {
    const account = {
      settleSlices: this.#hears("settleSlices", (settlements: SliceSettlement[]) => {
        this.settled.push(...structuredClone(settlements));
        return { incarnation: "one", commit: 1 };
      }),
      forgetSlices: this.#hears(
        "forgetSlices",
        (ids: string[]) => void this.forgotten.push(...ids),
      ),
    };
    const list = {
      put: this.#hears("put", (record: JobRecord) => void this.records.push(record)),
      drop: this.#hears("drop", (id: string) => void this.dropped.push(id)),
    };
    const dispatcher = {
      enter: this.#hears("enter", (job: { jobId: string; personId: string }) => {
        this.turns.push(`enter ${job.jobId} of ${job.personId}`);
      }),
      leave: this.#hears("leave", (id: string) => void this.turns.push(`leave ${id}`)),
    };
    const webhooks = {
      emit: this.#hears("emit", (events: OutgoingEvent[]) => void this.emitted.push(...events)),
    };
    const of = (rpc: object) => ({ idFromName: (name: string) => name, get: () => rpc });
    const store = env.JOB_STORE;
    const JOB_STORE = {
      list: ({ prefix }: { prefix: string }) => store.list({ prefix, limit: this.storePage }),
      delete: (keys: string[]) => store.delete(keys),
    };
    const objects = { ACCOUNT: of(account), JOB_LIST: of(list), DISPATCHER: of(dispatcher) };
    const fakes = { ...objects, WEBHOOKS: of(webhooks), JOB_STORE };
    return { ...env, ...fakes } as unknown as ObjectBindings;
  }

  #hears<Arguments extends unknown[], Answer>(name: string, call: (...of: Arguments) => Answer) {
    return async (...given: Arguments): Promise<Answer> => {
      if (this.deaf.has(name)) {
        this.failures += 1;
        throw new Error(`${name} fails`);
      }
      return call(...given);
    };
  }
}

export class JobUnderTest {
  readonly id = `job_${crypto.randomUUID()}`;
  readonly others = new Others();

  get stub(): DurableObjectStub {
    return env.JOB.getByName(this.id);
  }

  /** A new object on the same disk: so nothing is remembered from one of these to the next. */
  async wake<T>(run: (job: Job, storage: DurableObjectStorage) => Promise<T>): Promise<T> {
    return await runInDurableObject(this.stub, async (_, context) => {
      return await run(new Job(context, this.others.bindings), context.storage);
    });
  }

  /** With one slice for each number, of so many items. */
  newJob(items: readonly number[], rest: Partial<NewJob> = {}): NewJob {
    let from = 0;
    const slices = items.map((count) => {
      const slice = { from, items: count, offset: from * 10, bytes: count * 10, large: false };
      from += count;
      return slice;
    });
    return {
      ...{ id: this.id, personId: "ada", keyId: "key", name: "sweep", model: "local" },
      ...{ contentHash: "hash", inputKey: "input", slices, batch: null, ...rest },
    };
  }

  async evict(): Promise<void> {
    await evictDurableObject(this.stub);
  }
}

export function claimOf(answer: ClaimAnswer): SliceClaim {
  if (answer.outcome === "nothing") throw new Error("there was nothing to claim");
  return answer.claim;
}

export function nameOf({ slice, attempt }: SliceClaim) {
  return { from: slice.from, attempt };
}

export function resultOf({ slice, attempt }: SliceClaim): SliceResult {
  return {
    counts: { succeeded: slice.items, failed: 0 },
    usage: { promptTokens: slice.items, completionTokens: attempt },
    ...{ charged: slice.items, held: 100, errors: [] },
    part: { bytes: slice.items * 7, succeededBytes: slice.items * 7 },
  };
}

/** Claims the next slice and does it. */
export async function workOff(job: Job): Promise<SliceClaim> {
  const claim = claimOf(await job.claim("ticket"));
  expect(await job.commit(nameOf(claim), resultOf(claim))).toBe(true);
  return claim;
}

/** Without any it is as if nobody had ever called the object. */
export function tablesOf({ sql }: DurableObjectStorage): string[] {
  const own = "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'";
  return [...sql.exec<{ name: string }>(own)].map(({ name }) => name);
}

/** Until it holds. Unlike `vi.waitFor` it leaves the test's clock where it is. */
export async function until(check: () => unknown): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return void (await check());
    } catch (failure) {
      if (tries === TRIES_MOST) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

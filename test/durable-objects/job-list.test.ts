// A person's list of Jobs and files.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FileRow } from "../../src/contract/job-list.ts";
import { fileKey } from "../../src/contract/job-store.ts";
import type { JobRecord } from "../../src/contract/jobs.ts";
import { JobList } from "../../src/durable-objects/job-list/job-list.ts";
import type { ObjectBindings } from "../../src/durable-objects/objects.ts";
import { NOON, until } from "./job-under-test.ts";

let personId: string;
/** What Jobs were told, and those that cannot be. */
let told: string[];
let deaf: string[];
let failures: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  personId = crypto.randomUUID();
  [told, deaf, failures] = [[], [], 0];
});
afterEach(() => void vi.useRealTimers());

/** A new object on the same disk, among Jobs that only note what they are told. */
async function wake<T>(run: (list: JobList, storage: DurableObjectStorage) => Promise<T>) {
  const hear = async (jobId: string, word: string) => {
    if (deaf.includes(jobId)) {
      failures += 1;
      throw new Error("unreachable");
    }
    told.push(`${jobId} ${word}`);
  };
  const get = (jobId: string) => ({
    tokensChanged: () => hear(jobId, "tokensChanged"),
    cancel: () => hear(jobId, "cancel"),
  });
  const JOB = { idFromName: (jobId: string) => jobId, get };
  return await runInDurableObject(env.JOB_LIST.getByName(personId), async (_, context) => {
    return await run(
      new JobList(context, { ...env, JOB } as unknown as ObjectBindings),
      context.storage,
    );
  });
}

function record(id: string, rest: Partial<JobRecord> = {}): JobRecord {
  return {
    ...{ id, personId, keyId: "key", name: "", model: "local", state: "running", pause: null },
    ...{ counts: { total: 1, succeeded: 0, failed: 0 }, errors: [], etaSeconds: null },
    ...{ usage: { promptTokens: 0, completionTokens: 0 }, createdAt: NOON, startedAt: null },
    ...{ cancelledAt: null, endedAt: null, removedAt: null, failure: null, batch: null },
    ...{ version: 1, ...rest },
  };
}

const batch = { inputFileId: "file", completionWindow: "24h", metadata: null };
const page = { after: null, limit: 10 };

describe("the list of Jobs", () => {
  test("has each as the newest word says, whatever comes late", async () => {
    await wake(async (list) => {
      await list.put(record("one", { version: 2, state: "paused" }));
      await list.put(record("one", { version: 1, state: "queued" }));
      expect((await list.jobs(page)).rows).toMatchObject([{ state: "paused" }]);
      expect(await list.unended()).toBe(1);
      await list.put(record("one", { version: 3, state: "completed", endedAt: NOON }));
      expect(await list.unended()).toBe(0);
    });
    await wake(async (list) => {
      expect((await list.jobs(page)).rows).toMatchObject([{ state: "completed", version: 3 }]);
      await list.drop("one");
      expect(await list.jobs(page)).toEqual({ rows: [], next: null });
    });
  });

  test("has pages, the newest first, with one Job on one of them", async () => {
    await wake(async (list) => {
      for (const [at, id] of ["c", "a", "e", "b", "d"].entries()) {
        await list.put(record(id, { createdAt: NOON + Math.floor(at / 2) }));
      }
      const ids: string[][] = [];
      for (let after: string | null = null, turn = 0; turn < 3; turn += 1) {
        const { rows, next } = await list.jobs({ after, limit: 2 });
        ids.push(rows.map(({ id }) => id));
        after = next;
        if (turn === 2) expect(next).toBeNull();
      }
      expect(ids).toEqual([["d", "e"], ["b", "c"], ["a"]]);
      expect(await list.jobs({ after: "unknown", limit: 2 })).toEqual({ rows: [], next: null });
      expect((await list.jobs({ after: null, limit: 5 })).next).toBeNull();
    });
  });

  test("has batches alone for whoever asks for these", async () => {
    await wake(async (list) => {
      await list.put(record("job"));
      await list.put(record("batch", { batch }));
      const { rows } = await list.jobs({ ...page, batches: true });
      expect(rows.map(({ id }) => id)).toEqual(["batch"]);
    });
  });
});

describe("a word to all Jobs", () => {
  test("is told to each that has not ended", async () => {
    await wake(async (list) => {
      for (const id of ["one", "two"]) await list.put(record(id));
      await list.put(record("over", { endedAt: NOON }));
      await list.tokensChanged();
      await until(() => expect(told.sort()).toEqual(["one tokensChanged", "two tokensChanged"]));
      await list.cancelAll();
      await until(() => expect(told).toHaveLength(4));
    });
  });

  test("is said again to whom it did not reach, though the object was gone, and keeps none waiting", async () => {
    deaf = Array.from({ length: 60 }, (_, at) => `deaf ${at}`);
    await wake(async (list, storage) => {
      for (const id of [...deaf, "hears"]) await list.put(record(id));
      await list.cancelAll();
      await until(() => expect(failures).toBeGreaterThan(0));
      await until(async () => expect(await storage.getAlarm()).toBeLessThanOrEqual(NOON + 1_000));
      vi.setSystemTime(NOON + 1_000);
      await list.alarm();
      await until(() => expect(told).toEqual(["hears cancel"]));
    });
    deaf = [];
    await wake(async (list) => {
      await list.alarm();
      await until(() => expect(new Set(told).size).toBe(61));
    });
  });

  test("is no answer to the one that came while it was on its way", async () => {
    await wake(async (list) => {
      await list.put(record("one"));
      await Promise.all([list.tokensChanged(), list.tokensChanged()]);
      await until(() => expect(told).toEqual(["one tokensChanged", "one tokensChanged"]));
    });
  });
});

describe("files", () => {
  function file(id: string, rest: Partial<FileRow> = {}): FileRow {
    const removedAt = NOON + 1_000;
    return { id, name: "input.jsonl", bytes: 1, createdAt: NOON, removedAt, ...rest };
  }

  const bytesOf = (id: string) => env.JOB_STORE.head(fileKey(personId, id));

  async function upload(list: JobList, one: FileRow): Promise<void> {
    await env.JOB_STORE.put(fileKey(personId, one.id), "x");
    await list.putFile(one);
  }

  test("are found, listed on pages, and removed with their bytes", async () => {
    await wake(async (list) => {
      for (const id of ["a", "b", "c"]) await upload(list, file(id));
      expect(await list.file("b")).toEqual(file("b"));
      const first = await list.files({ after: null, limit: 2 });
      expect(first).toMatchObject({ rows: [{ id: "c" }, { id: "b" }], next: "b" });
      expect(await list.removeFile("b")).toBe(true);
      expect([await list.file("b"), await bytesOf("b")]).toEqual([null, null]);
      expect(await list.removeFile("b")).toBe(false);
      expect((await list.files({ after: null, limit: 9 })).rows).toHaveLength(2);
      expect(await bytesOf("a")).not.toBeNull();
    });
  });

  test("go with their bytes when their days are over, by alarm", async () => {
    await wake(async (list, storage) => {
      await upload(list, file("soon"));
      await upload(list, file("later", { removedAt: NOON + 2_000 }));
      expect(await storage.getAlarm()).toBe(NOON + 1_000);
    });
    vi.setSystemTime(NOON + 1_000);
    await wake(async (list, storage) => {
      expect(await list.file("soon")).toBeNull();
      expect((await list.files({ after: null, limit: 9 })).rows).toMatchObject([{ id: "later" }]);
      await until(async () => expect(await bytesOf("soon")).toBeNull());
      await until(async () => expect(await storage.getAlarm()).toBe(NOON + 2_000));
      expect(await bytesOf("later")).not.toBeNull();
    });
  });
});

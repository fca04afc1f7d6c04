// What the routes cannot show: that a remembered judgement is the same, and that an upload which was
// given up is not left in the store's care.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCompletionRequest } from "../../../src/contract/completion-request.ts";
import { hex } from "../../../src/core/hex.ts";
import type { ServedModel } from "../../../src/worker/environment.ts";
import { readBytes } from "../../../src/worker/jobs/job-lines.ts";
import { ItemParser } from "../../../src/worker/jobs/parse-item.ts";
import { ItemJudge } from "../../../src/worker/jobs/take-in-judge.ts";
import { StoreUpload } from "../../../src/worker/jobs/take-in-upload.ts";
import { testModel, validBody } from "../../contract/arbitrary-completion.ts";

const services = {
  models: new Map([[testModel.id, { model: testModel } as unknown as ServedModel]]),
};

/** Bodies that share parameters, and such that are wrong in their prompt, seed or elsewhere. */
const prompt = fc.constantFrom<unknown>(
  "a",
  "",
  ["a", "b"],
  ["a"],
  [1, 2],
  [5_000],
  [[1]],
  [],
  5,
  null,
);
const seed = fc.constantFrom<unknown>(undefined, null, 0, 7, -1, 1.5, "1", 2 ** 53, true);
const others = fc.constantFrom<object>(
  {},
  { n: 2 },
  { n: 128 },
  { stream: true },
  { logprobs: -1, return_tokens_as_token_ids: true },
  { prompt_logprobs: -1 },
  { temperature: 9 },
);
const similar = fc
  .tuple(prompt, seed, others)
  .map(([one, drawn, more]) => ({ model: testModel.id, prompt: one, seed: drawn, ...more }));

/** Each is a handful of judgements, which cost most under workerd's debugger. */
const JUDGED_LISTS = 60;

const bodies = fc.array(fc.oneof(similar, validBody), { minLength: 2, maxLength: 6 });

describe("an item's request", () => {
  test("is that of a live Completion, seed and all, whatever was parsed before", () => {
    fc.assert(
      fc.property(bodies, (all) => {
        const parser = new ItemParser();
        for (const body of all) expect(parser.parse(body)).toEqual(parseCompletionRequest(body));
      }),
      { numRuns: JUDGED_LISTS },
    );
  });
});

describe("an item's judgement", () => {
  test("is the same whatever was judged before", () => {
    fc.assert(
      fc.property(bodies, (all) => {
        const judge = new ItemJudge(services);
        for (const body of all)
          expect(judge.judge(body)).toEqual(new ItemJudge(services).judge(body));
      }),
      { numRuns: JUDGED_LISTS },
    );
  });
});

describe("a body that is read", () => {
  const bytesOf = async (size: number, most: number) => {
    let seen = 0;
    const body = new Blob([new Uint8Array(size)]).stream();
    const onBytes = async ({ length }: Uint8Array) => {
      seen += length;
    };
    await readBytes(body, onBytes, most);
    return seen;
  };

  test("is refused when it has more bytes than may be, and not before", async () => {
    const most = 700_000;
    expect(await bytesOf(most, most)).toBe(most);
    const refused = { error: { code: "request_too_large" } };
    await expect(bytesOf(most + 1, most)).rejects.toMatchObject(refused);
  });
});

describe("an upload into the store", () => {
  const PART = 5 * 1024 * 1024;

  const digest = async (bytes: Uint8Array<ArrayBuffer>) =>
    hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

  test.each([0, 1, PART, PART + 1, 2 * PART + 7])(
    "of %i bytes is what was written, and tells its hash",
    async (size) => {
      const key = `test/${crypto.randomUUID()}`;
      const upload = new StoreUpload(env.JOB_STORE, key);
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; at += 65_536)
        crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      for (let at = 0; at < size; at += 1_000_003) {
        upload.write(bytes.subarray(at, at + 1_000_003));
        await upload.drain();
      }
      const hash = await upload.finish();
      const object = await env.JOB_STORE.get(key);
      const there = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
      expect([there.length, await digest(there), hash]).toEqual([
        ...[size, await digest(bytes), await digest(bytes)],
      ]);
    },
    30_000,
  );

  test("that is given up ends the store's own upload too", async () => {
    const key = `test/${crypto.randomUUID()}`;
    let uploadId = "";
    const store = {
      createMultipartUpload: async (name: string) => {
        const started = await env.JOB_STORE.createMultipartUpload(name);
        uploadId = started.uploadId;
        return started;
      },
    } as unknown as R2Bucket;
    const upload = new StoreUpload(store, key);
    upload.write(new Uint8Array(PART));
    await upload.drain();
    await upload.abort();
    const late = env.JOB_STORE.resumeMultipartUpload(key, uploadId).uploadPart(2, "x");
    await expect(late).rejects.toThrow();
    expect(await env.JOB_STORE.head(key)).toBeNull();
  });
});

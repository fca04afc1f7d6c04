// `POST /v1/jobs`: what becomes a Job, and what is refused and leaves nothing.
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import {
  JOB_ITEMS_MOST,
  JOB_JSON_MAX_BYTES,
  JOB_LINE_MAX_BYTES,
  SLICE_ITEMS_MOST,
} from "../../../src/contract/job-limits.ts";
import { jobOf } from "../../../src/durable-objects/objects.ts";
import { call, errorOf, newPerson, read } from "../calling.ts";
import {
  claimAll,
  inputOf,
  line,
  model,
  postJob,
  postLines,
  type ShownJob,
  stored,
  storedText,
} from "./submitting.ts";

/** Megabytes through workerd take seconds on a machine that is busy. */
const LARGE_MS = 30_000;

const SECRET = "a prompt that nobody else may read";
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => line(`c${at}`)).join("\n");

describe("a Job", () => {
  test("of prompts has an item for each, with what they share", async () => {
    const person = await newPerson();
    const params = { max_tokens: 3, seed: 7 };
    const job = await read<ShownJob>(
      postJob(person.key, { name: "a name", model, params, prompts: ["a", [1, 2]] }),
    );
    expect(job).toMatchObject({ object: "job", name: "a name", model, progress: { total: 2 } });
    expect(job.id).toMatch(/^job_[0-9a-z]{26}$/);
    expect(await inputOf(person)).toEqual([
      { custom_id: "item-0", body: { ...params, model, prompt: "a" } },
      { custom_id: "item-1", body: { ...params, model, prompt: [1, 2] } },
    ]);
  });

  test("of completions has each as it was sent", async () => {
    const person = await newPerson();
    const body = { model, prompt: "a", logit_bias: { "5": 1 }, user: null };
    await read(postJob(person.key, { completions: [{ custom_id: "one", body }] }));
    expect(await inputOf(person)).toEqual([{ custom_id: "one", body }]);
  });

  test("of lines takes blank ones, other line ends and none at the end", async () => {
    const person = await newPerson();
    const body = `\n${line("a")}\r\n\r\n   \n${line("ü😀", { prompt: "😀" })}`;
    const job = await read<ShownJob>(postLines(person.key, body, { query: "?name=n%C3%BC" }));
    expect(job).toMatchObject({ name: "nü", progress: { total: 2 } });
    const input = await inputOf(person);
    expect(input.map(({ custom_id }) => custom_id)).toEqual(["a", "ü😀"]);
  });

  test("is cut into slices on the way", async () => {
    const person = await newPerson();
    const large = { prompt_logprobs: -1, prompt: Array(60).fill(1) };
    const body = `${lines(SLICE_ITEMS_MOST + 8)}\n${line("large", large)}\n${line("after")}`;
    const { id } = await read<ShownJob>(postLines(person.key, body));
    const slices = await claimAll(id);
    expect(slices.map(({ from, items, large: alone }) => [from, items, alone])).toEqual([
      ...[
        [0, SLICE_ITEMS_MOST, false],
        [SLICE_ITEMS_MOST, 8, false],
        [SLICE_ITEMS_MOST + 8, 1, true],
        [SLICE_ITEMS_MOST + 9, 1, false],
      ],
    ]);
  });

  test(
    "larger than one part of the store is the same, byte by byte",
    async () => {
      const person = await newPerson();
      const prompt = (at: number) => `${at} ${"ü".repeat(700)}`.repeat(2);
      const sent = Array.from({ length: 4_200 }, (_, at) => line(`c${at}`, { prompt: prompt(at) }));
      const body = sent.join("\n");
      expect(body.length).toBeGreaterThan(5 * 1024 * 1024);
      await read(postLines(person.key, body));
      const [key = ""] = await stored(person);
      const expected = sent.map((one) => {
        const { custom_id, body: own } = JSON.parse(one);
        return `${JSON.stringify({ custom_id, body: own })}\n`;
      });
      // Compared by the engine: a difference of megabytes is not to be printed.
      expect((await storedText(key)) === expected.join("")).toBe(true);
    },
    LARGE_MS,
  );
});

describe("a refused Job", () => {
  test.each<[string, string, string | null, string]>([
    ["no JSON", `{"custom_id": ${SECRET}`, null, "It is no valid JSON"],
    ["a field of the line", line("x", {}, { bdy: 1 }), "bdy", "did you mean `body`?"],
    ["another url", line("x", {}, { url: "/v1/chat/completions" }), "url", "/v1/completions"],
    ["no custom_id", line(undefined), "custom_id", "custom_id"],
    ["one that was there", line("c1"), "custom_id", "twice"],
    ["a field of the body", line("x", { top_logprobs: 1 }), "body.top_logprobs", "`logprobs`?"],
    ["a type", line("x", { n: "2" }), "body.n", "`n` must be"],
    ["a range", line("x", { temperature: 9 }), "body.temperature", "`temperature` must be"],
    ["a combination", line("x", { n: 2, temperature: 0 }), "body.n", "greedy"],
    ["a stream", line("x", { stream: true }), "body.stream", "read as a file"],
    ["an empty prompt", line("x", { prompt: "" }), "body.prompt", "is empty"],
    ["an id that is none", line("x", { prompt: [10 ** 6] }), "body.prompt", "vocabulary"],
    ["another Model", line("x", { model: "local" }), "body.model", "one Model"],
    ["no body", JSON.stringify({ custom_id: "x", body: SECRET }), "body", "must be a JSON object"],
  ])("names line and field: %s", async (_, bad, param, says) => {
    const person = await newPerson();
    const error = await errorOf(postLines(person.key, `${lines(2)}\n\n${bad}\n${line("c9")}`));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
    expect(error.message).toMatch(/^Line 4: /);
    expect(error.message).toContain(says);
    expect(error.message).not.toContain(SECRET);
    expect(await stored(person)).toEqual([]);
  });

  test("has all problems of the line, and no other line's", async () => {
    const { key } = await newPerson();
    const body = `${line("a", { n: 0, top_p: 5 })}\n${line("b", { min_p: 3 })}`;
    const { message } = await errorOf(postLines(key, body));
    expect(message).toContain("Line 1: 2 problems.");
    expect(message).not.toContain("min_p");
  });

  test("has the live code where that is another", async () => {
    const { key } = await newPerson();
    const refused = (body: object) => errorOf(postLines(key, line("a", body)));
    expect(await refused({ model: "none" })).toMatchObject({
      ...{ status: 404, code: "model_not_found", param: "body.model" },
    });
    expect(await refused({ prompt: Array(5_000).fill(1) })).toMatchObject({
      ...{ status: 400, code: "context_length_exceeded" },
    });
    expect(await refused({ prompt: Array(65).fill(1), prompt_logprobs: -1 })).toMatchObject({
      ...{ status: 400, code: "whole_vocabulary_too_large" },
    });
  });

  test.each<[string, object, string | null, RegExp]>([
    ["a prompt", { model, prompts: ["a", 5] }, "prompts.1", /^Prompt 2: /],
    ["a param", { model, params: { n: 0 }, prompts: ["a"] }, "params.n", /^Prompt 1: /],
    ["a Model", { prompts: ["a"] }, "model", /^Prompt 1: `model` is required/],
    [
      "a completion's field",
      { completions: [{ custom_id: "a", body: { model, prompt: "a", n: 0 } }] },
      "completions.0.body.n",
      /^Completion 1: /,
    ],
    ["a completion", { completions: [{ body: {} }] }, "completions.0.custom_id", /^Completion 1: /],
    ["the whole", { prompts: [] }, "prompts", /^`prompts` must be a list/],
  ])("as JSON names %s", async (_, body, param, says) => {
    const person = await newPerson();
    const error = await errorOf(postJob(person.key, body));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
    expect(error.message).toMatch(says);
    expect(await stored(person)).toEqual([]);
  });

  test("has no item", async () => {
    const person = await newPerson();
    const nothing = await errorOf(postLines(person.key, "\n \n"));
    expect(nothing).toMatchObject({ status: 400, code: "invalid_request" });
    expect(nothing.message).toContain("There is no item");
    expect(await stored(person)).toEqual([]);
  });

  test(
    "has too many items",
    async () => {
      const person = await newPerson();
      const many = Array.from({ length: JOB_ITEMS_MOST + 1 }, (_, at) => line(at.toString(36)));
      const error = await errorOf(postLines(person.key, many.join("\n")));
      expect(error).toMatchObject({ status: 400, code: "invalid_request" });
      expect(error.message).toContain(`Line ${JOB_ITEMS_MOST + 1}: `);
      expect(await stored(person)).toEqual([]);
    },
    LARGE_MS,
  );

  test(
    "has a line or a body with too many bytes",
    async () => {
      const person = await newPerson();
      const long = line("a", { prompt: "x".repeat(JOB_LINE_MAX_BYTES) });
      const tooLong = await errorOf(postLines(person.key, `${line("b")}\n${long}`));
      expect(tooLong).toMatchObject({ status: 413, code: "request_too_large" });
      expect(tooLong.message).toContain("Line 2 ");
      const json = { model, prompts: ["x".repeat(JOB_JSON_MAX_BYTES)] };
      expect(await errorOf(postJob(person.key, json))).toMatchObject({ status: 413 });
      expect(await stored(person)).toEqual([]);
    },
    LARGE_MS,
  );

  test("is of another type, or asks by the query for what is not there", async () => {
    const { key } = await newPerson();
    const text = { headers: { "content-type": "text/plain" } };
    expect(await errorOf(postLines(key, line("a"), text))).toMatchObject({ status: 415 });
    for (const query of ["?nam=x", "?name=", `?name=${"x".repeat(201)}`]) {
      expect(await errorOf(postLines(key, line("a"), { query }))).toMatchObject({ status: 400 });
    }
  });

  test("is no UTF-8", async () => {
    const { key } = await newPerson();
    const bytes = new TextEncoder().encode(`${line("a")}\n${line("b", { prompt: "x" })}`);
    bytes[bytes.lastIndexOf(0x78)] = 0xff;
    expect((await errorOf(postLines(key, bytes))).message).toContain("Line 2: ");
  });
});

test("an upload that breaks off leaves nothing, however much was there", async () => {
  const person = await newPerson();
  const client = new AbortController();
  const sent = Promise.withResolvers<void>();
  const body = new ReadableStream({
    start(controller) {
      const text = line("a", { prompt: "x".repeat(6 * 1024 * 1024) });
      controller.enqueue(new TextEncoder().encode(`${text}\n`));
      sent.resolve();
    },
  });
  const posted = postLines(person.key, body, { signal: client.signal }).catch(() => null);
  await sent.promise;
  client.abort();
  await posted;
  await vi.waitFor(async () => expect(await stored(person)).toEqual([]));
});

describe("an Idempotency-Key", () => {
  const key = { headers: { "idempotency-key": "a night's run" } };

  test("makes a repeat the same Job, with one input", async () => {
    const person = await newPerson();
    const first = await read<ShownJob>(postLines(person.key, lines(3), key));
    const again = await read<ShownJob>(postLines(person.key, lines(3), key));
    expect(again.id).toBe(first.id);
    expect(await inputOf(person)).toHaveLength(3);
    const { data } = await read<{ data: ShownJob[] }>(call("/v1/jobs", { key: person.key }));
    expect(data).toHaveLength(1);
  });

  test("is refused with other content, and the first Job keeps its input", async () => {
    const person = await newPerson();
    await read(postLines(person.key, lines(3), key));
    const refused = { status: 409, code: "idempotency_conflict", retry: "false" };
    expect(await errorOf(postLines(person.key, lines(4), key))).toMatchObject(refused);
    const renamed = postLines(person.key, lines(3), { ...key, query: "?name=other" });
    expect(await errorOf(renamed)).toMatchObject(refused);
    expect(await inputOf(person)).toHaveLength(3);
  });

  test("of two submits at the same time gives one Job its own input", async () => {
    const person = await newPerson();
    const answers = await Promise.all(
      [3, 4].map((count) => postLines(person.key, lines(count), key)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const won = answers.find(({ status }) => status === 200);
    const job = (await won?.json()) as ShownJob;
    expect(await inputOf(person)).toHaveLength(job.progress.total);
  });

  test("is each person's own", async () => {
    const [one, other] = [await newPerson(), await newPerson()];
    const first = await read<ShownJob>(postLines(one.key, lines(1), key));
    const second = await read<ShownJob>(postLines(other.key, lines(2), key));
    expect(second.id).not.toBe(first.id);
  });

  test("has 1 to 255 characters", async () => {
    const { key: apiKey } = await newPerson();
    const headers = { "idempotency-key": "x".repeat(256) };
    expect(await errorOf(postLines(apiKey, lines(1), { headers }))).toMatchObject({ status: 400 });
  });
});

test("a submit counts as a start, also one that is refused", async () => {
  const person = await newPerson({ limits: { starts_per_minute: 2 } });
  await postLines(person.key, lines(1));
  await postLines(person.key, "nothing");
  const refused = errorOf(postLines(person.key, lines(1)));
  expect(await refused).toMatchObject({ status: 429, code: "rate_limited", retry: "true" });
});

test("the Job's object knows whose it is and by which key", async () => {
  const person = await newPerson();
  const { id } = await read<ShownJob>(postLines(person.key, lines(1)));
  const record = await jobOf(env, id).record();
  expect(record).toMatchObject({ personId: person.id, keyId: person.keyId, batch: null });
});

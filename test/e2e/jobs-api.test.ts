// Jobs from outside, on the whole stack: OpenAI's SDK with files and batches, a Job that waits for
// tokens, downloads by range, cancelling, and uploads that are refused on the way.
import { toFile } from "openai";
import { afterEach, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { errorOf, newPerson, type Person } from "./person.ts";
import { until } from "./until.ts";

const stack = inject("stack");
const engine = new Engine(stack);

/** Each costs 10 tokens exactly. */
const TOKENS_AN_ITEM = 10;
const params = { max_tokens: 8, ignore_eos: true };
const prompt = [1, 2];

afterEach(async () => {
  await engine.disarm();
  await engine.idle();
});

interface Job {
  id: string;
  state: string;
  pause: { reason: string; message: string; budget?: { available: number } } | null;
  progress: { total: number; succeeded: number; failed: number; tokens: number };
}

interface ResultLine {
  custom_id: string;
  response: { status_code: number; body: { choices: unknown[]; usage: { total_tokens: number } } };
  error: null | { code: string };
}

async function submit(person: Person, items: number): Promise<Job> {
  const prompts = Array.from({ length: items }, () => prompt);
  const response = await person.call("POST", "/v1/jobs", { model: "local", params, prompts });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Job;
}

async function show(person: Person, id: string): Promise<Job> {
  return (await (await person.call("GET", `/v1/jobs/${id}`)).json()) as Job;
}

function reaches(person: Person, id: string, state: string): Promise<Job> {
  return until(
    `${state} of the Job`,
    () => show(person, id),
    (job) => job.state === state,
  );
}

function results(person: Person, id: string, headers = {}): Promise<Response> {
  return person.call("GET", `/v1/jobs/${id}/results`, undefined, headers);
}

function linesOf(text: string): ResultLine[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ResultLine);
}

describe("OpenAI's SDK", () => {
  it("runs a batch from its file to its output, in the file's order, charged once", async () => {
    const person = await newPerson(stack);
    const client = person.sdk();
    const ids = Array.from({ length: 50 }, (_, at) => `request-${at}`);
    const requests = ids.map((custom_id) =>
      JSON.stringify({
        ...{ custom_id, method: "POST", url: "/v1/completions" },
        body: { model: "local", prompt, ...params },
      }),
    );
    const upload = await toFile(Buffer.from(requests.join("\n")), "batch.jsonl");
    const file = await client.files.create({ file: upload, purpose: "batch" });
    const created = await client.batches.create({
      endpoint: "/v1/completions",
      input_file_id: file.id,
      completion_window: "24h",
      metadata: { run: "first" },
    });
    const batch = await until(
      "the end of the batch",
      () => client.batches.retrieve(created.id),
      ({ status }) => status === "completed",
    );
    expect(batch.metadata).toEqual({ run: "first" });
    expect(batch.request_counts).toEqual({ total: 50, completed: 50, failed: 0 });
    expect(batch.error_file_id).toBeNull();
    const content = await client.files.content(batch.output_file_id ?? "");
    const lines = linesOf(await content.text());
    expect(lines.map(({ custom_id }) => custom_id)).toEqual(ids);
    for (const { response, error } of lines) {
      expect([response.status_code, error]).toEqual([200, null]);
      expect(response.body.usage.total_tokens).toBe(TOKENS_AN_ITEM);
    }
    expect((await person.settled()).spent).toBe(50 * TOKENS_AN_ITEM);
    const listed = [];
    for await (const one of client.batches.list({ limit: 1 })) listed.push(one.id);
    expect(listed).toEqual([batch.id]);
    const files = [];
    for await (const one of client.files.list()) files.push(one.id);
    expect(files).toEqual([file.id]);
    expect(await client.files.delete(file.id)).toMatchObject({ deleted: true });
  });

  it("is told at once what is wrong with a line, and which one", async () => {
    const client = (await newPerson(stack)).sdk();
    const request = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body: {} };
    const upload = await toFile(Buffer.from(JSON.stringify(request)), "chat.jsonl");
    const file = await client.files.create({ file: upload, purpose: "batch" });
    const creating = client.batches.create({
      endpoint: "/v1/completions",
      input_file_id: file.id,
      completion_window: "24h",
    });
    await expect(creating).rejects.toMatchObject({
      ...{ status: 400, code: "invalid_request", param: "url" },
      message: expect.stringContaining("Line 1: "),
    });
  });
});

describe("a Job without the tokens for all of it", () => {
  it("pauses, says so, and goes on by itself after a Grant", async () => {
    const person = await newPerson(stack, { tokens: 25 * TOKENS_AN_ITEM + 3 });
    const { id } = await submit(person, 40);
    const paused = await reaches(person, id, "paused");
    expect(paused.pause).toMatchObject({ reason: "budget_exceeded" });
    expect(paused.pause?.message).toContain("Ask for more tokens");
    expect(paused.progress.succeeded).toBe(25);
    expect(await person.settled()).toMatchObject({ held: 0, available: 3 });
    await person.grant(1_000);
    const { progress } = await reaches(person, id, "completed");
    expect(progress).toMatchObject({ total: 40, succeeded: 40, failed: 0 });
    expect((await person.settled()).spent).toBe(40 * TOKENS_AN_ITEM);
    expect(linesOf(await (await results(person, id)).text())).toHaveLength(40);
  });
});

describe("a download", () => {
  it("goes on by range where it was cut off, also from one while the Job ran", async () => {
    const person = await newPerson(stack, { tokens: 70 * TOKENS_AN_ITEM });
    const { id } = await submit(person, 100);
    await reaches(person, id, "paused");
    const early = await results(person, id);
    expect(early.headers.get("x-job-complete")).toBe("false");
    const part = new Uint8Array(await early.arrayBuffer());
    expect(part.length).toBeGreaterThan(0);
    await person.grant(10_000);
    await reaches(person, id, "completed");
    const etag = early.headers.get("etag") ?? "";
    const range = `bytes=${part.length}-`;
    const rest = await results(person, id, { range, "if-range": etag });
    expect(rest.status).toBe(206);
    const whole = Buffer.concat([part, new Uint8Array(await rest.arrayBuffer())]);
    const response = await results(person, id);
    expect(response.headers.get("x-job-complete")).toBe("true");
    const text = await response.text();
    expect(whole.toString()).toBe(text);
    expect(linesOf(text)).toHaveLength(100);
  });
});

describe("cancelling", () => {
  it("stops what runs, and keeps and charges what is done", async () => {
    const person = await newPerson(stack);
    await engine.arm("hang", { count: 6 });
    const { id } = await submit(person, 200);
    await until(
      "all that hang",
      () => engine.counters(),
      ({ running }) => running >= 6,
    );
    await person.call("POST", `/v1/jobs/${id}/cancel`);
    const { progress } = await reaches(person, id, "cancelled");
    await engine.idle();
    const lines = linesOf(await (await results(person, id)).text());
    expect(lines).toHaveLength(progress.succeeded);
    expect(progress.succeeded).toBeLessThan(200);
    expect((await person.settled()).spent).toBe(progress.succeeded * TOKENS_AN_ITEM);
  });
});

describe("an upload", () => {
  /** Far more than the buffers between the two ends hold. */
  const rest = `\n${"x".repeat(1_000)}`.repeat(30_000);
  const post = (person: Person, body: string) =>
    fetch(`${stack.api}/jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${person.key}`, "content-type": "application/x-ndjson" },
      body,
    });

  it("whose first line is wrong is answered, however much is still to come", async () => {
    const person = await newPerson(stack);
    const response = await post(person, `nothing${rest}`);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toContain("Line 1: ");
  });

  it("by a key that is worth nothing is refused so too", async () => {
    const person = await newPerson(stack);
    await person.revoke("leaked");
    const response = await post(person, rest);
    expect(response.status).toBe(401);
    expect((await errorOf(response)).message).toContain("leaked");
  });
});

describe("items that go to the engine in one request", () => {
  it.each([
    ["breaks off", "bundle-cut", { count: 1, at: 2 }],
    ["has no room for one of them", "429", { count: 1 }],
  ])("have their answers, each charged once, where it %s", async (_, fault, settings) => {
    const person = await newPerson(stack, { tokens: 100_000 });
    await engine.arm(fault, settings);
    const job = await submit(person, 20);
    const { progress } = await reaches(person, job.id, "completed");
    expect(progress).toMatchObject({ total: 20, succeeded: 20, failed: 0 });
    const lines = linesOf(await (await results(person, job.id)).text());
    expect(lines.map(({ response }) => response.body.usage.total_tokens)).toEqual(
      Array(20).fill(TOKENS_AN_ITEM),
    );
    expect((await person.settled()).spent).toBe(20 * TOKENS_AN_ITEM);
  });

  it.each([
    { logprobs: 2, prompt_logprobs: 1 },
    { echo: true, logprobs: 2 },
    { echo: true, return_token_ids: true },
    { temperature: 0, stop: "the", return_tokens_as_token_ids: true, logprobs: 1 },
  ])(
    "get the bytes and the usage that live Completions get with their seeds: %o",
    async (fields) => {
      const person = await newPerson(stack, { tokens: 100_000 });
      const shared = { max_tokens: 6, ...fields };
      const prompts = ["Call me", "The whale", "Call me", "é\u00e9 \u4e2d", '"],"usage":{', "x"];
      const submitted = await person.call("POST", "/v1/jobs", {
        ...{ model: "local", params: shared, prompts },
      });
      const { id } = (await submitted.json()) as Job;
      await reaches(person, id, "completed");
      const lines = (await (await results(person, id)).text()).split("\n").slice(0, -1);
      const seeds = lines.map(
        (line) => (JSON.parse(line) as { response: { seed: number } }).response.seed,
      );
      expect(new Set(seeds).size).toBe(prompts.length);
      const live = await Promise.all(
        prompts.map(async (prompt, at) => {
          const body = { model: "local", prompt, ...shared, seed: seeds[at] };
          return (await person.call("POST", "/v1/completions", body)).text();
        }),
      );
      // What is in between names the request and its time.
      const fromChoices = (text: string) => text.slice(text.indexOf(',"choices":['));
      const own = lines.map((line) => fromChoices(line).replace(/\},"error":null\}$/, ""));
      expect(own).toEqual(live.map(fromChoices));
    },
  );
});

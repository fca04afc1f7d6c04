// Every way in which the engine can fail a stream: what the client sees, what it costs, and that
// the engine works for nobody afterwards.
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { readStream } from "./event-stream.ts";
import { errorOf, newPerson, type Person } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const secret = "sesame sesame";
const streamed = { prompt: secret, stream: true, max_tokens: 12, ignore_eos: true, seed: 3 };
let promptTokens: number;
let person: Person;

beforeAll(async () => {
  promptTokens = await engine.countTokens(secret);
});

beforeEach(async () => {
  person = await newPerson(stack);
});

afterEach(async () => {
  leaveAll();
  await engine.disarm();
  await engine.idle();
});

async function spentAtRest(): Promise<number> {
  await engine.idle();
  return (await person.settled()).spent;
}

describe("a backend that fails before a token is answered by a status and costs nothing", () => {
  it.each([
    { fault: "500", status: 502, code: "inference_failed", retryAfter: null },
    { fault: "303", status: 502, code: "inference_failed", retryAfter: null },
    { fault: "html", status: 502, code: "inference_failed", retryAfter: null },
    { fault: "429", status: 503, code: "inference_overloaded", retryAfter: "1" },
    { fault: "only-done", status: 502, code: "inference_failed", retryAfter: null },
    { fault: "error-in-stream", at: 0, status: 502, code: "inference_failed", retryAfter: null },
    { fault: "abort", at: 0, status: 502, code: "inference_failed", retryAfter: null },
    { fault: "cut", at: 0, status: 502, code: "inference_failed", retryAfter: null },
  ])("$fault", async ({ fault, at, status, code, retryAfter }) => {
    await engine.arm(fault, at === undefined ? {} : { at });
    const response = await person.complete(streamed);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("retry-after")).toBe(retryAfter);
    const error = await errorOf(response);
    expect(error.code).toBe(code);
    expect(error.message).toContain(response.headers.get("x-request-id"));
    expect(error.message).not.toContain("sesame");
    expect(await spentAtRest()).toBe(0);
  });

  it("never-ready, until it is", async () => {
    await engine.arm("never-ready");
    const response = await person.complete(streamed);
    expect(response.status).toBe(503);
    expect(response.headers.get("x-should-retry")).toBe("true");
    expect(await errorOf(response)).toMatchObject({ code: "model_starting" });
    expect(await spentAtRest()).toBe(0);
    await engine.disarm();
    const { done } = readStream(await (await person.complete(streamed)).text());
    expect(done).toBe(true);
  });
});

describe("a backend that fails in mid-stream ends in an error and costs what came", () => {
  it.each([
    { fault: "error-in-stream", at: 1 },
    { fault: "error-in-stream", at: 7 },
    { fault: "abort", at: 5 },
    { fault: "cut", at: 5 },
    { fault: "cut", at: 11 },
  ])("$fault after $at chunks", async ({ fault, at }) => {
    await engine.arm(fault, { at });
    const request = new RawRequest(person, streamed);
    const { status, ended } = await request.ended();
    const { chunks, error, done } = request.stream;
    expect({ status, ended, done }).toEqual({ status: 200, ended: "whole", done: false });
    expect(chunks).toHaveLength(at);
    expect(chunks.every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true);
    expect(error).toMatchObject({ code: "inference_failed", type: "server_error" });
    expect(error?.message).toContain(request.seen.headers["x-request-id"]);
    expect(error?.message).not.toContain("sesame");
    expect(await spentAtRest()).toBe(promptTokens + at);
  });

  it("no-done, though every token came", async () => {
    await engine.arm("no-done");
    const { chunks, error, done } = readStream(await (await person.complete(streamed)).text());
    expect(done).toBe(false);
    expect(error?.code).toBe("inference_failed");
    expect(chunks).toHaveLength(12);
    expect(await spentAtRest()).toBe(promptTokens + 12);
  });

  it("no-usage, which leaves nothing to charge by", async () => {
    await engine.arm("no-usage");
    const { error, done } = readStream(await (await person.complete(streamed)).text());
    expect(done).toBe(false);
    expect(error?.code).toBe("inference_failed");
    expect(await spentAtRest()).toBe(0);
  });

  it("raises in the SDK after the chunks that came", async () => {
    await engine.arm("cut", { at: 4 });
    const { stream: _, ...params } = streamed;
    const stream = await person.sdk().completions.create({
      ...params,
      model: "local",
      stream: true,
    });
    let chunks = 0;
    const reading = async () => {
      for await (const _ of stream) chunks += 1;
    };
    await expect(reading()).rejects.toThrow(/broke off/);
    expect(chunks).toBe(4);
  });
});

describe("a backend that is only clumsy is put right", () => {
  it.each(["drip", "split", "gzip-anyway"])("%s", async (fault) => {
    const fields = { ...streamed, prompt: "“Käse” — ☃", logprobs: 3 };
    const whole = (await (await person.complete(fields)).text()).replaceAll(/"created":\d+/g, "");
    const before = await person.settled();
    await engine.arm(fault, { ms: 1 });
    const failing = (await (await person.complete(fields)).text()).replaceAll(/"created":\d+/g, "");
    expect(idless(failing)).toBe(idless(whole));
    const after = await person.settled();
    expect(after.spent).toBe(2 * before.spent);
  });

  it("passes keys of log-probabilities on, also __proto__ and one key twice", async () => {
    const fields = { ...streamed, logprobs: 2, stream_options: { include_usage: false } };
    await engine.arm("proto");
    const ours = await (await person.complete(fields)).text();
    const direct = await (await engine.complete({ model: "local", ...fields }, "proto")).text();
    expect(ours).toContain('"__proto__"');
    expect(choicesOf(ours)).toEqual(choicesOf(direct));
  });

  it("charges what the backend reports, also above what was asked for", async () => {
    await engine.arm("usage-mismatch");
    const asked = { ...streamed, stream_options: { include_usage: true } };
    const { chunks, done } = readStream(await (await person.complete(asked)).text());
    const usage = chunks.at(-1)?.usage;
    expect(done).toBe(true);
    expect(usage?.completion_tokens).toBeGreaterThan(12);
    expect(await spentAtRest()).toBe(usage?.total_tokens);
  });
});

/** What differs between two answers with the same seed. */
function idless(body: string): string {
  return body.replaceAll(/"id":"[^"]*"/g, "");
}

/** The bytes of each event's choices. */
function choicesOf(body: string): string[] {
  return [...body.matchAll(/"choices":(\[\{.*\}\])[,}]/g)].map(([, choices = ""]) => choices);
}

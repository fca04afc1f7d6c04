import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chunksOf, eventsOf, firstChoice, startTestEngine, type TestEngine } from "./calling.ts";

let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine({ faults: true });
});
afterAll(() => engine.close());

const faults = (method: string, body?: object) =>
  fetch(`${engine.url}/faults`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
afterEach(() => faults("DELETE"));

const asked = { prompt: "It was the", max_tokens: 6, seed: 1, ignore_eos: true };
const plain = (fault: string) => engine.post(asked, { headers: { "x-engine-fault": fault } });
const stream = (fault: string, body = {}) =>
  engine.post({ ...asked, stream: true, ...body }, { headers: { "x-engine-fault": fault } });
const events = async (fault: string, body = {}) =>
  eventsOf(await (await stream(fault, body)).text());

describe("in a stream", () => {
  test("an error comes at its chunk, then [DONE]", async () => {
    const [first, second, error, done] = await events("error-in-stream;at=2");
    for (const chunk of [first, second]) expect(chunk).toMatch(/^\{"id":/);
    expect(error).toBe(
      '{"error": {"message": "Internal server error", "type": "InternalServerError", ' +
        '"param": null, "code": 500}}',
    );
    expect(done).toBe("[DONE]");
    expect(await engine.metric("vllm:num_requests_running")).toBe(0);
  });

  test("an error can be the very first event", async () => {
    expect((await events("error-in-stream;at=0"))[0]).toMatch(/^\{"error": /);
  });

  test("[DONE] can be missing, or be all there is", async () => {
    expect((await events("no-done")).at(-1)).toMatch(/"finish_reason":"length"/);
    expect(await events("only-done")).toEqual(["[DONE]"]);
  });

  test("every choice can end by abort", async () => {
    const chunks = chunksOf(await events("abort;at=2", { n: 2 }));
    const ends = chunks.map(firstChoice).filter((choice) => choice.finish_reason !== null);
    expect(ends.map((choice) => choice.finish_reason)).toEqual(["abort", "abort"]);
  });

  test("the connection can break, and the places are freed", async () => {
    await expect(events("cut;at=2")).rejects.toThrow();
    expect(await engine.metric("vllm:num_requests_running")).toBe(0);
  });

  test("it can get stuck before headers and in the middle, still counted as running", async () => {
    for (const fault of ["hang", "hang-mid;at=1"]) {
      const leaving = new AbortController();
      const headers = { "x-engine-fault": fault };
      const body = { ...asked, stream: true };
      const answer = engine.post(body, { headers, signal: leaving.signal });
      answer.catch(() => undefined);
      await expect.poll(() => engine.metric("vllm:num_requests_running")).toBe(1);
      leaving.abort();
      await expect.poll(() => engine.metric("vllm:num_requests_running")).toBe(0);
    }
  });

  test("split and dripping bytes are the same answer", async () => {
    const texts = async (fault: string) =>
      chunksOf(await events(fault)).map((chunk) => firstChoice(chunk).text);
    const whole = await texts("none");
    expect(await texts("split")).toEqual(whole);
    expect(await texts("drip;ms=0")).toEqual(whole);
  });

  test("split bytes come one at a time", async () => {
    const response = await stream("split");
    const sizes = new Set<number>();
    for await (const part of response.body ?? []) sizes.add(part.length);
    expect(Math.min(...sizes)).toBe(1);
  });

  test("usage can be a lie or be missing", async () => {
    const options = { stream_options: { include_usage: true, continuous_usage_stats: true } };
    const lie = chunksOf(await events("usage-mismatch", options)).at(-1);
    expect(lie?.usage?.completion_tokens).toBeGreaterThan(asked.max_tokens);
    const none = chunksOf(await events("no-usage", options));
    expect(none.every((chunk) => chunk.usage === undefined)).toBe(true);
    expect(none).toHaveLength(6);
  });
});

describe("in a plain answer", () => {
  test("statuses and pages of what stands in front of an engine", async () => {
    const status = async (fault: string) => {
      const headers = { "content-type": "application/json", "x-engine-fault": fault };
      const init = { method: "POST", body: JSON.stringify(asked), headers };
      const response = await fetch(`${engine.url}/v1/completions`, { ...init, redirect: "manual" });
      return [response.status, await response.text()] as const;
    };
    expect((await status("303"))[0]).toBe(303);
    expect((await status("503"))[0]).toBe(503);
    expect((await status("429"))[0]).toBe(429);
    expect(await status("500")).toMatchObject([500, expect.stringContaining('"code":500')]);
    expect(await status("html")).toMatchObject([502, expect.stringContaining("<html>")]);
  });

  test("abort, no usage and too much usage", async () => {
    const body = async (fault: string) => JSON.parse(await (await plain(fault)).text());
    expect((await body("abort;at=2")).choices[0]).toMatchObject({ finish_reason: "abort" });
    expect((await body("no-usage")).usage).toBeNull();
    expect((await body("usage-mismatch")).usage.completion_tokens).toBe(13);
  });

  test("a body that breaks off in the middle", async () => {
    const response = await plain("cut");
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test("gzip that nobody asked for", async () => {
    const response = await plain("gzip-anyway");
    expect(response.headers.get("content-encoding")).toBe("gzip");
    const body = await response.text();
    expect(body).toMatch(/^\{"id":/);
    expect(() => gunzipSync(body)).toThrow();
  });

  test("a token named __proto__ and a text twice in one map", async () => {
    const body = { ...asked, logprobs: 2 };
    const response = await engine.post(body, { headers: { "x-engine-fault": "proto" } });
    const text = await response.text();
    const map = /"top_logprobs":\[\{([^}]*)\}/.exec(text)?.[1] ?? "";
    expect(map).toContain('"__proto__":');
    const keys = [...map.matchAll(/"((?:[^"\\]|\\.)*)":/g)].map((match) => match[1]);
    expect(new Set(keys).size).toBe(keys.length - 1);
  });
});

describe("armed ahead", () => {
  test("a fault strikes the next requests, so often, and then no more", async () => {
    await faults("POST", { fault: "500", count: 2 });
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await engine.post(asked)).status);
    expect(statuses).toEqual([500, 500, 200]);
  });

  test("faults are listed and cleared", async () => {
    await faults("POST", { fault: "cut", count: 3, at: 2 });
    expect(await (await faults("GET")).json()).toEqual({
      faults: [{ fault: "cut", count: 3, at: 2, ms: 20, retry_after: 0 }],
    });
    await faults("DELETE");
    expect((await engine.post(asked)).status).toBe(200);
  });

  test("never ready keeps everything at 503 until it is cleared", async () => {
    await faults("POST", { fault: "never-ready" });
    expect((await fetch(`${engine.url}/health`)).status).toBe(503);
    expect((await engine.post(asked)).status).toBe(503);
    await faults("DELETE");
    expect((await fetch(`${engine.url}/health`)).status).toBe(200);
  });

  test("an unknown fault is refused with the list of them", async () => {
    const response = await faults("POST", { fault: "gremlins" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("error-in-stream");
  });

  test("an engine without --faults has neither the header nor the route", async () => {
    const calm = await startTestEngine();
    const response = await calm.post(asked, { headers: { "x-engine-fault": "500" } });
    expect(response.status).toBe(200);
    expect((await fetch(`${calm.url}/faults`)).status).toBe(404);
    await calm.close();
  });
});

// What reaches the engine: what the gateway writes, and nothing that a client smuggles in.
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { newPerson, type Person } from "./person.ts";
import { RawRequest } from "./raw-request.ts";
import { type RecordingProxy, startRecordingProxy } from "./recording-proxy.ts";
import { type StackProcess, startStack } from "./stack-process.ts";

const shared = inject("stack");
let proxy: RecordingProxy;
let running: StackProcess;
let person: Person;

beforeAll(async () => {
  proxy = await startRecordingProxy(shared);
  const engine = { url: proxy.url, key: shared.engineKey };
  running = await startStack({ engine });
  person = await newPerson(running.stack);
});

afterAll(async () => {
  await running.stop();
  proxy.close();
});

beforeEach(() => {
  proxy.sent.length = 0;
});

/** Headers that vLLM or a proxy before it obeys. */
const smuggled = {
  "x-request-id": "mine",
  "x-vllm-priority": "-100",
  "x-data-parallel-rank": "1",
  "x-session-id": "theirs",
  "x-engine-fault": "500",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "accept-encoding": "gzip",
  "x-forwarded-for": "10.0.0.1",
  cookie: "a=b",
  "x-stainless-retry-count": "1",
};

it("passes no header of the client on", async () => {
  const asked = { model: "local", prompt: "Call me", max_tokens: 1 };
  for (const fields of [asked, { ...asked, stream: true }]) {
    const response = await person.call("POST", "/v1/completions", fields, smuggled);
    expect(response.status).toBe(200);
    await response.text();
    expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  }
  await person.call("POST", "/v1/tokenize", { model: "local", prompt: "a" }, smuggled);
  expect(proxy.sent).toHaveLength(3);
  for (const { headers } of proxy.sent) {
    // `cf-worker` is the runtime's own word on who sends: a Worker cannot leave it out.
    const { authorization, host, connection, "cf-worker": _, ...others } = headers;
    expect(authorization).toBe(`Bearer ${shared.engineKey}`);
    expect([...Object.keys(others)].sort()).toEqual([
      "accept",
      "accept-encoding",
      "content-length",
      "content-type",
      "x-request-id",
    ]);
    expect(others["accept-encoding"]).toBe("identity");
    expect(others["x-request-id"]).toMatch(/^req_/);
    const said = JSON.stringify(headers);
    for (const value of Object.values(smuggled).filter((one) => one.length > 3)) {
      if (value !== "gzip") expect(said).not.toContain(value);
    }
  }
});

it("says every field that has a default, and asks for the usage it charges by", async () => {
  await (await person.complete({ prompt: "a", max_tokens: 1, stream: true, user: "u" })).text();
  const sent = JSON.parse(proxy.sent[0]?.body ?? "{}");
  expect(sent).toMatchObject({
    model: "local",
    max_tokens: 1,
    temperature: 1,
    top_p: 1,
    top_k: 0,
    min_p: 0,
    presence_penalty: 0,
    frequency_penalty: 0,
    repetition_penalty: 1,
    priority: 0,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  });
  expect(Number.isSafeInteger(sent.seed)).toBe(true);
  expect(sent.request_id).toMatch(/^req_/);
  expect(sent).not.toHaveProperty("user");
});

it("salts the prefix cache by person, never by key", async () => {
  const saltOf = async (one: Person) => {
    proxy.sent.length = 0;
    await (await one.complete({ prompt: "a", max_tokens: 1 })).text();
    return JSON.parse(proxy.sent[0]?.body ?? "{}").cache_salt as string;
  };
  const salt = await saltOf(person);
  expect(salt).toMatch(/^[0-9a-f]{64}$/);
  expect(await saltOf(person.with(await person.mint()))).toBe(salt);
  expect(await saltOf(await newPerson(running.stack))).not.toBe(salt);
});

it("forwards token ids exactly, lists of lists too", async () => {
  for (const prompt of [
    [0, 50_256, 17],
    [[1], [2, 3]],
  ]) {
    proxy.sent.length = 0;
    await (await person.complete({ prompt, max_tokens: 1 })).text();
    expect(JSON.parse(proxy.sent[0]?.body ?? "{}").prompt).toEqual(prompt);
  }
});

it("sends nothing of what it refuses", async () => {
  const refused = [
    { prompt: "a", temperature: 5 },
    { prompt: "a", logprobs: 101 },
    { prompt: "", max_tokens: 1 },
    { prompt: "a", prompt_logprobs: 3, stream: true },
    { prompt: [50_257], max_tokens: 1 },
    { prompt: "a", n: 129 },
    // More log-probabilities than a backend's memory holds, by one valid-looking request.
    { prompt: Array(5).fill(Array(8_000).fill(1)), prompt_logprobs: 100 },
  ];
  for (const body of refused) expect((await person.complete(body)).status).toBe(400);
  const poor = await newPerson(running.stack, { tokens: 1 });
  expect((await poor.complete({ prompt: [1, 2], max_tokens: 1 })).status).toBe(429);
  expect(proxy.sent).toHaveLength(0);
});

it("passes no header of the engine on, and says the length of an answer in one way", async () => {
  for (const stream of [false, true]) {
    const request = new RawRequest(person, { prompt: "a", max_tokens: 2, stream });
    const { headers } = await request.ended();
    expect(headers.server).not.toBe("uvicorn");
    expect([headers["content-length"], headers["transfer-encoding"]]).toContain(undefined);
    expect(headers["content-type"]).toBe(
      stream ? "text/event-stream; charset=utf-8" : "application/json",
    );
    expect(headers["x-model-revision"]).toMatch(/^[0-9a-f]{40}$/);
    expect(headers["server-timing"]).toMatch(/^admit;dur=\d+.*inference;dur=\d+/);
  }
});

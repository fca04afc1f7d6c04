// A Model that starts from zero: one start however many wait, answers for all, nothing held or charged
// while waiting, and Cold again when nobody uses it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "./engine.ts";
import { readStream } from "./event-stream.ts";
import { admin, errorOf, newPerson, type Person } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";
import { type Stack, type StackProcess, startStack } from "./stack-process.ts";
import { until } from "./until.ts";

const START_SECONDS = 2;
const IDLE_SECONDS = 2;

interface ModelState {
  state: string;
  starts_total: number;
  starts: { seconds: number }[];
  waiting: number;
  month: { usd: number; container_seconds: number; estimated: boolean };
}

let running: StackProcess;
let stack: Stack;
let engine: Engine;

beforeAll(async () => {
  running = await startStack({
    ...{ coldStartSeconds: START_SECONDS, idleSeconds: IDLE_SECONDS, usdPerHour: 3_600 },
  });
  stack = running.stack;
  engine = new Engine(stack);
});

afterAll(async () => {
  leaveAll();
  await running.stop();
});

async function model(): Promise<ModelState> {
  const { data } = await admin<{ data: ModelState[] }>(stack, "GET", "/models");
  const [local] = data;
  if (local === undefined) throw new Error("no Model is served");
  return local;
}

/** Cold by the gateway's word; the engine, which counts from the same moment, goes a little later. */
async function cold(): Promise<ModelState> {
  const state = await until("a Cold Model", model, ({ state }) => state === "cold");
  await until(
    "a Cold engine",
    () => engine.counters(),
    ({ up }) => up === 0,
  );
  return state;
}

async function warmth(person: Person): Promise<{ warm: string; last: number | null }> {
  const response = await person.call("GET", "/v1/models/local");
  const { warm, last_cold_start_seconds: last } = (await response.json()) as {
    warm: string;
    last_cold_start_seconds: number | null;
  };
  return { warm, last };
}

const asked = { prompt: "Call me", max_tokens: 3, ignore_eos: true };

describe("a Cold Model", () => {
  it("starts once for 40 clients of both kinds, and all get their answer", async () => {
    await cold();
    const before = { engine: await engine.counters(), model: await model() };
    const people = await Promise.all(Array.from({ length: 4 }, () => newPerson(stack)));
    const params = { ...asked, model: "local" };
    const answers = Array.from({ length: 40 }, async (_, at) => {
      const client = (people[at % 4] as Person).sdk();
      if (at % 2 === 0) return (await client.completions.create(params)).usage?.total_tokens;
      const stream = await client.completions.create({
        ...{ ...params, stream: true },
        stream_options: { include_usage: true },
      });
      let tokens: number | undefined;
      for await (const chunk of stream) tokens = chunk.usage?.total_tokens ?? tokens;
      return tokens;
    });
    const totals = await Promise.all(answers);
    expect(new Set(totals).size).toBe(1);
    const after = { engine: await engine.counters(), model: await model() };
    expect(after.engine.coldStarts - before.engine.coldStarts).toBe(1);
    expect(after.model.starts_total - before.model.starts_total).toBe(1);
    const spent = await Promise.all(people.map(async (one) => (await one.settled()).spent));
    expect(spent).toEqual(spent.map(() => 10 * Number(totals[0])));
  });

  it("says that it is starting, then Warm, and how long its start took", async () => {
    await cold();
    const person = await newPerson(stack);
    expect((await warmth(person)).warm).toBe("cold");
    const answer = person.complete(asked);
    await until(
      "a start",
      () => warmth(person),
      ({ warm }) => warm === "starting",
    );
    const response = await answer;
    expect(response.status).toBe(200);
    expect(response.headers.get("server-timing")).toMatch(/cold;dur=\d{4}/);
    await response.text();
    const { warm, last } = await warmth(person);
    expect(warm).toBe("warm");
    expect(last).toBeGreaterThanOrEqual(START_SECONDS);
  });

  it("holds no tokens of who waits, and costs who leaves nothing", async () => {
    await cold();
    const person = await newPerson(stack);
    const request = new RawRequest(person, { ...asked, stream: true });
    await until("somebody who waits", model, ({ waiting }) => waiting === 1);
    expect(await person.tokens()).toMatchObject({ held: 0, spent: 0 });
    request.leave();
    await until("nobody who waits", model, ({ waiting }) => waiting === 0);
    expect(await person.tokens()).toMatchObject({ held: 0, spent: 0 });
    expect(await engine.idle()).toMatchObject({ running: 0 });
  });

  it("refuses a key that is worth nothing before anything starts", async () => {
    await cold();
    const person = await newPerson(stack);
    await person.revoke("leaked");
    const response = await person.complete(asked);
    expect((await errorOf(response)).code).toBe("invalid_api_key");
    expect((await model()).state).toBe("cold");
  });

  it("is metered while it is there, and no longer", async () => {
    const person = await newPerson(stack);
    await (await person.complete(asked)).text();
    await until("a metered second", model, ({ month }) => month.usd > 0);
    const { month } = await cold();
    expect(month.estimated).toBe(true);
    expect(month.usd).toBeCloseTo(month.container_seconds, 3);
    expect((await cold()).month).toEqual(month);
  });
});

describe("the Spend limit", () => {
  it("refuses new Completions once it is reached, and lets them through when it is raised", async () => {
    const person = await newPerson(stack);
    await (await person.complete(asked)).text();
    await admin(stack, "PATCH", "/spend", { limit_usd: 0.01 });
    const refused = await until(
      "a refusal",
      () => person.complete(asked),
      ({ status }) => status === 429,
    );
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect((await errorOf(refused)).code).toBe("spend_cap");
    expect(await person.settled()).toMatchObject({ held: 0 });
    await admin(stack, "PATCH", "/spend", { limit_usd: 1_000_000 });
    await until(
      "an answer",
      () => person.complete(asked),
      ({ status }) => status === 200,
    );
  });

  it("by hand pauses who waits for a start too", async () => {
    await cold();
    const person = await newPerson(stack);
    const waits = person.complete(asked);
    await until("somebody who waits", model, ({ waiting }) => waiting === 1);
    await admin(stack, "PATCH", "/spend", { paused: true });
    expect((await errorOf(await waits)).code).toBe("spend_cap");
    await admin(stack, "PATCH", "/spend", { paused: false });
    await until(
      "an answer",
      () => person.complete(asked),
      ({ status }) => status === 200,
    );
  });
});

describe("a start that outlasts the wait", () => {
  let slow: StackProcess;

  beforeAll(async () => {
    slow = await startStack({ coldStartSeconds: 4, coldHoldSeconds: 1 });
  });

  afterAll(() => slow.stop());

  it("is bridged by the SDK's own retries, plain and streaming, with one start", async () => {
    const person = await newPerson(slow.stack);
    const client = person.sdk({ maxRetries: 2 });
    const params = { ...asked, model: "local" };
    const [plain, stream] = await Promise.all([
      client.completions.create(params),
      client.completions.create({ ...params, stream: true }),
    ]);
    expect(plain.usage?.completion_tokens).toBe(3);
    let chunks = 0;
    for await (const _ of stream) chunks += 1;
    expect(chunks).toBe(3);
    expect((await new Engine(slow.stack).counters()).coldStarts).toBe(1);
  });

  it("of more than ten seconds is bridged for streams by comments, and then flows as ever", async () => {
    const { stack: cold, stop } = await startStack({ coldStartSeconds: 12, idleSeconds: 60 });
    const person = await newPerson(cold);
    const response = await person.complete({ ...asked, stream: true });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-seed")).toMatch(/^\d+$/);
    const text = await response.text();
    const [, events = ""] = /^: waiting for local, about \d+ s\n\n(data: .*)$/s.exec(text) ?? [];
    const { done, error, chunks } = readStream(events);
    expect({ done, error, chunks: chunks.length }).toEqual({ done: true, error: null, chunks: 3 });
    const warm = await person.complete({ ...asked, seed: Number(response.headers.get("x-seed")) });
    const { usage } = (await warm.json()) as { usage: { total_tokens: number } };
    expect(await person.settled()).toMatchObject({ spent: 2 * usage.total_tokens, held: 0 });
    await stop();
  });

  it("is told to a client without retries, with when to come back", async () => {
    const { stack: cold, stop } = await startStack({ coldStartSeconds: 60, coldHoldSeconds: 1 });
    const person = await newPerson(cold);
    const response = await person.complete(asked);
    expect(response.status).toBe(503);
    expect(response.headers.get("x-should-retry")).toBe("true");
    expect(response.headers.get("retry-after")).toBe("5");
    expect((await errorOf(response)).code).toBe("model_starting");
    expect(await person.tokens()).toMatchObject({ held: 0, spent: 0 });
    await stop();
  });
});

// How often the SDK, left to its defaults, calls for one completion: what is of no use is not
// repeated, what helps is, and no earlier than the answer asks.
import OpenAI from "openai";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { newPerson, type Person } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";
import { until } from "./until.ts";

const stack = inject("stack");
const engine = new Engine(stack);
let person: Person;

beforeAll(async () => {
  person = await newPerson(stack);
});

afterEach(async () => {
  leaveAll();
  await engine.disarm();
  await engine.idle();
});

interface Call {
  at: number;
  status: number;
  retryAfterMs: number | null;
}

/** The SDK with its default of two retries, and a record of each call it makes. */
function counted(key: string): { client: OpenAI; calls: Call[] } {
  const calls: Call[] = [];
  const client = new OpenAI({
    baseURL: stack.api,
    apiKey: key,
    fetch: async (url, init) => {
      const at = Date.now();
      const response = await fetch(url, init);
      const header = response.headers.get("retry-after-ms");
      const retryAfterMs = header === null ? null : Number(header);
      calls.push({ at, status: response.status, retryAfterMs });
      return response;
    },
  });
  return { client, calls };
}

const params = { model: "local", prompt: "Call me", max_tokens: 2 };

describe("a refusal that repeating cannot help is called once", () => {
  it("when the body is wrong", async () => {
    const { client, calls } = counted(person.key);
    await expect(client.completions.create({ ...params, n: 0 })).rejects.toThrow(/\bn\b/);
    expect(calls.map(({ status }) => status)).toEqual([400]);
  });

  it("when the key is made up", async () => {
    const { client, calls } = counted(`${person.key.slice(0, -1)}${other(person.key.at(-1))}`);
    await expect(client.completions.create(params)).rejects.toThrow(OpenAI.AuthenticationError);
    expect(calls.map(({ status }) => status)).toEqual([401]);
  });

  it("when the person is disabled", async () => {
    const disabled = await newPerson(stack);
    await disabled.change({ disabled: true });
    const { client, calls } = counted(disabled.key);
    await expect(client.completions.create(params)).rejects.toThrow(OpenAI.PermissionDeniedError);
    expect(calls.map(({ status }) => status)).toEqual([403]);
  });

  it("when there is no such Model", async () => {
    const { client, calls } = counted(person.key);
    const asked = client.completions.create({ ...params, model: "none" });
    await expect(asked).rejects.toThrow(OpenAI.NotFoundError);
    expect(calls.map(({ status }) => status)).toEqual([404]);
  });

  it("when the tokens are too few and nothing of the caller's runs", async () => {
    const poor = await newPerson(stack, { tokens: 1 });
    const { client, calls } = counted(poor.key);
    const asked = client.completions.create(params);
    await expect(asked).rejects.toMatchObject({ status: 429, code: "budget_exceeded" });
    expect(calls.map(({ status }) => status)).toEqual([429]);
  });
});

describe("a refusal that passes is repeated", () => {
  it("when the minute's starts are used up, no earlier than the answer says", async () => {
    const limits = { starts_per_minute: 60 };
    const fast = await newPerson(stack, { limits });
    const burst = Array.from({ length: 60 }, () => fast.complete({ prompt: "a", max_tokens: 1 }));
    for (const response of await Promise.all(burst)) await response.text();
    const { client, calls } = counted(fast.key);
    await client.completions.create(params);
    expect(calls.map(({ status }) => status)).toEqual([429, 200]);
    const [first, second] = calls;
    expect(first?.retryAfterMs).toBeGreaterThan(0);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(first?.retryAfterMs ?? 0);
  });

  it("when the line is full", async () => {
    const narrow = await newPerson(stack, { limits: { running: 1, waiting: 1 } });
    await engine.arm("hang", { count: 1 });
    const runs = new RawRequest(narrow, { prompt: "a" });
    await engine.busy(1);
    const waits = narrow.complete({ prompt: "b", max_tokens: 1 });
    await lineOf(narrow, 1);
    const { client, calls } = counted(narrow.key);
    const asked = client.completions.create(params);
    await callsOf(calls, 1);
    runs.leave();
    await Promise.all([waits, asked]);
    expect(calls.map(({ status }) => status)).toEqual([429, 200]);
    expect(calls[0]?.retryAfterMs).toBe(1_000);
  });

  it("when tokens held by the caller's own running request would be enough", async () => {
    const person = await newPerson(stack, { tokens: 40 });
    await engine.arm("hang", { count: 1 });
    const runs = new RawRequest(person, { prompt: [1, 2], max_tokens: 38 });
    await engine.busy(1);
    const { client, calls } = counted(person.key);
    const asked = client.completions.create(params);
    await callsOf(calls, 1);
    runs.leave();
    await asked;
    expect(calls.map(({ status }) => status)).toEqual([429, 200]);
    expect(calls[0]?.retryAfterMs).toBe(1_000);
  });

  it("when the backend has too much to do", async () => {
    await engine.arm("429");
    const { client, calls } = counted(person.key);
    await client.completions.create(params);
    expect(calls.map(({ status }) => status)).toEqual([503, 200]);
  });

  it("when the backend fails, twice and then no more", async () => {
    await engine.arm("500", { count: 3 });
    const { client, calls } = counted(person.key);
    await expect(client.completions.create(params)).rejects.toMatchObject({
      status: 502,
      code: "inference_failed",
    });
    expect(calls.map(({ status }) => status)).toEqual([502, 502, 502]);
  });

  it("and what was repeated is charged once", async () => {
    const person = await newPerson(stack);
    await engine.arm("500", { count: 2 });
    const { client, calls } = counted(person.key);
    const answer = await client.completions.create(params);
    expect(calls).toHaveLength(3);
    expect((await person.settled()).spent).toBe(answer.usage?.total_tokens);
  });
});

function other(character: string | undefined): string {
  return character === "0" ? "1" : "0";
}

function lineOf(person: Person, length: number) {
  return until(
    `a line of ${length}`,
    () => person.record(),
    ({ waiting }) => waiting === length,
  );
}

function callsOf(calls: readonly Call[], count: number) {
  return until(
    `call ${count} of the SDK`,
    () => calls.length,
    (made) => made >= count,
  );
}

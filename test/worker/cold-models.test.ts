// Requests for a Model that does not get Warm: who is let into the line, who leaves it, what it costs.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { inferenceOf, spendLimitOf } from "../../src/durable-objects/objects.ts";
import { gatedModel, sleepingModel } from "./bindings.ts";
import { admin, call, complete, newPerson, read } from "./calling.ts";

const model = () => inferenceOf(env, gatedModel);
const inLine = (count: number) =>
  vi.waitUntil(async () => (await model().snapshot()).waiting === count, { timeout: 5_000 });

/** As a failed write or a new version ends it: what it had in memory is lost. */
async function restart(): Promise<void> {
  const ending = runInDurableObject(env.INFERENCE.getByName(gatedModel), (_, context) =>
    context.abort("restarted by a test"),
  );
  await ending.catch(() => undefined);
}

function ask(key: string, of: string, signal?: AbortSignal): Promise<Response> {
  return complete(key, { model: of, prompt: "x" }, signal && { signal });
}

async function usd(): Promise<number> {
  await runDurableObjectAlarm(env.INFERENCE.getByName(sleepingModel));
  const { models } = await spendLimitOf(env).overview();
  return models.find(({ model: id }) => id === sleepingModel)?.usd ?? 0;
}

function later(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

describe("a restart of the Inference object", () => {
  test("puts who waits back in line, and nobody who left meanwhile", async () => {
    const person = await newPerson();
    const leave = new AbortController();
    const left = ask(person.key, gatedModel, leave.signal).catch(() => null);
    const stays = new AbortController();
    const waits = ask(person.key, gatedModel, stays.signal).catch(() => null);
    await inLine(2);
    await restart();
    leave.abort();
    await left;
    await inLine(1);
    await restart();
    await inLine(1);
    stays.abort();
    await waits;
    await inLine(0);
  });
});

test("who leaves the wait for a tokenizer is out of line", async () => {
  const person = await newPerson();
  const leave = new AbortController();
  const body = { model: gatedModel, prompt: "x" };
  const asking = call("/v1/tokenize", {
    method: "POST",
    key: person.key,
    body,
    signal: leave.signal,
  });
  await inLine(1);
  leave.abort();
  await asking.catch(() => null);
  await inLine(0);
});

test("who finds no place in line is told to come back when the start is over", async () => {
  const person = await newPerson({ limits: { running: 1, waiting: 1 } });
  const leave = new AbortController();
  const waiting = [1, 2].map(() => ask(person.key, gatedModel, leave.signal).catch(() => null));
  await inLine(2);
  const refused = await ask(person.key, gatedModel);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("x-should-retry")).toBe("true");
  expect(Number(refused.headers.get("retry-after"))).toBe(60);
  leave.abort();
  await Promise.all(waiting);
});

describe("a Cold Model costs nothing", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("by requests whose key is worth nothing", async () => {
    const person = await newPerson();
    await read(admin("POST", `/keys/${person.keyId}/revoke`, { reason: "leaked" }));
    expect((await ask(person.key, sleepingModel)).status).toBe(401);
    later(30_000);
    expect((await ask(person.key, sleepingModel)).status).toBe(401);
    expect(await usd()).toBe(0);
  });

  test("by requests that a pause refuses", async () => {
    const person = await newPerson();
    await read(admin("PATCH", "/spend", { paused: true }));
    later(60_000);
    expect((await ask(person.key, sleepingModel)).status).toBe(429);
    later(30_000);
    expect((await ask(person.key, sleepingModel)).status).toBe(429);
    await read(admin("PATCH", "/spend", { paused: false }));
    expect(await usd()).toBe(0);
  });
});

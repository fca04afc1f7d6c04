import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import type { ContainerReport } from "../../src/contract/container-report.ts";
import type { WaitRequest } from "../../src/contract/inference.ts";
import { STALL_MS } from "../../src/core/model-life.ts";
import { inferenceOf, spendLimitOf } from "../../src/durable-objects/objects.ts";
import { SpendLimit } from "../../src/durable-objects/spend-limit/spend-limit.ts";
import type { Asked, Sleeping } from "../upstream/sleeping.ts";
import { startingModel } from "../worker/bindings.ts";

declare module "vitest" {
  interface ProvidedContext {
    sleepingUrl: string;
  }
}

const up: Partial<Sleeping> = { health: 200, completions: 200 };
const down: Partial<Sleeping> = { health: 503, completions: 503 };

/** Sets what the backend is, and hears what it was asked since it was forgotten. */
async function backend(change: Partial<Sleeping> = {}): Promise<Asked> {
  const init = { method: "POST", body: JSON.stringify(change) };
  return (await fetch(`${inject("sleepingUrl")}/starting/test`, init)).json();
}

const stub = () => env.INFERENCE.getByName(startingModel);
const model = () => inferenceOf(env, startingModel);

function wait(requestId: string, change: Partial<WaitRequest> = {}): WaitRequest {
  const until = Date.now() + 20_000;
  return { requestId, accountId: requestId, mostOfAccount: 80, until, ...change };
}

let sequence = 0;

function report(type: ContainerReport["type"], data: Partial<ContainerReport["data"]> = {}) {
  sequence += 1;
  const timestamp = new Date().toISOString();
  return model().report({
    ...{ type, timestamp },
    data: {
      ...{
        model: startingModel,
        container: "c1",
        sequence,
        uptime_ms: 0,
        gpu: "L40S",
        gpu_count: 1,
      },
      ...{ started_at: timestamp, metrics: null, ...data },
    },
  });
}

/** The objects as new: no row, no memory. */
beforeEach(async () => {
  await runInDurableObject(env.SPEND_LIMIT.getByName("spend-limit"), (_, { storage }) => {
    for (const table of ["settings", "models", "days"]) storage.sql.exec(`DELETE FROM ${table}`);
  });
  await runInDurableObject(stub(), async (_, { storage }) => {
    storage.sql.exec("DELETE FROM inference");
    await storage.deleteAlarm();
  });
  await abortAllDurableObjects();
  await backend({ ...down, running: 0, tokens: 0 });
  await fetch(`${inject("sleepingUrl")}/starting/test/forget`, { method: "POST" });
});

describe("a Cold Model", () => {
  test("is asked nothing while nobody wants it", async () => {
    expect(await model().status({ used: false })).toMatchObject({ state: "cold" });
    await model().snapshot();
    expect(await backend()).toEqual({ health: 0, completions: 0, metrics: 0 });
  });

  test("is started once for 200 who wait, and all of them hear of it", async () => {
    const waiting = Array.from({ length: 200 }, (_, index) => model().awaitWarm(wait(`r${index}`)));
    await vi.waitUntil(async () => (await model().snapshot()).waiting === 200);
    await backend(up);
    const answers = await Promise.all(waiting);
    expect(answers.every(({ outcome }) => outcome === "warm")).toBe(true);
    const { status, waiting: left } = await model().snapshot();
    expect({ state: status.state, left }).toEqual({ state: "warm", left: 0 });
    const { health, completions } = await backend();
    expect(health).toBeLessThan(20);
    expect(completions).toBe(1);
  });

  test("is not Warm before it has completed, whatever its health says", async () => {
    await backend({ health: 200, completions: 500 });
    const waiting = model().awaitWarm(wait("one"));
    const why = "the completion was answered 500";
    await vi.waitUntil(async () => (await model().snapshot()).whyNotReady === why);
    expect(await model().status({ used: false })).toMatchObject({ state: "starting" });
    await backend(up);
    expect(await waiting).toMatchObject({ outcome: "warm" });
  });

  test("is told to who waits no longer than they may", async () => {
    const answer = await model().awaitWarm(wait("one", { until: Date.now() + 50 }));
    expect(answer).toMatchObject({ outcome: "not_warm", status: { state: "starting" } });
  });

  test("lets who leaves go, and goes on for who stays", async () => {
    const [one, two] = [model().awaitWarm(wait("one")), model().awaitWarm(wait("two"))];
    await vi.waitUntil(async () => (await model().snapshot()).waiting === 2);
    await model().leave("one");
    expect(await one).toEqual({ outcome: "left" });
    await backend(up);
    expect(await two).toMatchObject({ outcome: "warm" });
  });

  test("lets who leaves go also while it hears whether it may start", async () => {
    const heard = Promise.withResolvers<void>();
    const asked = vi.spyOn(SpendLimit.prototype, "verdict").mockImplementation(async () => {
      await heard.promise;
      return { paused: false };
    });
    const waiting = model().awaitWarm(wait("one"));
    await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce());
    await model().leave("one");
    heard.resolve();
    expect(await waiting).toEqual({ outcome: "left" });
    asked.mockRestore();
    expect(await model().status({ used: false })).toMatchObject({ state: "cold" });
  });

  test("keeps no more of one person waiting than may run and wait", async () => {
    const of = (id: string) => wait(id, { accountId: "a", mostOfAccount: 2 });
    const [one] = [model().awaitWarm(of("one")), model().awaitWarm(of("two"))];
    await vi.waitUntil(async () => (await model().snapshot()).waiting === 2);
    expect(await model().awaitWarm(of("three"))).toEqual({ outcome: "line_full" });
    const other = model().awaitWarm(wait("other"));
    await backend(up);
    expect([await one, await other]).toMatchObject([{ outcome: "warm" }, { outcome: "warm" }]);
  });

  test("is started by a Wake, with nobody waiting", async () => {
    await backend(up);
    expect(await model().wake()).toMatchObject({ state: "starting" });
    await vi.waitUntil(async () => (await model().status({ used: false })).state === "warm");
  });

  test("becomes Warm when its container says that it is ready", async () => {
    await backend(up);
    await report("container.ready");
    await vi.waitUntil(async () => (await model().status({ used: false })).state === "warm");
  });
});

async function warm(): Promise<void> {
  await backend(up);
  expect(await model().awaitWarm(wait("first"))).toMatchObject({ outcome: "warm" });
}

describe("a start", () => {
  test("is one with that of a client who was told to try again, and came back", async () => {
    await model().awaitWarm(wait("one", { until: Date.now() + 50 }));
    const { startingSince } = await model().status({ used: false });
    const again = model().awaitWarm(wait("two"));
    expect(await model().status({ used: false })).toMatchObject({
      state: "starting",
      startingSince,
    });
    await backend(up);
    expect(await again).toMatchObject({ outcome: "warm" });
  });

  test("is not begun where what it will cost no longer fits", async () => {
    const nothing = { containers: 0, usdPerHour: 0, windDownUsd: 0 };
    const at = Date.now();
    await spendLimitOf(env).tick({ model: startingModel, at, days: [], running: nothing });
    const { spentUsd } = await spendLimitOf(env).overview();
    await spendLimitOf(env).change({ limitUsd: spentUsd + 0.01 });
    expect(await spendLimitOf(env).verdict()).toEqual({ paused: false });
    await backend(up);
    const answer = await model().awaitWarm(wait("one"));
    expect(answer).toMatchObject({ outcome: "not_warm", status: { spend: { paused: true } } });
    expect(await backend()).toEqual({ health: 0, completions: 0, metrics: 0 });
    await spendLimitOf(env).change({ limitUsd: 500 });
  });

  test("of a Model that was Warm and has gone is not begun either where it no longer fits", async () => {
    await warm();
    await runDurableObjectAlarm(stub());
    const { spentUsd, windDownUsd } = await spendLimitOf(env).overview();
    await spendLimitOf(env).change({ limitUsd: spentUsd + windDownUsd + 0.05 });
    await backend(down);
    await fetch(`${inject("sleepingUrl")}/starting/test/forget`, { method: "POST" });
    expect(await model().notReady()).toMatchObject({ state: "cold", spend: { paused: true } });
    expect(await backend()).toMatchObject({ health: 0, completions: 0 });
    await spendLimitOf(env).change({ limitUsd: 500 });
  });
});

describe("what the Spend limit hears", () => {
  /** Of this Model; after the alarm, if one is set. */
  async function usd(): Promise<number> {
    await runDurableObjectAlarm(stub());
    const { models } = await spendLimitOf(env).overview();
    return models.find((one) => one.model === startingModel)?.usd ?? 0;
  }

  test("has the last report of a container that was not heard of before", async () => {
    await report("container.stopping", { container: "late", uptime_ms: 100_000 });
    expect(await usd()).toBeCloseTo(1);
  });

  test("goes on after a pause until what ran has been idle long enough to stop", async () => {
    const waiting = model().awaitWarm(wait("one"));
    await vi.waitUntil(async () => (await model().snapshot()).waiting === 1);
    await spendLimitOf(env).change({ pausedByHand: true });
    expect(await waiting).toMatchObject({ outcome: "not_warm" });
    await vi.waitUntil(async () => (await model().status({ used: false })).state === "cold");
    await usd();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    expect(await usd()).toBeCloseTo(0.6, 1);
    vi.useRealTimers();
  });

  test("does not wait for a backend that leaves a question unanswered", async () => {
    const { fetch: ask } = globalThis;
    const silent = vi.spyOn(globalThis, "fetch").mockImplementation(async (to, init) => {
      return String(to).endsWith("/metrics") ? await new Promise(() => undefined) : ask(to, init);
    });
    const told = vi.spyOn(SpendLimit.prototype, "tick");
    await warm();
    told.mockClear();
    void runDurableObjectAlarm(stub()).catch(() => undefined);
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
    told.mockRestore();
    silent.mockRestore();
  });

  test("comes also after an alarm that was early by this object's clock", async () => {
    await warm();
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    expect(await runDurableObjectAlarm(stub())).toBe(true);
  });
});

describe("a Warm Model", () => {
  test("is still Warm after an eviction", async () => {
    await warm();
    await evictDurableObject(stub());
    expect(await model().status({ used: false })).toMatchObject({ state: "warm" });
  });

  test("is starting when a Completion found it not ready, until it answers again", async () => {
    await warm();
    await backend(down);
    expect(await model().notReady()).toMatchObject({ state: "starting" });
    const waiting = model().awaitWarm(wait("one"));
    await backend(up);
    expect(await waiting).toMatchObject({ outcome: "warm" });
  });

  test("is Cold when the last of its containers has stopped", async () => {
    await warm();
    await report("container.started");
    expect((await model().snapshot()).containers).toMatchObject([{ container: "c1" }]);
    await report("container.stopping", { uptime_ms: 10 });
    expect(await model().snapshot()).toMatchObject({ status: { state: "cold" }, containers: [] });
  });

  test("that makes no token though work runs is starting, until it answers again", async () => {
    await warm();
    const stuck = { running: 1, waiting: 0, generation_tokens: 5, prompt_tokens: 5 };
    await report("container.beat", { metrics: stuck });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + STALL_MS });
    await report("container.beat", { metrics: stuck, uptime_ms: STALL_MS });
    expect((await model().snapshot()).startsTotal).toBe(0);
    await vi.waitUntil(async () => (await backend()).completions === 2);
    vi.useRealTimers();
  });

  test("is metered, and the Spend limit knows what it costs", async () => {
    await report("container.started", { uptime_ms: 100_000 });
    await warm();
    await runDurableObjectAlarm(stub());
    const overview = await spendLimitOf(env).overview();
    expect(overview.models).toMatchObject([
      { model: startingModel, containers: 1, usdPerHour: 36, estimated: false },
    ]);
    expect(overview.spentUsd).toBeGreaterThanOrEqual(1);
  });
});

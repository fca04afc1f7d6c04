// What Admins see of the Models, and that they can wake one and let one pass.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { spendLimitOf } from "../../src/durable-objects/objects.ts";
import type { Sleeping } from "../upstream/sleeping.ts";
import { gatedModel, sleepingModel } from "./bindings.ts";
import { admin, call, errorOf, newPerson, read } from "./calling.ts";

interface ModelView {
  id: string;
  state: string;
  revision: string;
  why_not_ready: string | null;
  waiting: number;
}

const up: Partial<Sleeping> = { health: 200, completions: 200 };

async function backend(change: Partial<Sleeping>): Promise<void> {
  await fetch(`${inject("sleepingUrl")}/gated/test`, {
    method: "POST",
    body: JSON.stringify(change),
  });
}

async function model(id: string): Promise<ModelView> {
  const { data } = await read<{ data: ModelView[] }>(admin("GET", "/models"));
  const found = data.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} is not served`);
  return found;
}

/** The full commit sha that the catalogue pins the gated Model to. */
async function revision(): Promise<string> {
  const { key } = await newPerson({ tokens: 0 });
  return (await read<{ revision: string }>(call(`/v1/models/${gatedModel}`, { key }))).revision;
}

beforeEach(async () => {
  await backend({ health: 503, completions: 503 });
  await spendLimitOf(env).change({ limitUsd: 500, pausedByHand: false });
});

describe("the Models", () => {
  test("are shown with state, containers, starts and this month's cost", async () => {
    expect(await model("local")).toMatchObject({
      ...{ starts: [], containers: [], waiting: 0, why_not_ready: null, starting_since: null },
      month: { usd: expect.any(Number), container_seconds: expect.any(Number) },
    });
  });

  test("are shown to Admins only", async () => {
    const { key } = await newPerson({ tokens: 0 });
    for (const [method, path, body] of [
      ["GET", "/models", undefined],
      ["POST", `/models/${sleepingModel}/wake`, {}],
      ["POST", `/models/${gatedModel}/conformance`, {}],
    ] as const) {
      const refused = await errorOf(admin(method, path, body, key));
      expect(refused).toMatchObject({ status: 403, code: "admin_required" });
    }
  });
});

describe("a Wake", () => {
  test("starts a Cold Model that nobody waits for", async () => {
    expect(await read(admin("POST", `/models/${sleepingModel}/wake`, {}))).toMatchObject({
      ...{ id: sleepingModel, state: "starting", starting_since: expect.any(String) },
    });
  });

  test("is refused while new GPU work is paused", async () => {
    await spendLimitOf(env).change({ pausedByHand: true });
    const refused = await errorOf(admin("POST", `/models/${gatedModel}/wake`, {}));
    expect(refused).toMatchObject({ status: 429, code: "spend_cap" });
    expect((await model(gatedModel)).state).toBe("cold");
  });

  test("of an unknown Model names those there are", async () => {
    const refused = await errorOf(admin("POST", "/models/owner/name/wake", {}));
    expect(refused).toMatchObject({ status: 404, code: "model_not_found" });
    expect(refused.message).toContain(sleepingModel);
  });
});

describe("a Model that has to pass the conformance suite", () => {
  test("stays starting though it answers, and is Warm once its revision has passed", async () => {
    await backend(up);
    await read(admin("POST", `/models/${gatedModel}/wake`, {}));
    const why = "its revision has to pass the conformance suite first";
    await vi.waitUntil(async () => (await model(gatedModel)).why_not_ready === why);
    expect((await model(gatedModel)).state).toBe("starting");
    const passed = { revision: await revision(), cases: 87 };
    await read(admin("POST", `/models/${gatedModel}/conformance`, passed));
    await vi.waitUntil(async () => (await model(gatedModel)).state === "warm");
  });

  test("does not pass with another revision", async () => {
    const passed = { revision: "0".repeat(40), cases: 87 };
    const refused = await errorOf(admin("POST", `/models/${gatedModel}/conformance`, passed));
    expect(refused).toMatchObject({ status: 400, param: "revision" });
    expect(refused.message).toContain(await revision());
  });
});

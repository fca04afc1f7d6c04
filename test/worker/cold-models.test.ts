// Requests for a Model that does not get Warm: who is let into the line, who leaves it, what it costs.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { inferenceOf } from "../../src/durable-objects/objects.ts";
import { gatedModel } from "./bindings.ts";
import { complete, newPerson } from "./calling.ts";

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

function ask(key: string, signal?: AbortSignal): Promise<Response> {
  return complete(key, { model: gatedModel, prompt: "x" }, signal && { signal });
}

describe("a restart of the Inference object", () => {
  test("puts who waits back in line, and nobody who left meanwhile", async () => {
    const person = await newPerson();
    const leave = new AbortController();
    const left = ask(person.key, leave.signal).catch(() => null);
    const stays = new AbortController();
    const waits = ask(person.key, stays.signal).catch(() => null);
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

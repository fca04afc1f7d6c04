// A slice's calls by themselves: what ends them besides their answers.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { parseCompletionRequest } from "../../../src/contract/completion-request.ts";
import { servicesOf } from "../../../src/worker/environment.ts";
import { type ItemCall, ItemCalls } from "../../../src/worker/jobs/item-calls.ts";
import { Watches } from "../../../src/worker/jobs/watches.ts";
import { Backend } from "../calling.ts";

function setting() {
  const stopper = new AbortController();
  const served = servicesOf(env).models.get("local");
  if (served === undefined) throw new Error("no Model is served");
  const watches = new Watches(stopper.signal);
  const calls = new ItemCalls({ served, cacheSalt: "", watches, until: Date.now() + 60_000 });
  return { stopper, calls, backend: new Backend() };
}

function callOf(backend: Backend, change: Partial<ItemCall> = {}): ItemCall {
  const parsed = parseCompletionRequest({ model: "local", prompt: `${backend.name} one` });
  if (!parsed.ok) throw new Error("the request is wrong");
  const { request } = parsed;
  return { request, requestId: "req_1", seed: 1, receive: async () => undefined, ...change };
}

test("an answer that cannot be taken in fails its own call, and no other", async () => {
  const { calls, backend } = setting();
  const receive = () => Promise.reject(new Error("no room"));
  const ends = await Promise.allSettled([
    calls.call(callOf(backend, { receive })),
    calls.call(callOf(backend)),
  ]);
  expect(ends).toMatchObject([{ reason: { message: "no room" } }, { value: { kind: "answered" } }]);
});

test("calls that cannot be sent fail, each of them", async () => {
  const { calls, backend } = setting();
  // JSON has no such number.
  const seed = 1n as unknown as number;
  const ends = await Promise.allSettled([
    calls.call(callOf(backend, { seed })),
    calls.call(callOf(backend)),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("calls that are stopped before they are sent are not sent", async () => {
  const { calls, backend, stopper } = setting();
  const ended = Promise.all([calls.call(callOf(backend)), calls.call(callOf(backend))]);
  stopper.abort();
  expect(await ended).toEqual([{ kind: "stopped" }, { kind: "stopped" }]);
  expect(await backend.seen()).toEqual([]);
});

test("calls that are stopped on their way end, and their backend is told", async () => {
  const { calls, backend, stopper } = setting();
  await backend.script({ holdBefore: true });
  const ended = Promise.all([calls.call(callOf(backend)), calls.call(callOf(backend))]);
  await backend.reached(2);
  stopper.abort();
  expect(await ended).toEqual([{ kind: "stopped" }, { kind: "stopped" }]);
  await expect
    .poll(async () => (await backend.seen()).map(({ aborted }) => aborted))
    .toEqual([...[true, true, true]]);
});

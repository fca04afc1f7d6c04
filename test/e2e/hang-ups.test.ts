// A client that leaves, at every moment: it pays for what it received, and the engine stops.
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { deliveredTokens } from "./event-stream.ts";
import { newPerson, type Person } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";
import { until } from "./until.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const prompt = "Call me Ishmael. Some years ago";
let person: Person;
let promptTokens: number;

beforeEach(async () => {
  person = await newPerson(stack);
  promptTokens = await engine.countTokens(prompt);
});

afterEach(async () => {
  leaveAll();
  await engine.disarm();
  await engine.idle();
});

/** All tokens are said in the chunks, so that a test can count what it was given. */
const streamed = {
  prompt,
  stream: true,
  ignore_eos: true,
  max_tokens: 40,
  stream_options: { include_usage: true, continuous_usage_stats: true },
};

async function spentAtRest(): Promise<number> {
  await engine.idle();
  return (await person.settled()).spent;
}

describe("a client that leaves before the headers pays for the prompt", () => {
  it.each([
    { what: "a stream", stream: true, n: 1 },
    { what: "a plain answer", stream: false, n: 1 },
    { what: "three choices of a stream", stream: true, n: 3 },
    { what: "three choices of a plain answer", stream: false, n: 3 },
  ])("of $what", async ({ stream, n }) => {
    await engine.arm("hang");
    const request = new RawRequest(person, { prompt, stream, n, max_tokens: 40 });
    await engine.busy(n);
    request.leave();
    expect(await spentAtRest()).toBe(promptTokens);
  });

  it("counted exactly for each of several prompts, ids or text", async () => {
    await engine.arm("hang", { count: 2 });
    const text = new RawRequest(person, { prompt: [prompt, prompt], max_tokens: 4 });
    await engine.busy(2);
    text.leave();
    expect(await spentAtRest()).toBe(2 * promptTokens);
    const ids = new RawRequest(person, { prompt: [[1, 2, 3], [4]], max_tokens: 4 });
    await engine.busy(2);
    ids.leave();
    expect(await spentAtRest()).toBe(2 * promptTokens + 4);
  });
});

describe("a client that leaves in a stream pays for the prompt and what was delivered", () => {
  it.each([
    { moment: "after the first chunk", at: 1, n: 1 },
    { moment: "in the middle", at: 17, n: 1 },
    { moment: "before the last chunk", at: 39, n: 1 },
    { moment: "in the middle of four choices", at: 36, n: 4 },
  ])("$moment", async ({ at, n }) => {
    await engine.arm("hang-mid", { at });
    const request = new RawRequest(person, { ...streamed, n });
    const { chunks, done } = await request.chunks(at);
    await engine.busy(n);
    request.leave();
    expect(done).toBe(false);
    expect(await spentAtRest()).toBe(promptTokens + deliveredTokens(chunks));
    expect(deliveredTokens(chunks)).toBe(at);
  });

  it("at the last chunk, which is all of it", async () => {
    const request = new RawRequest(person, { ...streamed, n: 2 });
    await until(
      "both finish reasons",
      () => request.stream.chunks.filter(({ choices }) => choices[0]?.finish_reason === "length"),
      (finished) => finished.length === 2,
    );
    request.leave();
    expect(await spentAtRest()).toBe(promptTokens + 2 * 40);
  });

  it.each(["leave", "leavePolitely"] as const)(
    "while tokens flow, and the engine stops long before the end (%s)",
    async (leave) => {
      await engine.arm("drip", { ms: 1 });
      const before = await engine.counters();
      const request = new RawRequest(person, { ...streamed, max_tokens: 2_000 });
      const { chunks } = await request.chunks(2);
      request[leave]();
      const spent = await spentAtRest();
      const { generationTokens } = await engine.counters();
      const generated = generationTokens - before.generationTokens;
      expect(spent).toBeGreaterThanOrEqual(promptTokens + deliveredTokens(chunks));
      expect(spent).toBeLessThanOrEqual(promptTokens + generated);
      expect(generated).toBeLessThan(2_000);
    },
  );

  it("of several prompts, before each has its first chunk, exactly as counted", async () => {
    await engine.arm("hang-mid", { at: 2 });
    const two = { ...streamed, prompt: [prompt, "Loomings"] };
    const request = new RawRequest(person, two);
    const { chunks } = await request.chunks(2);
    request.leave();
    const both = promptTokens + (await engine.countTokens("Loomings"));
    expect(await spentAtRest()).toBe(both + deliveredTokens(chunks));
  });
});

describe("a client that leaves in a plain answer", () => {
  it("pays for the prompt alone, however far the answer was", async () => {
    await engine.arm("hang-mid", { at: 40 });
    const request = new RawRequest(person, { prompt, max_tokens: 2, prompt_logprobs: -1 });
    await request.bytes(100_000);
    request.leave();
    expect(await spentAtRest()).toBe(promptTokens);
  });

  it("pays for all of it once it was whole", async () => {
    const request = new RawRequest(person, { prompt, max_tokens: 5, ignore_eos: true });
    await request.ended();
    request.leave();
    expect(await spentAtRest()).toBe(promptTokens + 5);
  });
});

describe("a client that leaves before anything runs pays nothing", () => {
  it("while its body is still on the way", async () => {
    const before = await engine.counters();
    const request = new RawRequest(person, '{"model": "local", "prompt": "Call');
    await until("the connection", () => request.connected, Boolean);
    request.leave();
    expect(await spentAtRest()).toBe(0);
    expect((await engine.counters()).received).toBe(before.received);
  });

  it("while it waits in line, and the line moves on without it", async () => {
    await person.change({ limits: { running: 1 } });
    await engine.arm("hang");
    const first = new RawRequest(person, { prompt, max_tokens: 3 });
    await engine.busy(1);
    const waits = new RawRequest(person, { prompt, max_tokens: 3 });
    await lineOf(1);
    const last = new RawRequest(person, { prompt, max_tokens: 3, ignore_eos: true });
    await lineOf(2);
    waits.leave();
    await lineOf(1);
    first.leave();
    expect((await last.ended()).status).toBe(200);
    expect(await spentAtRest()).toBe(promptTokens + promptTokens + 3);
  });
});

function lineOf(length: number) {
  return until(
    `a line of ${length}`,
    () => person.record(),
    ({ waiting }) => waiting === length,
  );
}

// Every way in which the engine can fail a plain answer: it arrives whole or it costs nothing.
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { errorOf, newPerson, type Person } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";
import { until } from "./until.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const secret = "sesame sesame";
const asked = { prompt: secret, max_tokens: 12, ignore_eos: true, seed: 3 };
/** Megabytes, which flow through rather than being read whole. */
const large = { prompt: secret.repeat(5), max_tokens: 1, ignore_eos: true, prompt_logprobs: -1 };
let promptTokens: number;
let person: Person;

beforeAll(async () => {
  promptTokens = await engine.countTokens(secret);
});

beforeEach(async () => {
  person = await newPerson(stack);
});

afterEach(async () => {
  leaveAll();
  await engine.disarm();
  await engine.idle();
});

async function spentAtRest(): Promise<number> {
  await engine.idle();
  return (await person.settled()).spent;
}

interface PlainAnswer {
  choices: { text: string; finish_reason: string }[];
  usage: { total_tokens: number; completion_tokens: number };
}

describe("a backend that fails is answered by a status and costs nothing", () => {
  it.each([
    { fault: "500", status: 502, code: "inference_failed" },
    { fault: "303", status: 502, code: "inference_failed" },
    { fault: "html", status: 502, code: "inference_failed" },
    { fault: "429", status: 503, code: "inference_overloaded" },
    { fault: "error-in-stream", status: 502, code: "inference_failed" },
    { fault: "cut", status: 502, code: "inference_failed" },
    { fault: "no-usage", status: 502, code: "inference_failed" },
    { fault: "abort", status: 502, code: "inference_failed" },
  ])("$fault", async ({ fault, status, code }) => {
    await engine.arm(fault);
    const response = await person.complete(asked);
    expect(response.status).toBe(status);
    const error = await errorOf(response);
    expect(error.code).toBe(code);
    expect(error.message).toContain(response.headers.get("x-request-id"));
    expect(error.message).not.toContain("sesame");
    expect(await spentAtRest()).toBe(0);
  });

  it("503 for a moment is waited out, and charged once", async () => {
    await engine.arm("503");
    const response = await person.complete(asked);
    expect(response.status).toBe(200);
    expect(response.headers.get("server-timing")).toMatch(/cold;dur=\d+/);
    await response.text();
    expect(await spentAtRest()).toBe(promptTokens + 12);
  });

  it("never-ready, until it is", async () => {
    await engine.arm("never-ready");
    const response = await person.complete(asked);
    expect(response.status).toBe(503);
    expect(await errorOf(response)).toMatchObject({ code: "model_starting" });
    await engine.disarm();
    expect((await person.complete(asked)).status).toBe(200);
    expect(await spentAtRest()).toBe(promptTokens + 12);
  });

  it("a large answer that was begun breaks off visibly", async () => {
    await engine.arm("cut", { at: 30 });
    const request = new RawRequest(person, large);
    const { status, ended, body } = await request.ended();
    expect({ status, ended }).toEqual({ status: 200, ended: "broken" });
    expect(() => JSON.parse(body)).toThrow(SyntaxError);
    expect(await spentAtRest()).toBe(0);
  });

  it("one that hangs holds its tokens until the client leaves, and costs the prompt", async () => {
    await engine.arm("hang-mid");
    const { received } = await engine.counters();
    const request = new RawRequest(person, asked);
    await until(
      "the request at the engine",
      () => engine.counters(),
      (counters) => counters.received > received && counters.running === 0,
    );
    expect((await person.tokens()).held).toBeGreaterThanOrEqual(promptTokens + 12);
    request.leave();
    expect(await spentAtRest()).toBe(promptTokens);
  });
});

describe("a backend that is only clumsy is put right", () => {
  it.each(["drip", "split", "gzip-anyway", "no-done", "only-done"])("%s", async (fault) => {
    const whole = (await (await person.complete(asked)).json()) as PlainAnswer;
    const before = await person.settled();
    await engine.arm(fault, { ms: 1 });
    const failing = (await (await person.complete(asked)).json()) as PlainAnswer;
    expect(failing.choices).toEqual(whole.choices);
    expect(failing.usage).toEqual(whole.usage);
    expect((await person.settled()).spent).toBe(2 * before.spent);
  });

  it("passes keys of log-probabilities on, also __proto__ and one key twice", async () => {
    await engine.arm("proto");
    const fields = { ...asked, logprobs: 2 };
    const ours = await (await person.complete(fields)).text();
    const direct = await (await engine.complete({ model: "local", ...fields }, "proto")).text();
    expect(ours).toContain('"__proto__"');
    expect(choicesOf(ours)).toBe(choicesOf(direct));
  });

  it("charges what the backend reports, also above what was asked for", async () => {
    await engine.arm("usage-mismatch");
    const answer = (await (await person.complete(asked)).json()) as PlainAnswer;
    expect(answer.usage.completion_tokens).toBeGreaterThan(12);
    expect(await spentAtRest()).toBe(answer.usage.total_tokens);
  });

  it("never charges more than there is, whatever the backend reports", async () => {
    const poor = await newPerson(stack, { tokens: promptTokens + 12 });
    await engine.arm("usage-mismatch");
    const answer = (await (await poor.complete(asked)).json()) as PlainAnswer;
    const { granted, spent, available } = await poor.settled();
    expect({ spent, available }).toEqual({ spent: granted, available: 0 });
    const record = await poor.record();
    expect(record.overrun_tokens).toBe(answer.usage.total_tokens - granted);
  });
});

function choicesOf(body: string): string | undefined {
  return /"choices":(\[.*\]),"service_tier"/.exec(body)?.[1];
}

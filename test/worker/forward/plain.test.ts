import { describe, expect, test } from "vitest";
import { READ_BYTES, SMALL_ANSWER_BYTES } from "../../../src/worker/forward/forward-limits.ts";
import { watchRequest } from "../../../src/worker/forward/watch.ts";
import { choiceJson, hostileTexts, logprobsJson, plainJson } from "../../core/engine-answers.ts";
import { answered, Client, forward, Upstream } from "./upstream.ts";

const choice = choiceJson({
  text: "ü",
  logprobs: logprobsJson(hostileTexts),
  finishReason: "length",
});

/** What the client gets of an answer. */
const passed = (answer: string): string =>
  answer.replace("served/name", "catalogue-id").replace(',"prompt_logprobs":null', "");

/** The parts of an answer whose first choice has this text so many times. */
function largeAnswer(text: string, times: number) {
  const [before = "", after = ""] = plainJson(choice).split('"text":"ü');
  return [`${before}"text":"`, { text, times }, after] as const;
}

function textOfAnswer(body: unknown): string {
  if (!(body instanceof Uint8Array)) throw new Error("the answer flows");
  return new TextDecoder().decode(body);
}

describe("a small plain answer", () => {
  test("comes whole, with the engine's usage", async () => {
    const upstream = new Upstream();
    await upstream.answersWhole(plainJson(choice));
    const answer = await answered(forward(upstream));
    expect(textOfAnswer(answer.body)).toBe(passed(plainJson(choice)));
    expect(answer.contentType).toBe("application/json");
    expect(answer.progress()).toEqual({ promptTokens: 5, completionTokens: 3 });
    expect(await answer.ended).toEqual({ how: "complete", promptTokens: 5, completionTokens: 3 });
  });

  test("comes whole also when its length was not said", async () => {
    const upstream = new Upstream();
    await upstream.answers(...plainJson(choice));
    const answer = await answered(forward(upstream));
    expect(textOfAnswer(answer.body)).toBe(passed(plainJson(choice)));
  });

  test.each([
    ["breaks off", plainJson(choice).slice(0, -20)],
    ["has no usage", plainJson(choice, { usage: "null" })],
    ["was aborted", plainJson(choiceJson({ finishReason: "abort" }))],
    ["is an error", '{"error":{"message":"a secret"}}'],
    ["is empty", ""],
  ])("that %s is refused, with and without a length", async (_, body) => {
    const refused = { kind: "refused", error: { code: "inference_failed" }, usage: null };
    const sized = new Upstream();
    await sized.answersWhole(body);
    expect(await forward(sized)).toMatchObject(refused);
    const chunked = new Upstream();
    await chunked.answers(body);
    expect(await forward(chunked)).toMatchObject(refused);
  });

  test("whose connection breaks is refused", async () => {
    const upstream = new Upstream();
    const headers = { "content-type": "application/json", "content-length": "1000" };
    await upstream.script({ headers, steps: [{ text: "{" }, { breakOff: true }] });
    expect(await forward(upstream)).toMatchObject({ error: { code: "inference_failed" } });
  });

  test.each(["with a length", "without one"])(
    "that hangs ends when the client leaves, %s",
    async (how) => {
      const upstream = new Upstream();
      const length = how === "with a length" ? { "content-length": "1000" } : {};
      const headers = { "content-type": "application/json", ...length };
      await upstream.script({ headers, steps: [{ text: "{" }, { gate: "never" }] });
      const client = new AbortController();
      const forwarded = forward(upstream, { clientSignal: client.signal });
      await expect.poll(() => upstream.seen()).toHaveLength(1);
      client.abort();
      expect(await forwarded).toEqual({ kind: "client_left" });
      expect(await upstream.closed()).toEqual({ whole: false });
    },
  );

  test.each([
    ["before its headers", { plainMs: 20 }, true],
    ["after its headers", { idleMs: 20 }, false],
  ])("that hangs %s is refused in the end", async (_, limits, hold) => {
    const upstream = new Upstream();
    const headers = { "content-type": "application/json" };
    const steps = [{ text: "{" }, { gate: "never" }];
    await upstream.script({ headers, steps, ...(hold ? { holdHeaders: "never" } : {}) });
    const outcome = await forward(upstream, { limits });
    expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_timeout" } });
    expect(await upstream.closed()).toEqual({ whole: false });
  });
});

describe("a large plain answer", () => {
  const sizes = [0, 1, 2, 3].flatMap((reads) =>
    [-1, 0, 1].map((more) => SMALL_ANSWER_BYTES + reads * READ_BYTES + more),
  );

  test.each(sizes)("of about %i bytes is the same but for its head and tail", async (size) => {
    const upstream = new Upstream();
    const parts = largeAnswer("x".repeat(256), Math.ceil(size / 256));
    await upstream.answers(...parts);
    const answer = await answered(forward(upstream));
    const [before, { text, times }, after] = parts;
    expect(await new Client(answer).rest()).toBe(passed(before + text.repeat(times) + after));
    expect(await answer.ended).toEqual({ how: "complete", promptTokens: 5, completionTokens: 3 });
  });

  const megabytes = largeAnswer("multi-byte: 漢字 ".repeat(50), 5_000);

  test.each([
    ["ends too early", megabytes.slice(0, 2)],
    ["breaks its connection", [...megabytes.slice(0, 2), { breakOff: true as const }]],
    ["has no usage", [...megabytes.slice(0, 2), '"}],"x":1}']],
    ["was aborted", [...megabytes.slice(0, 2), megabytes[2].replace('"length"', '"abort"')]],
  ])("that %s breaks the client's connection too", async (_, steps) => {
    const upstream = new Upstream();
    await upstream.answers(...steps);
    const answer = await answered(forward(upstream));
    await expect(new Client(answer).rest()).rejects.toThrow();
    const nothing = { promptTokens: null, completionTokens: 0 };
    expect(await answer.ended).toEqual({ how: "backend_failed", ...nothing });
  });

  test.each(["by its signal", "by closing the answer"])(
    "whose client leaves %s stops",
    async (how) => {
      const upstream = new Upstream();
      await upstream.answers(...megabytes.slice(0, 2), { gate: "never" });
      const signal = new AbortController();
      const answer = await answered(forward(upstream, { clientSignal: signal.signal }));
      const client = new Client(answer);
      await client.until("multi-byte");
      if (how === "by its signal") signal.abort();
      else await client.leave();
      const nothing = { promptTokens: null, completionTokens: 0 };
      expect(await answer.ended).toEqual({ how: "client_left", ...nothing });
      expect(await upstream.closed()).toEqual({ whole: false });
    },
  );

  test.each([
    ["pauses too long", { idleMs: 20 }, "backend_failed"],
    ["is cut by the gateway", {}, "cut"],
  ] as const)("that %s breaks the client's connection", async (_, limits, how) => {
    const upstream = new Upstream();
    await upstream.answers(...megabytes.slice(0, 2), { gate: "never" });
    const watch = watchRequest(new AbortController().signal);
    const answer = await answered(forward(upstream, { limits, watch }));
    const client = new Client(answer);
    await client.until("multi-byte");
    if (how === "cut")
      watch.stop({ why: "cut", error: { code: "invalid_api_key", message: "Revoked." } });
    await expect(client.rest()).rejects.toThrow();
    expect(await answer.ended).toMatchObject({ how });
    expect(await upstream.closed()).toEqual({ whole: false });
  });
});

import { describe, expect, test } from "vitest";
import { watchRequest } from "../../../src/worker/forward/watch.ts";
import { doneEvent, errorEvent, finalEvent, tokenEvent } from "../../core/engine-answers.ts";
import { answered, Client, forward, Upstream } from "./upstream.ts";

const token = (completion: number, model?: string): string =>
  tokenEvent({ text: "ü👩‍👧" }, { prompt: 5, completion }, model);
const last = tokenEvent({ finishReason: "length" }, { prompt: 5, completion: 3 });
const streamed = { stream: true };

/** What the client gets of events that ask for no usage. */
const passed = (event: string): string =>
  event.replace("served/name", "catalogue-id").replace(/,"usage":\{[^}]*\}/, "");

describe("a stream", () => {
  test("passes each event on as it comes, and ends with the engine's usage", async () => {
    const upstream = new Upstream();
    await upstream.streams(
      token(1),
      { gate: "a" },
      token(2),
      { gate: "b" },
      last,
      finalEvent(5, 3),
      doneEvent,
    );
    const answer = await answered(forward(upstream, streamed));
    const client = new Client(answer);
    await client.until(passed(token(1)));
    await upstream.open("a");
    await client.until(passed(token(1)) + passed(token(2)));
    await expect.poll(answer.progress).toEqual({ promptTokens: 5, completionTokens: 2 });
    await upstream.open("b");
    expect(await client.rest()).toBe([token(1), token(2), last].map(passed).join("") + doneEvent);
    expect(await answer.ended).toEqual({ how: "complete", promptTokens: 5, completionTokens: 3 });
    expect(answer.contentType).toBe("text/event-stream; charset=utf-8");
    expect(await upstream.closed()).toEqual({ whole: true });
  });

  test("is the same when the backend's writes cut events and characters", async () => {
    const upstream = new Upstream();
    const bytes = new TextEncoder().encode(token(1) + last + finalEvent(5, 3) + doneEvent);
    await upstream.streams(...Array.from(bytes, (byte) => ({ bytes: [byte] })));
    const answer = await answered(forward(upstream, streamed));
    expect(await new Client(answer).rest()).toBe(passed(token(1)) + passed(last) + doneEvent);
    expect(await answer.ended).toMatchObject({ how: "complete" });
  });

  test("keeps the usage that was asked for", async () => {
    const upstream = new Upstream();
    await upstream.streams(token(1) + finalEvent(5, 1) + doneEvent);
    const asked = { ...streamed, includeUsage: true, continuousUsage: true };
    const answer = await answered(forward(upstream, asked));
    const events = (token(1) + finalEvent(5, 1)).replaceAll("served/name", "catalogue-id");
    expect(await new Client(answer).rest()).toBe(events + doneEvent);
  });

  test("waits past comments for its first event before it has a status", async () => {
    const upstream = new Upstream();
    await upstream.streams(": ping\n\n", { gate: "a" }, errorEvent("of a secret", 400));
    const forwarded = forward(upstream, streamed);
    await upstream.open("a");
    expect(await forwarded).toMatchObject({ kind: "refused", error: { code: "invalid_request" } });
  });
});

describe("a stream that fails before its first token is refused", () => {
  const choices = tokenEvent({ finishReason: "abort" }, { prompt: 5, completion: 1 });
  test.each([
    ["an error", errorEvent("of a secret"), "inference_failed"],
    ["a full queue", errorEvent("Request queue full.", 503), "inference_overloaded"],
    [
      "a context too long",
      errorEvent("maximum context length is 8", 400),
      "context_length_exceeded",
    ],
    ["an aborted choice", choices, "inference_failed"],
    ["only [DONE]", doneEvent, "inference_failed"],
    ["nothing", "", "inference_failed"],
    ["what is no event", "<html>\n\n", "inference_failed"],
    ["an event that ends too early", token(1).slice(0, -1), "inference_failed"],
  ])("by %s", async (_, text, code) => {
    const upstream = new Upstream();
    await upstream.streams(text);
    const outcome = await forward(upstream, streamed);
    expect(outcome).toMatchObject({ kind: "refused", error: { code }, usage: null });
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });

  test("by another content type", async () => {
    const upstream = new Upstream();
    await upstream.answers(token(1), doneEvent);
    const outcome = await forward(upstream, streamed);
    expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_failed" } });
  });
});

describe("a stream that fails later ends in an error event and costs what was delivered", () => {
  const aborted = tokenEvent({ finishReason: "abort" }, { prompt: 5, completion: 3 });
  test.each([
    ["an error", [errorEvent("of a secret") + doneEvent]],
    ["an aborted choice", [aborted + finalEvent(5, 3) + doneEvent]],
    ["an end without [DONE]", []],
    ["half an event", [token(3).slice(0, -1)]],
    ["a broken connection", [{ breakOff: true as const }]],
  ])("by %s", async (_, steps) => {
    const upstream = new Upstream();
    await upstream.streams(token(1) + token(2), { gate: "a" }, ...steps);
    const answer = await answered(forward(upstream, streamed));
    const client = new Client(answer);
    await client.until(passed(token(2)));
    await upstream.open("a");
    const [, ...errors] = (await client.rest()).split(passed(token(2)));
    const error = JSON.parse(errors.join("").replace("data: ", "")) as { error: object };
    expect(error).toEqual({
      error: {
        message: expect.stringContaining("req_1"),
        type: "server_error",
        param: null,
        code: "inference_failed",
      },
    });
    expect(client.received).not.toMatch(/secret|DONE/);
    const delivered = { promptTokens: 5, completionTokens: 2 };
    expect(await answer.ended).toEqual({ how: "backend_failed", ...delivered });
  });

  test("by a pause that is too long", async () => {
    const upstream = new Upstream();
    await upstream.streams(token(1), { gate: "never" });
    const answer = await answered(forward(upstream, { ...streamed, limits: { idleMs: 20 } }));
    expect(await new Client(answer).rest()).toContain('"code":"inference_timeout"');
    const delivered = { promptTokens: 5, completionTokens: 1 };
    expect(await answer.ended).toEqual({ how: "backend_failed", ...delivered });
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test("by the gateway's own cut", async () => {
    const upstream = new Upstream();
    await upstream.streams(token(1), { gate: "never" });
    const watch = watchRequest(new AbortController().signal);
    const answer = await answered(forward(upstream, { ...streamed, watch }));
    const client = new Client(answer);
    await client.until(passed(token(1)));
    watch.stop({
      why: "cut",
      error: { code: "invalid_api_key", message: "This API key was revoked." },
    });
    const events = (await client.rest()).slice(passed(token(1)).length);
    expect(events).toMatch(/^data: \{"error":\{"message":"This API key was revoked\.",.*\}\n\n$/);
    const delivered = { promptTokens: 5, completionTokens: 1 };
    expect(await answer.ended).toEqual({ how: "cut", ...delivered });
    expect(await upstream.closed()).toEqual({ whole: false });
  });
});

describe("a client that leaves a stream ends the backend's work", () => {
  test("before the headers", async () => {
    const upstream = new Upstream();
    await upstream.script({ holdHeaders: "never", steps: [] });
    const client = new AbortController();
    const forwarded = forward(upstream, { ...streamed, clientSignal: client.signal });
    await expect.poll(() => upstream.seen()).toHaveLength(1);
    client.abort();
    expect(await forwarded).toEqual({ kind: "client_left" });
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test("before the first token", async () => {
    const upstream = new Upstream();
    await upstream.streams({ gate: "never" });
    const client = new AbortController();
    const forwarded = forward(upstream, { ...streamed, clientSignal: client.signal });
    await expect.poll(() => upstream.seen()).toHaveLength(1);
    client.abort();
    expect(await forwarded).toEqual({ kind: "client_left" });
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test.each(["by its signal", "by closing the answer"])("after a token, %s", async (how) => {
    const upstream = new Upstream();
    await upstream.streams(token(1) + token(2), { gate: "a" }, last, { gate: "never" });
    const signal = new AbortController();
    const answer = await answered(forward(upstream, { ...streamed, clientSignal: signal.signal }));
    const client = new Client(answer);
    await client.until(passed(token(2)));
    await expect.poll(answer.progress).toEqual({ promptTokens: 5, completionTokens: 2 });
    if (how === "by its signal") signal.abort();
    else await client.leave();
    await upstream.open("a");
    const delivered = { promptTokens: 5, completionTokens: 2 };
    expect(await answer.ended).toEqual({ how: "client_left", ...delivered });
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test("that does not read", async () => {
    const upstream = new Upstream();
    const limits = { clientStallMs: 20 };
    await upstream.streams(token(1), { gate: "never" });
    const answer = await answered(forward(upstream, { ...streamed, limits }));
    const nothing = { promptTokens: null, completionTokens: 0 };
    expect(await answer.ended).toEqual({ how: "client_left", ...nothing });
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test("before it was sent at all", async () => {
    const upstream = new Upstream();
    expect(await forward(upstream, { ...streamed, clientSignal: AbortSignal.abort() })).toEqual({
      kind: "client_left",
    });
    expect(await upstream.seen()).toEqual([]);
  });
});

test("an event of many megabytes passes", async () => {
  const upstream = new Upstream();
  const [before = "", after = ""] = token(1).split('"text":"');
  await upstream.streams(`${before}"text":"`, { text: "long ".repeat(2_000), times: 1_000 }, after);
  const answer = await answered(forward(upstream, streamed));
  const text = await new Client(answer).rest();
  expect(text.length).toBeGreaterThan(10_000_000);
  expect(text).toContain('"model":"catalogue-id"');
});

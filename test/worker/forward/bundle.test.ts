// Several Completions in one request to a backend that answers as the test says, byte by byte.
import { describe, expect, test } from "vitest";
import {
  type BundledAnswer,
  type BundleInput,
  forwardBundle,
} from "../../../src/worker/forward/forward-bundle.ts";
import { forwardLimits } from "../../../src/worker/forward/forward-limits.ts";
import { watchRequest } from "../../../src/worker/forward/watch.ts";
import { choiceJson, plainJson } from "../../core/engine-answers.ts";
import type { Step } from "../../upstream/wire-script.ts";
import { Upstream } from "./upstream.ts";

const answer = plainJson(choiceJson({ text: "ü" }));
const passed = answer.replace("served/name", "catalogue-id").replace(',"prompt_logprobs":null', "");
const headers = { "content-type": "application/vnd.continuo.bundle" };

function frame(line: number, body = answer, head: object = { status: 200 }): Step {
  const bytes = new TextEncoder().encode(body).length;
  return { text: `${JSON.stringify({ line, bytes, ...head })}\n${body}\n` };
}

interface Outcome {
  taken: boolean;
  answers: Map<number, BundledAnswer>;
}

async function forward(upstream: Upstream, change: Partial<BundleInput> = {}): Promise<Outcome> {
  const answers = new Map<number, BundledAnswer>();
  const input: BundleInput = {
    ...{ backend: upstream.backend, modelId: "catalogue-id", requestId: "req_1" },
    ...{ bodies: ['{"prompt":"a"}', '{"prompt":"b"}'], until: Date.now() + 60_000 },
    ...{ answerMaxBytes: 10_000, limits: forwardLimits },
    watch: watchRequest(new AbortController().signal),
    ...change,
  };
  const taken = await forwardBundle(input, (line, one) => {
    expect(answers.has(line)).toBe(false);
    answers.set(line, one);
  });
  return { taken, answers };
}

function textOf(one: BundledAnswer | undefined): string {
  return one?.kind === "answered" ? new TextDecoder().decode(one.body) : JSON.stringify(one);
}

const codes = ({ answers }: Outcome) =>
  [0, 1].map((line) => {
    const one = answers.get(line);
    return one?.kind === "refused" ? one.error.code : one?.kind;
  });

describe("several Completions in one request", () => {
  test("are sent as lines, and each has the answer that it would have had alone", async () => {
    const upstream = new Upstream();
    await upstream.script({ headers, steps: [frame(1), { text: "\n\n" }, frame(0)] });
    const outcome = await forward(upstream);
    expect(outcome.taken).toBe(true);
    expect([...outcome.answers.keys()]).toEqual([1, 0]);
    expect(textOf(outcome.answers.get(0))).toBe(passed);
    expect(outcome.answers.get(1)).toMatchObject({ usage: { promptTokens: 5 } });
    const [seen] = await upstream.seen();
    expect(seen).toMatchObject({
      path: "/v1/completions/bundle",
      body: '{"prompt":"a"}\n{"prompt":"b"}',
      headers: { "content-type": "application/x-ndjson", authorization: "Bearer of the backend" },
    });
  });

  test("are each judged by their own status", async () => {
    const upstream = new Upstream();
    const busy = { status: 429, retry_after: "7" };
    const failed = { status: 500 };
    await upstream.script({ headers, steps: [frame(0, "", failed), frame(1, "{}", busy)] });
    const outcome = await forward(upstream);
    expect(outcome.answers.get(0)).toMatchObject({ error: { code: "inference_failed" } });
    expect(outcome.answers.get(1)).toMatchObject({
      error: { code: "inference_overloaded", retryAfterMs: 7_000 },
    });
  });

  test("whose engine's words quote a prompt do not pass them on", async () => {
    const upstream = new Upstream();
    const quoting = '{"error":{"message":"a secret prompt"}}';
    await upstream.script({ headers, steps: [frame(0, quoting, { status: 400 }), frame(1)] });
    const outcome = await forward(upstream);
    expect(codes(outcome)).toEqual(["invalid_request", "answered"]);
    expect(textOf(outcome.answers.get(0))).not.toContain("secret");
  });

  test("keep the answers that came before the connection broke", async () => {
    const upstream = new Upstream();
    await upstream.script({
      headers,
      steps: [frame(1), { text: '{"line":0' }, { breakOff: true }],
    });
    expect(codes(await forward(upstream))).toEqual(["inference_failed", "answered"]);
  });

  test("have no answer where the whole ends without it", async () => {
    const upstream = new Upstream();
    await upstream.script({ headers, steps: [frame(0)] });
    expect(codes(await forward(upstream))).toEqual(["answered", "inference_failed"]);
  });

  test.each([
    ["a line that was not asked for", [frame(7), frame(0), frame(1)], "answered"],
    ["one line twice", [frame(0), frame(0), frame(1)], "answered"],
    ["what is no frame", [{ text: "<html>\n" }, frame(0), frame(1)], "inference_failed"],
    ["more than an answer may have", [frame(0, "x".repeat(10_001)), frame(1)], "inference_failed"],
    ["what is no completion", [frame(0, "{}"), frame(1, "{}")], "inference_failed"],
  ])("are not mixed up by %s", async (_, steps, code) => {
    const upstream = new Upstream();
    await upstream.script({ headers, steps });
    expect(codes(await forward(upstream))).toEqual([code, code]);
  });

  test("are refused by the status of the whole", async () => {
    const upstream = new Upstream();
    await upstream.script({ status: 429, steps: [{ text: "" }] });
    expect(codes(await forward(upstream))).toEqual([
      "inference_overloaded",
      "inference_overloaded",
    ]);
  });

  test.each([400, 401, 403, 404, 405, 413, 422, 501])(
    "are not taken by a backend that answers %i",
    async (status) => {
      const upstream = new Upstream();
      await upstream.script({ status, steps: [{ text: '{"detail":"Not Found"}' }] });
      const outcome = await forward(upstream);
      expect(outcome.taken).toBe(false);
      expect(outcome.answers.size).toBe(0);
    },
  );

  test("are not taken by a backend that answers with a page", async () => {
    const upstream = new Upstream();
    const page = { "content-type": "text/html" };
    await upstream.script({ headers: page, steps: [{ text: "<html>" }, { gate: "never" }] });
    expect((await forward(upstream)).taken).toBe(false);
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test.each([
    ["nothing of them begins in time", { holdHeaders: "never" }, { plainMs: 50 }],
    ["nothing more comes for too long", {}, { idleMs: 50 }],
  ])("end when %s", async (_, held, change) => {
    const upstream = new Upstream();
    await upstream.script({ headers, ...held, steps: [frame(0), { gate: "never" }] });
    const outcome = await forward(upstream, { limits: { ...forwardLimits, ...change } });
    expect(codes(outcome)[1]).toBe("inference_timeout");
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test("end when their time is over, though the backend says that it lives", async () => {
    const upstream = new Upstream();
    await upstream.script({ headers, steps: [frame(0), { text: "\n" }, { gate: "never" }] });
    const outcome = await forward(upstream, { until: Date.now() + 200 });
    expect(codes(outcome)[1]).toBe("inference_timeout");
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test("hang up on a backend that sends what is no frame", async () => {
    const upstream = new Upstream();
    await upstream.script({ headers, steps: [{ text: "<html>\n" }, { gate: "never" }] });
    expect(codes(await forward(upstream))).toEqual(["inference_failed", "inference_failed"]);
    expect(await upstream.closed()).toEqual({ whole: false });
  });

  test("hang up on the backend when their client leaves", async () => {
    const upstream = new Upstream();
    await upstream.script({ headers, steps: [frame(0), { gate: "never" }] });
    const client = new AbortController();
    const forwarded = forward(upstream, { watch: watchRequest(client.signal) });
    await expect.poll(() => upstream.seen()).toHaveLength(1);
    client.abort();
    expect(codes(await forwarded)[1]).toBe("inference_failed");
    expect(await upstream.closed()).toEqual({ whole: false });
  });
});

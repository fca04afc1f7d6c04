import { describe, expect, test } from "vitest";
import { choiceJson, plainJson } from "../../core/engine-answers.ts";
import { forward, Upstream } from "./upstream.ts";

test("the backend gets the body as it was built, and headers that are built from nothing", async () => {
  const upstream = new Upstream();
  await upstream.script({ status: 500, steps: [] });
  await forward(upstream, { stream: true });
  const [request] = await upstream.seen();
  expect(request).toMatchObject({
    method: "POST",
    path: "/v1/completions",
    body: '{"prompt":"a secret"}',
  });
  // The last of these the platform adds, and nobody can take it off.
  const transport = ["host", "connection", "content-length", "cf-worker"];
  const sent = Object.entries(request?.headers ?? {}).filter(([name]) => !transport.includes(name));
  expect(Object.fromEntries(sent)).toEqual({
    authorization: "Bearer of the backend",
    "content-type": "application/json",
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "x-request-id": "req_1",
    "x-proxy-secret": "of the proxy",
  });
});

test("a backend's own headers cannot take the place of the gateway's", async () => {
  const upstream = new Upstream();
  await upstream.script({ status: 500, steps: [] });
  const credentials = { "content-type": "text/plain", "x-request-id": "other" };
  await forward(upstream, { backend: { ...upstream.backend, credentials } });
  const [request] = await upstream.seen();
  expect(request?.headers).toMatchObject({
    "content-type": "application/json",
    accept: "application/json",
    "x-request-id": "req_1",
  });
  expect(request?.headers).not.toHaveProperty("authorization");
});

test.each([301, 302, 303, 307, 308])("a %i is followed nowhere", async (status) => {
  const elsewhere = new Upstream();
  const upstream = new Upstream();
  await upstream.script({ status, headers: { location: elsewhere.backend.url }, steps: [] });
  const outcome = await forward(upstream);
  expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_failed" } });
  expect(await elsewhere.seen()).toEqual([]);
});

test("a page in place of an answer is no answer", async () => {
  const upstream = new Upstream();
  await upstream.script({ headers: { "content-type": "text/html" }, steps: [{ text: "<html>" }] });
  expect(await forward(upstream)).toMatchObject({ error: { code: "inference_failed" } });
});

test("an error of any size is judged by its beginning", async () => {
  const upstream = new Upstream();
  const steps = [
    { text: '{"error":{"message":"maximum context length is 8 tokens, a secret' },
    { text: "x".repeat(1_000), times: 50_000 },
  ];
  await upstream.script({ status: 400, headers: { "content-type": "application/json" }, steps });
  const outcome = await forward(upstream);
  expect(outcome).toMatchObject({ error: { code: "context_length_exceeded" } });
  expect(JSON.stringify(outcome)).not.toContain("secret");
  expect(await upstream.closed()).toEqual({ whole: false });
});

test("a backend that does not listen is an inference that failed", async () => {
  const upstream = new Upstream();
  const backend = { ...upstream.backend, url: "http://127.0.0.1:1" };
  const outcome = await forward(upstream, { backend });
  expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_failed" } });
});

test("a stream without headers is refused in the end", async () => {
  const upstream = new Upstream();
  await upstream.script({ holdHeaders: "never", steps: [] });
  const outcome = await forward(upstream, { stream: true, limits: { connectMs: 20 } });
  expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_timeout" } });
  expect(await upstream.closed()).toEqual({ whole: false });
});

test("a stream without a token is refused in the end", async () => {
  const upstream = new Upstream();
  await upstream.streams({ gate: "never" });
  const outcome = await forward(upstream, { stream: true, limits: { firstTokenMs: 20 } });
  expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_timeout" } });
  expect(await upstream.closed()).toEqual({ whole: false });
});

describe("a backend that answers elsewhere", () => {
  const elsewhere = (upstream: Upstream) => ({ ...upstream.backend, answersElsewhere: true });

  test("is asked there with the same credentials, and nothing is posted twice", async () => {
    const [first, then] = [new Upstream(), new Upstream()];
    await first.script({
      status: 303,
      headers: { location: `${then.backend.url}/call` },
      steps: [],
    });
    await then.answersWhole(plainJson(choiceJson({ finishReason: "length" })));
    const outcome = await forward(first, { backend: elsewhere(first) });
    expect(outcome.kind).toBe("answer");
    expect(await first.seen()).toHaveLength(1);
    const [fetched, ...more] = await then.seen();
    expect(fetched).toMatchObject({ method: "GET", path: "/call", body: "" });
    expect(fetched?.headers).toMatchObject({ "x-proxy-secret": "of the proxy" });
    expect(more).toEqual([]);
  });

  test.each(["https://example.org/call", "//example.org/call", "no url:"])(
    "is not followed to %s",
    async (location) => {
      const upstream = new Upstream();
      await upstream.script({ status: 303, headers: { location }, steps: [] });
      const outcome = await forward(upstream, { backend: elsewhere(upstream) });
      expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_failed" } });
      expect(await upstream.seen()).toHaveLength(1);
    },
  );

  test("is asked no more often than its work can take", async () => {
    const upstream = new Upstream();
    await upstream.script({
      ...{ status: 303, headers: { location: `${upstream.backend.url}/call` }, steps: [] },
    });
    const outcome = await forward(upstream, { backend: elsewhere(upstream) });
    expect(outcome).toMatchObject({ kind: "refused", error: { code: "inference_failed" } });
    const posted = (await upstream.seen()).filter(({ method }) => method === "POST");
    expect(posted).toHaveLength(1);
  });
});

// The routes that only read, and the Model's tokenizer.
import { describe, expect, test } from "vitest";
import { routes } from "../../src/contract/routes.ts";
import { gatedModel, sleepingModel, startingModel } from "./bindings.ts";
import { admin, Backend, call, complete, errorOf, newPerson, ORIGIN, read } from "./calling.ts";

describe("without a key", () => {
  test("GET /health says ok", async () => {
    expect(await read(call("/health"))).toEqual({ status: "ok" });
  });

  test("GET /openapi.json describes every route at this address", async () => {
    const document = await read<{ paths: object; servers: { url: string }[] }>(
      call("/openapi.json"),
    );
    expect(document.servers).toEqual([{ url: ORIGIN }]);
    for (const { path } of routes) expect(document.paths).toHaveProperty([path]);
  });
});

describe("GET /v1/models", () => {
  test("lists what has a backend, in OpenAI's form and with its caps", async () => {
    const { key } = await newPerson({ tokens: 0 });
    const list = await read<{ object: string; data: object[] }>(call("/v1/models", { key }));
    expect(list).toMatchObject({
      object: "list",
      data: [
        { id: "local", object: "model", max_model_len: 8192, vocab_size: 50_257 },
        { id: sleepingModel, warm: "cold", last_cold_start_seconds: null },
        { id: startingModel, warm: "cold" },
        { id: gatedModel, warm: "cold" },
      ],
    });
    expect(await read(call(`/v1/models/${sleepingModel}`, { key }))).toEqual(list.data[1]);
    expect(JSON.stringify(list)).not.toContain("127.0.0.1");
  });

  test("of an unknown id, also with slashes, names those there are", async () => {
    const { key } = await newPerson({ tokens: 0 });
    for (const id of ["nothing", "owner/name", "__proto__"]) {
      const error = await errorOf(call(`/v1/models/${id}`, { key }));
      expect(error).toMatchObject({ status: 404, code: "model_not_found" });
      expect(error.message).toContain("local");
    }
  });
});

describe("GET /v1/account", () => {
  test("has the tokens, the limits and the key it is called with", async () => {
    const person = await newPerson({ tokens: 500, limits: { running: 3 } });
    const body = await read(call("/v1/account", { key: person.key }));
    expect(body).toMatchObject({
      tokens: { granted: 500, spent: 0, held: 0, available: 500 },
      limits: { running: 3, waiting: 64, starts_per_minute: 600 },
      key: { id: person.keyId, name: "key", scope: "completions", revoked_at: null },
    });
    expect(JSON.stringify(body)).not.toContain(person.key);
  });

  test("counts as no start", async () => {
    const { key } = await newPerson({ limits: { starts_per_minute: 1 } });
    for (let time = 0; time < 3; time += 1) {
      const response = await call("/v1/account", { key });
      expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    }
  });
});

describe("GET /v1/usage", () => {
  const today = () => new Date().toISOString().slice(0, 10);

  test("is the caller's own, by day, Model and key, with the sums", async () => {
    const person = await newPerson();
    const other = await newPerson();
    const backend = new Backend();
    const prompt = `${backend.name} x`;
    for (const { key } of [person, person, other]) await complete(key, { prompt });
    const usage = await read(call("/v1/usage", { key: person.key }));
    const sums = { requests: 2, prompt_tokens: 4, completion_tokens: 10, total_tokens: 14 };
    expect(usage).toMatchObject({
      totals: sums,
      data: [{ day: today(), model: "local", key: { id: person.keyId, name: "key" }, ...sums }],
    });
  });

  test("without a range is the last thirty days", async () => {
    const { key } = await newPerson({ tokens: 0 });
    const { from, to } = await read<{ from: string; to: string }>(call("/v1/usage", { key }));
    expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(29);
  });

  test.each(["?from=yesterday", "?to=2026-02-30", "?from=2026-01-02&to=2026-01-01", "?x=1"])(
    "refuses the range %s",
    async (query) => {
      const { key } = await newPerson({ tokens: 0 });
      const error = await errorOf(call(`/v1/usage${query}`, { key }));
      expect(error).toMatchObject({ status: 400, code: "invalid_request" });
      expect(error.param).toMatch(/^(from|to|x)$/);
    },
  );

  test("refuses more than a year", async () => {
    const { key } = await newPerson({ tokens: 0 });
    const path = (from: string) => `/v1/usage?from=${from}&to=2026-12-31`;
    expect((await call(path("2025-12-31"), { key })).status).toBe(200);
    expect(await errorOf(call(path("2025-12-30"), { key }))).toMatchObject({ param: "from" });
  });
});

describe("the Model's tokenizer", () => {
  function tokenize(key: string, body: object, path = "/v1/tokenize") {
    return call(path, { method: "POST", key, body: { model: "local", ...body } });
  }

  test("turns text to ids and ids to text, for free", async () => {
    const person = await newPerson({ tokens: 0 });
    const prompt = `${new Backend().name} b c`;
    expect(await read(tokenize(person.key, { prompt }))).toMatchObject({
      ...{ count: 3, tokens: [0, 1, 2], max_model_len: 8192 },
    });
    const text = tokenize(person.key, { tokens: [5, 6] }, "/v1/detokenize");
    expect(await read(text)).toEqual({ prompt: "text of 5,6" });
  });

  test("is counted as a start, and refused by the same limit", async () => {
    const { key } = await newPerson({ limits: { starts_per_minute: 2 } });
    expect((await tokenize(key, { prompt: "a" })).status).toBe(200);
    expect((await tokenize(key, { tokens: [1] }, "/v1/detokenize")).status).toBe(200);
    const response = await tokenize(key, { prompt: "a" });
    expect(Number(response.headers.get("retry-after-ms"))).toBeGreaterThan(0);
    expect(await errorOf(response)).toMatchObject({ status: 429, code: "rate_limited" });
  });

  test("refuses what is no body of it, by the field's name", async () => {
    const { key } = await newPerson();
    const refused = { status: 400, code: "invalid_request" };
    const missing = await errorOf(tokenize(key, {}));
    expect(missing).toMatchObject({ ...refused, param: "prompt" });
    const wrong = await errorOf(tokenize(key, { tokens: [-1] }, "/v1/detokenize"));
    expect(wrong).toMatchObject({ ...refused, param: "tokens.0" });
    const unknown = await errorOf(tokenize(key, { prompt: "a", nonsense: 1 }));
    expect(unknown).toMatchObject({ ...refused, param: "nonsense" });
    const none = await errorOf(tokenize(key, { prompt: "a", model: "none" }));
    expect(none).toMatchObject({ status: 404, code: "model_not_found" });
  });

  test("tells the key's faults before the body's", async () => {
    const person = await newPerson();
    await read(admin("POST", `/keys/${person.keyId}/revoke`, { reason: "leaked" }));
    expect(await errorOf(tokenize(person.key, {}))).toMatchObject({ status: 401 });
  });
});

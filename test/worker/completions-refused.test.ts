// What `POST /v1/completions` refuses, in which order, and what a refusal leaves behind: nothing.
import { describe, expect, test, vi } from "vitest";
import { COMPLETION_BODY_MAX_BYTES } from "../../src/contract/limits.ts";
import {
  admin,
  Backend,
  call,
  complete,
  errorOf,
  newPerson,
  read,
  settled,
  view,
} from "./calling.ts";

const SECRET = "a prompt that nobody else may read";

function post(key: string | null, body: unknown, headers: Record<string, string> = {}) {
  return errorOf(call("/v1/completions", { method: "POST", key, body, headers }));
}

describe("of several faults the first to be told", () => {
  test("is the key, whatever the body is", async () => {
    const { key, keyId } = await newPerson();
    await read(admin("POST", `/keys/${keyId}/revoke`, { reason: "leaked" }));
    const refused = { status: 401, code: "invalid_api_key" };
    for (const body of ["{", { prompt: 1 }, { model: "none", prompt: "x" }, { messages: [] }]) {
      expect(await post(key, body)).toMatchObject(refused);
      expect(await post(null, body)).toMatchObject(refused);
      expect(await post("ctn_x", body)).toMatchObject(refused);
    }
    expect(await post(key, "{", { "content-type": "text/plain" })).toMatchObject(refused);
  });

  test("is a disabled person before the body", async () => {
    const { key, id } = await newPerson();
    await read(admin("PATCH", `/people/${id}`, { disabled: true }));
    expect(await post(key, "{")).toMatchObject({ status: 403, code: "account_disabled" });
  });

  test("is the body before the Model, the Model before the tokens", async () => {
    const { key } = await newPerson({ tokens: 0 });
    expect(await post(key, { model: "none", prompt: "x", temperature: 9 })).toMatchObject({
      ...{ status: 400, code: "invalid_request", param: "temperature" },
    });
    const error = await post(key, { model: "none", prompt: "x" });
    expect(error).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
    expect(error.message).toContain("local");
    expect(await post(key, { model: "local", prompt: "x", max_tokens: 9_000 })).toMatchObject({
      ...{ status: 400, code: "context_length_exceeded" },
    });
    expect(await post(key, { model: "local", prompt: "x" })).toMatchObject({
      ...{ status: 429, code: "budget_exceeded", retry: "false" },
    });
  });

  test("is a body that is none: its type, its size, its syntax, its encoding", async () => {
    const { key } = await newPerson();
    const text = { "content-type": "text/plain" };
    expect(await post(key, "{}", text)).toMatchObject({
      ...{ status: 415, code: "unsupported_media_type" },
    });
    const large = " ".repeat(COMPLETION_BODY_MAX_BYTES + 1);
    expect(await post(key, large)).toMatchObject({ status: 413, code: "request_too_large" });
    expect(await post(key, '{"prompt": "x')).toMatchObject({ code: "invalid_request" });
    const latin = Uint8Array.from('{"model": "local", "prompt": "caf\u00e9"}', (character) =>
      character.charCodeAt(0),
    );
    expect(await post(key, latin)).toMatchObject({ status: 400, code: "invalid_request" });
  });

  test("is too large a body also when it comes in chunks without a length", async () => {
    const { key } = await newPerson();
    const chunk = new Uint8Array(1_000_000).fill(0x20);
    let left = 9;
    const body = new ReadableStream({
      pull(controller) {
        if (left === 0) return controller.close();
        left -= 1;
        controller.enqueue(chunk);
      },
    });
    expect(await post(key, body)).toMatchObject({ status: 413, code: "request_too_large" });
  });
});

describe("a refusal", () => {
  test("reaches no backend, holds nothing and costs nothing", async () => {
    const backend = new Backend();
    const person = await newPerson({ tokens: 10 });
    const prompt = `${backend.name} one two three four five six seven eight nine`;
    const bodies = [
      { prompt, logprobs: -1 },
      { prompt, nonsense: 1 },
      { prompt, n: 11 },
    ];
    for (const body of bodies) expect((await complete(person.key, body)).status).not.toBe(200);
    expect(await backend.seen("/v1/completions")).toEqual([]);
    expect((await view(person)).tokens).toEqual({ granted: 10, spent: 0, held: 0, available: 10 });
  });

  test("by the rate says to the millisecond when to come again", async () => {
    const person = await newPerson({ limits: { starts_per_minute: 1 } });
    const backend = new Backend();
    expect((await complete(person.key, { prompt: `${backend.name} x` })).status).toBe(200);
    const response = await complete(person.key, { prompt: `${backend.name} x` });
    const ms = Number(response.headers.get("retry-after-ms"));
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(60_000);
    expect(response.headers.get("retry-after")).toBe(String(Math.ceil(ms / 1_000)));
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(await errorOf(response)).toMatchObject({
      ...{ status: 429, code: "rate_limited", retry: "true" },
    });
    expect(await backend.seen("/v1/completions")).toHaveLength(1);
  });

  test("by the tokens has every figure of the sum, and advises waiting only where it helps", async () => {
    const person = await newPerson({ tokens: 20 });
    const backend = new Backend();
    await backend.script({ holdBefore: true });
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const running = complete(person.key, { prompt: `${backend.name}`, max_tokens: 10 });
    await backend.reached();
    const { held } = (await view(person)).tokens;
    const response = await complete(person.key, { prompt: ids });
    expect(response.headers.get("retry-after")).toBe("1");
    const { error } = (await response.clone().json()) as { error: { budget: object } };
    const available = 20 - held;
    expect(error.budget).toEqual({ granted: 20, spent: 0, held, available, needed: 11 });
    const told = await errorOf(response);
    expect(told).toMatchObject({ code: "budget_exceeded", retry: "true" });
    for (const figure of [20, held, available, 11]) expect(told.message).toContain(String(figure));
    const never = await complete(person.key, { prompt: [...ids, ...ids] });
    expect(never.headers.get("retry-after")).toBeNull();
    expect(await errorOf(never)).toMatchObject({ code: "budget_exceeded", retry: "false" });
    await backend.go();
    expect((await running).status).toBe(200);
  });

  test("never quotes the prompt, nor does any line of the log", async () => {
    const lines: unknown[] = [];
    const listen = (...line: unknown[]) => void lines.push(line);
    const spies = (["log", "warn", "error", "info", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(listen),
    );
    const person = await newPerson();
    const backend = new Backend();
    const prompt = `${backend.name} ${SECRET}`;
    const answers: string[] = [];
    const ask = async (body: object) => {
      const response = await complete(person.key, body);
      expect(response.status).not.toBe(200);
      answers.push(await response.text());
    };
    await ask({ prompt, nonsense: SECRET });
    await ask({ prompt: [prompt, 1] });
    await ask({ prompt, stop: ["", SECRET] });
    await ask({ prompt, model: SECRET });
    await ask({ prompt, [SECRET.repeat(3)]: 1 });
    answers.push(
      await (
        await call("/v1/completions", {
          method: "POST",
          key: person.key,
          body: `{"prompt": "${SECRET}`,
        })
      ).text(),
    );
    for (const status of [400, 404, 422, 429, 500, 503]) {
      const body = JSON.stringify({ error: { message: `bad: ${SECRET}`, code: status } });
      await backend.script({ status, body });
      await ask({ prompt });
      await ask({ prompt, stream: true });
    }
    for (const spy of spies) spy.mockRestore();
    expect(answers.join("\n")).not.toContain("nobody else");
    expect(JSON.stringify(lines)).not.toContain("nobody else");
    expect(JSON.stringify(lines)).not.toContain(person.key);
    expect(await settled(person)).toMatchObject({ spent: 0, held: 0 });
  });
});

describe("a backend's failure", () => {
  test("is answered at once, though the settlement is not durable yet", async () => {
    const person = await newPerson();
    const backend = new Backend();
    await backend.script({ status: 500 });
    // No timer fires, so nothing is written that was only to be written soon.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const error = await errorOf(complete(person.key, { prompt: `${backend.name} x` }));
    vi.useRealTimers();
    expect(error).toMatchObject({ status: 502, code: "inference_failed" });
    expect(error.message).toMatch(/req_[0-9a-f]{32}/);
  });
});

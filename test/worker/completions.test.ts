// `POST /v1/completions` as far as accounting goes; the bytes of its answers are tested beside the
// forward path.
import { describe, expect, test, vi } from "vitest";
import { unpack } from "../../src/contract/packed.ts";
import { Account } from "../../src/durable-objects/account/account.ts";
import { cacheSaltSecret } from "./bindings.ts";
import { admin, Backend, complete, newPerson, read, settled, view } from "./calling.ts";

interface Answer {
  model: string;
  choices: { text: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

describe("a Completion", () => {
  test("is answered, and charged by what the backend reports", async () => {
    const person = await newPerson();
    const backend = new Backend();
    const answer = await read<Answer>(complete(person.key, { prompt: `${backend.name} x y` }));
    expect(answer.model).toBe("local");
    expect(answer.usage.total_tokens).toBe(8);
    expect(await settled(person)).toMatchObject({ spent: 8, held: 0, available: 99_992 });
    expect((await view(person)).usage.totals).toMatchObject({
      ...{ requests: 1, prompt_tokens: 3, completion_tokens: 5 },
    });
  });

  test("that streams is charged the same", async () => {
    const person = await newPerson();
    const backend = new Backend();
    const response = await complete(person.key, { prompt: `${backend.name} x y`, stream: true });
    expect((await response.text()).endsWith("data: [DONE]\n\n")).toBe(true);
    expect(await settled(person)).toMatchObject({ spent: 8, held: 0 });
  });

  test("says in its headers what it ran with and what is left", async () => {
    const person = await newPerson({ tokens: 1_000, limits: { starts_per_minute: 60 } });
    const prompt = [1, 2, 3];
    const response = await complete(person.key, { prompt, seed: 7 });
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "x-seed": "7",
      "x-model-revision": "0000000000000000000000000000000000000001",
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-limit-tokens": "1000",
      "x-ratelimit-remaining-tokens": "992",
    });
    expect(headers["x-ratelimit-reset-requests"]).toMatch(/^[\d.]+s$/);
    expect(headers["x-request-id"]).toMatch(/^req_[0-9a-f]{32}$/);
    expect(headers["openai-processing-ms"]).toMatch(/^\d+$/);
    expect(headers["server-timing"]).toMatch(/^admit;dur=\d+, inference;dur=\d+$/);
    expect(headers["x-max-tokens-lowered"]).toBeUndefined();
    expect(await settled(person)).toMatchObject({ spent: 8 });
  });

  test("without a seed gets another one each time, sent on and returned", async () => {
    const person = await newPerson();
    const backend = new Backend();
    const drawn: number[] = [];
    for (let time = 0; time < 8; time += 1) {
      const response = await complete(person.key, { prompt: `${backend.name} x` });
      drawn.push(Number(response.headers.get("x-seed")));
    }
    for (const seed of drawn) {
      expect(Number.isSafeInteger(seed)).toBe(true);
      expect(seed).toBeGreaterThanOrEqual(0);
    }
    expect(new Set(drawn).size).toBe(drawn.length);
    // Eight draws that are all below 2^50 come once in 10^7 runs, unless high bits are missing.
    expect(Math.max(...drawn)).toBeGreaterThan(2 ** 50);
    const sent = (await backend.seen()).map(({ body }) => body.seed);
    expect(sent).toEqual(drawn);
  });

  test("goes to the backend with nothing of the client's but the request", async () => {
    const person = await newPerson();
    const backend = new Backend();
    const headers = {
      "x-request-id": "mine",
      "x-vllm-priority": "-5",
      "x-session-id": "mine",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "accept-encoding": "gzip",
      cookie: "a=b",
    };
    const body = { model: "local", prompt: `${backend.name} x`, user: "somebody" };
    const response = await complete(person.key, body, { headers });
    const [seen] = await backend.seen();
    const requestId = response.headers.get("x-request-id");
    expect(seen?.headers).toMatchObject({
      authorization: "Bearer the backend's key",
      "accept-encoding": "identity",
      "x-request-id": requestId,
    });
    for (const name of ["x-vllm-priority", "x-session-id", "traceparent", "cookie"]) {
      expect(seen?.headers).not.toHaveProperty(name);
    }
    expect(seen?.body).toMatchObject({ model: "served", request_id: requestId, priority: 0 });
    expect(seen?.body).not.toHaveProperty("user");
    expect(JSON.stringify(seen)).not.toContain(person.key);
    expect(JSON.stringify(seen)).not.toContain(cacheSaltSecret);
  });

  test("has a prefix cache that is its person's own", async () => {
    const salts: unknown[] = [];
    for (const person of [await newPerson(), await newPerson()]) {
      const backend = new Backend();
      await complete(person.key, { prompt: `${backend.name} x` });
      await complete(person.key, { prompt: `${backend.name} y` });
      const [first, second] = (await backend.seen()).map(({ body }) => body.cache_salt);
      expect(first).toMatch(/^[0-9a-f]{64}$/);
      expect(second).toBe(first);
      salts.push(first);
    }
    expect(salts[0]).not.toBe(salts[1]);
  });
});

describe("near the end of the tokens", () => {
  test("a Completion asks the Account twice at most, once where the bound fits", async () => {
    const admit = vi.spyOn(Account.prototype, "admit");
    const person = await newPerson({ tokens: 200 });
    const backend = new Backend();
    await complete(person.key, { prompt: `${backend.name} x` });
    expect(admit).toHaveBeenCalledTimes(1);
    expect(await backend.seen("/tokenize")).toEqual([]);
    admit.mockClear();
    const prompt = `${backend.name} ${"word ".repeat(40)}`;
    expect((await complete(person.key, { prompt })).status).toBe(200);
    expect(admit).toHaveBeenCalledTimes(2);
    const ids = admit.mock.calls.map(([call]) => unpack(call).request.requestId);
    expect(new Set(ids).size).toBe(1);
    expect(await backend.seen("/tokenize")).toHaveLength(1);
    admit.mockRestore();
  });

  test("max_tokens is lowered to what is left, for each choice, and the header says so", async () => {
    const person = await newPerson({ tokens: 70 });
    const backend = new Backend();
    const prompt = `${backend.name} ${"w ".repeat(9)}`;
    const response = await complete(person.key, { prompt, max_tokens: 50, n: 2 });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-max-tokens-lowered")).toBe("requested=50, applied=30");
    expect(response.headers.get("x-ratelimit-remaining-tokens")).toBe("0");
    const [seen] = await backend.seen("/v1/completions");
    expect(seen?.body).toMatchObject({ max_tokens: 30, n: 2 });
    await response.text();
    expect(await settled(person)).toEqual({ granted: 70, spent: 70, held: 0, available: 0 });
    const after = await complete(person.key, { prompt: [1], max_tokens: 1 });
    expect(after.status).toBe(429);
  });

  test("min_tokens follows a lowered max_tokens down", async () => {
    const person = await newPerson({ tokens: 15 });
    const backend = new Backend();
    const body = { prompt: `${backend.name} x y z 5`, max_tokens: 50, min_tokens: 20 };
    const response = await complete(person.key, body);
    expect(response.headers.get("x-max-tokens-lowered")).toBe("requested=50, applied=10");
    const [seen] = await backend.seen("/v1/completions");
    expect(seen?.body).toMatchObject({ max_tokens: 10, min_tokens: 10 });
  });

  test("many at once spend what there is and not a token more", async () => {
    const person = await newPerson({ tokens: 55, limits: { running: 100 } });
    const asking = Array.from({ length: 40 }, () =>
      complete(person.key, { prompt: [1, 2, 3, 4, 5, 6], max_tokens: 5 }),
    );
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(await settled(person)).toEqual({ granted: 55, spent: 55, held: 0, available: 0 });
  });

  test("a Grant is usable by the next request", async () => {
    const person = await newPerson({ tokens: 0 });
    expect((await complete(person.key, { prompt: [1] })).status).toBe(429);
    await read(admin("POST", `/people/${person.id}/grants`, { tokens: 6 }));
    expect((await complete(person.key, { prompt: [1] })).status).toBe(200);
  });
});

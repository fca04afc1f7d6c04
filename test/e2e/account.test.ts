// What a person sees of their Account, what an Admin does to it, and that twice is once.
import { beforeAll, describe, expect, inject, it } from "vitest";
import { admin, errorOf, newPerson, type Person } from "./person.ts";
import { until } from "./until.ts";

const stack = inject("stack");
let person: Person;

beforeAll(async () => {
  person = await newPerson(stack, { tokens: 1_000 });
});

function asOperator(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${stack.api}/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${stack.operatorKey}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function answerOf<T>(response: Response): Promise<T> {
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

describe("GET /v1/account", () => {
  it("shows tokens, limits and the key that asks, never the key itself", async () => {
    const text = await (await person.call("GET", "/v1/account")).text();
    expect(JSON.parse(text)).toMatchObject({
      tokens: { granted: 1_000, spent: 0, held: 0, available: 1_000 },
      limits: { running: 256, waiting: 256, starts_per_minute: 100_000 },
      key: { id: person.keyId, name: "k", scope: "completions", revoked_at: null },
    });
    expect(text).not.toContain(person.key);
    expect(text).toContain(person.key.slice(0, 20));
  });
});

describe("GET /v1/usage", () => {
  it("counts by day, Model and key, in the range that is asked for", async () => {
    const someone = await newPerson(stack);
    const asked = { prompt: [1, 2], max_tokens: 3, ignore_eos: true };
    await (await someone.complete(asked)).text();
    await someone.settled();
    const today = new Date().toISOString().slice(0, 10);
    const [row] = (await someone.usage()).data;
    expect(row).toMatchObject({ day: today, model: "local", requests: 1, total_tokens: 5 });
    const past = await someone.call("GET", "/v1/usage?from=2020-01-01&to=2020-02-01");
    expect(await past.json()).toMatchObject({ totals: { requests: 0 }, data: [] });
  });

  it.each(["from=2020-01-01&to=2026-01-01", "from=2026-02-01&to=2026-01-01", "from=soon", "day=1"])(
    "refuses %s",
    async (query) => {
      const response = await person.call("GET", `/v1/usage?${query}`);
      expect(response.status).toBe(400);
      expect((await errorOf(response)).param).toBe(query.split("=")[0]);
    },
  );
});

describe("the Model's tokenizer", () => {
  it("turns text to ids and back, and costs nothing", async () => {
    const prompt = "Call me Ishmael — “Käse”, 鯨 ☃.";
    const encoded = await person.call("POST", "/v1/tokenize", { model: "local", prompt });
    const { count, tokens } = await answerOf<{ count: number; tokens: number[] }>(encoded);
    expect(tokens).toHaveLength(count);
    const decoded = await person.call("POST", "/v1/detokenize", { model: "local", tokens });
    expect(await answerOf(decoded)).toMatchObject({ prompt });
    expect((await person.tokens()).spent).toBe(0);
  });
});

describe("what an Admin does can be repeated", () => {
  it("a Grant with the same id is one Grant, with other content a conflict", async () => {
    const path = `/people/${person.id}/grants`;
    const grant = { id: "twice", tokens: 50, note: "for the paper" };
    const first = await answerOf(await asOperator("POST", path, grant));
    expect(await answerOf(await asOperator("POST", path, grant))).toEqual(first);
    expect((await person.tokens()).granted).toBe(1_050);
    const other = await asOperator("POST", path, { ...grant, tokens: 51 });
    expect(other.status).toBe(409);
    expect(other.headers.get("x-should-retry")).toBe("false");
    expect((await errorOf(other)).code).toBe("idempotency_conflict");
  });

  it("two Grants with one id at once are one", async () => {
    const someone = await newPerson(stack, { tokens: 0 });
    await Promise.all(Array.from({ length: 20 }, () => someone.grant(7, "same")));
    expect((await someone.tokens()).granted).toBe(7);
  });

  it("a key with the same id is one key, whose secret is shown once", async () => {
    const mint = { id: "laptop", name: "laptop" };
    const first = await person.mint(mint);
    const again = await person.mint(mint);
    expect(again).toMatchObject({ id: first.id, key: null });
    expect((await person.with(first).complete({ prompt: "a", max_tokens: 1 })).status).toBe(200);
  });

  it("a person is one by the e-mail address", async () => {
    const email = `Twice-${Date.now()}@example.org`;
    const one = await admin<{ id: string }>(stack, "POST", "/people", { email });
    const two = await admin(stack, "POST", "/people", { email: email.toLowerCase() });
    expect(two).toEqual(one);
  });

  it("revoking twice keeps the first moment and reason", async () => {
    const someone = await newPerson(stack);
    await someone.revoke("first");
    await someone.revoke("second");
    const response = await someone.call("GET", "/v1/account");
    expect((await errorOf(response)).message).toContain("(first)");
  });
});

describe("a Grant that expires", () => {
  it("lapses at its moment, and only what of it is left", async () => {
    const someone = await newPerson(stack, { tokens: 100 });
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    await answerOf(
      await asOperator("POST", `/people/${someone.id}/grants`, { tokens: 40, expires_at }),
    );
    const asked = { prompt: [1, 2], max_tokens: 8, ignore_eos: true };
    await (await someone.complete(asked)).text();
    expect(await someone.settled()).toMatchObject({ granted: 140, spent: 10, available: 130 });
    const lapsed = await until(
      "the lapse",
      () => someone.tokens(),
      ({ granted }) => granted < 140,
    );
    expect(lapsed).toEqual({ granted: 110, spent: 10, held: 0, available: 100 });
  });
});

// A key that ends: the next request is refused and told why, and what runs is cut. On a stack of its
// own, where what has run for a second hears of it at once.
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { deliveredTokens } from "./event-stream.ts";
import { errorOf, newPerson, type Person } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";
import { type StackProcess, startStack } from "./stack-process.ts";
import { until } from "./until.ts";

const shared = inject("stack");
const engine = new Engine(shared);
let running: StackProcess;

beforeAll(async () => {
  const { engine: url, engineKey: key } = shared;
  running = await startStack({ engine: { url, key }, holdLeaseSeconds: 3 });
});

afterAll(() => running.stop());

afterEach(async () => {
  leaveAll();
  await engine.disarm();
  await engine.idle();
});

const asked = { prompt: [1, 2, 3], max_tokens: 2, ignore_eos: true };
const streamed = {
  ...asked,
  max_tokens: 500,
  stream: true,
  stream_options: { include_usage: true, continuous_usage_stats: true },
};

describe("a revoked key", () => {
  it("is refused from the next request on, in the middle of a loop, with the reason", async () => {
    const person = await newPerson(running.stack);
    const client = person.sdk();
    const params = { model: "local", prompt: "Call me", max_tokens: 1 };
    for (let i = 0; i < 5; i++) await client.completions.create(params);
    const before = Date.now();
    await person.revoke("left on a laptop");
    const failure = await client.completions.create(params).catch((reason: unknown) => reason);
    if (!(failure instanceof OpenAI.AuthenticationError)) throw new Error("it was not refused");
    expect(failure.code).toBe("invalid_api_key");
    expect(failure.message).toContain("left on a laptop");
    const at = Date.parse(/\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(failure.message)?.[0] ?? "");
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it("is refused on every route, whatever else is wrong with the request", async () => {
    const person = await newPerson(running.stack);
    await person.revoke("gone");
    const answers = await Promise.all([
      person.call("GET", "/v1/models"),
      person.call("GET", "/v1/account"),
      person.call("GET", "/v1/usage"),
      person.call("POST", "/v1/tokenize", { model: "local", prompt: "a" }),
      person.call("POST", "/v1/completions", { model: "none" }),
      person.call("POST", "/v1/completions", { nonsense: 1 }),
      person.call("GET", "/v1/admin/people"),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect((await errorOf(answer)).code).toBe("invalid_api_key");
    }
  });

  it("leaves the person's other keys alone", async () => {
    const person = await newPerson(running.stack);
    const other = person.with(await person.mint());
    await person.revoke("rotated");
    expect((await other.complete(asked)).status).toBe(200);
  });

  it("takes those of its requests out of the line that wait", async () => {
    const person = await newPerson(running.stack, { limits: { running: 1 } });
    const other = person.with(await person.mint());
    await engine.arm("hang");
    const runs = new RawRequest(other, asked);
    await engine.busy(1);
    const waits = person.complete(asked);
    await until(
      "a line of 1",
      () => person.record(),
      ({ waiting }) => waiting === 1,
    );
    await person.revoke("gone");
    expect((await waits).status).toBe(401);
    runs.leave();
  });
});

describe("what runs when its key ends", () => {
  it.each([
    { what: "a revoked key", end: (p: Person) => p.revoke("stop"), code: "invalid_api_key" },
    {
      what: "a disabled person",
      end: (p: Person) => p.change({ disabled: true }),
      code: "account_disabled",
    },
  ])("is cut in mid-stream and charged as delivered: $what", async ({ end, code }) => {
    const person = await newPerson(running.stack);
    await engine.arm("hang-mid", { at: 9 });
    const request = new RawRequest(person, streamed);
    await request.chunks(9);
    await end(person);
    const { ended } = await request.ended();
    const { chunks, error, done } = request.stream;
    expect({ ended, done }).toEqual({ ended: "whole", done: false });
    expect(error?.code).toBe(code);
    await engine.idle();
    expect(await spentOf(person)).toBe(3 + deliveredTokens(chunks));
    expect(deliveredTokens(chunks)).toBe(9);
  });

  it("is cut while tokens flow, long before its end", async () => {
    const person = await newPerson(running.stack);
    await engine.arm("drip", { ms: 1 });
    const request = new RawRequest(person, { ...streamed, max_tokens: 4_000 });
    await request.chunks(1);
    await person.revoke("stop");
    await request.ended();
    const { chunks, error, done } = request.stream;
    expect(error?.code).toBe("invalid_api_key");
    expect(done).toBe(false);
    await engine.idle();
    expect(await spentOf(person)).toBe(3 + deliveredTokens(chunks));
    expect(deliveredTokens(chunks)).toBeLessThan(4_000);
  });

  it("is answered 401 before it had a token, and costs nothing", async () => {
    const person = await newPerson(running.stack);
    await engine.arm("hang");
    const request = new RawRequest(person, asked);
    await engine.busy(1);
    await person.revoke("stop");
    const { status, body } = await request.ended();
    expect(status).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_api_key" } });
    await engine.idle();
    expect(await spentOf(person)).toBe(0);
  });

  it("goes on when the key only expires, which stops new requests", async () => {
    const person = await newPerson(running.stack);
    const expiresAt = Date.now() + 1_500;
    const expiring = person.with(
      await person.mint({ expires_at: new Date(expiresAt).toISOString() }),
    );
    await engine.arm("drip", { ms: 2 });
    const request = new RawRequest(expiring, { ...streamed, max_tokens: 30 });
    await request.chunks(1);
    const refused = await until(
      "the key's end",
      () => expiring.complete(asked),
      ({ status }) => status === 401,
    );
    expect((await errorOf(refused)).message).toContain(new Date(expiresAt).toISOString());
    await request.ended();
    expect(request.stream.done).toBe(true);
  });
});

describe("a disabled person", () => {
  it("is refused 403 by every key, until enabled again", async () => {
    const person = await newPerson(running.stack);
    const other = person.with(await person.mint());
    await person.change({ disabled: true });
    for (const one of [person, other]) {
      const response = await one.complete(asked);
      expect(response.status).toBe(403);
      expect((await errorOf(response)).code).toBe("account_disabled");
    }
    await person.change({ disabled: false });
    expect((await person.complete(asked)).status).toBe(200);
  });
});

describe("an expired key", () => {
  it("is refused with the moment of its end", async () => {
    const person = await newPerson(running.stack);
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    const expired = person.with(await person.mint({ expires_at: expiresAt }));
    const response = await until(
      "the key's end",
      () => expired.complete(asked),
      ({ status }) => status === 401,
    );
    const { code, message } = await errorOf(response);
    expect(code).toBe("invalid_api_key");
    expect(message).toContain(expiresAt);
  });
});

/** By the admin API, since the person's own key is worth nothing any more. */
async function spentOf(person: Person): Promise<number> {
  const { tokens } = await until(
    "the end of all Holds",
    () => person.record(),
    (record) => record.tokens.held === 0,
  );
  return tokens.spent;
}

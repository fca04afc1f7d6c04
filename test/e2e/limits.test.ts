// What a person may do at once and in a minute, and that one limit's refusal moves no other.
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { errorOf, newPerson, type Person } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";
import { until } from "./until.ts";

const stack = inject("stack");
const engine = new Engine(stack);

afterEach(async () => {
  leaveAll();
  await engine.disarm();
  await engine.idle();
});

const asked = { prompt: [1, 2], max_tokens: 3, ignore_eos: true };

describe("concurrency", () => {
  it("runs 16 by default, the others in line, and all of them in the end", async () => {
    const limits = { running: 16, waiting: 64 };
    const person = await newPerson(stack, { limits });
    await engine.arm("drip", { count: 60, ms: 2 });
    let most = 0;
    let done = false;
    const watch = async () => {
      while (!done) {
        const { running, waiting } = await engine.counters();
        most = Math.max(most, running + waiting);
      }
    };
    const watching = watch();
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const response = await person.complete({ ...asked, max_tokens: 6, stream: true });
        await response.text();
        return response.status;
      }),
    );
    done = true;
    await watching;
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(most).toBe(16);
    expect((await person.settled()).spent).toBe(60 * 8);
  });

  it("never runs more than it may while clients come and go", async () => {
    const person = await newPerson(stack, { limits: { running: 4, waiting: 40 } });
    await engine.arm("hang", { count: 30 });
    const requests = Array.from({ length: 30 }, () => new RawRequest(person, asked));
    await until(
      "the line",
      () => person.record(),
      ({ waiting }) => waiting === 26,
    );
    for (const request of requests) {
      // An abort and the next start are two connections: the engine may see the second one first.
      await engine.atMost(4);
      request.leave();
    }
    await engine.idle();
    const { running, waiting } = await until(
      "the end of the line",
      () => person.record(),
      (record) => record.running + record.waiting === 0,
    );
    expect({ running, waiting }).toEqual({ running: 0, waiting: 0 });
  });

  it("refuses at once what finds the line full, and says when to come back", async () => {
    const person = await newPerson(stack, { limits: { running: 1, waiting: 2 } });
    await engine.arm("hang");
    const runs = new RawRequest(person, asked);
    await engine.busy(1);
    const waiting = [person.complete(asked), person.complete(asked)];
    await until(
      "a line of 2",
      () => person.record(),
      (record) => record.waiting === 2,
    );
    const refused = await person.complete(asked);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await errorOf(refused)).code).toBe("rate_limited");
    runs.leave();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
  });

  it("is each person's own", async () => {
    const busy = await newPerson(stack, { limits: { running: 1 } });
    const other = await newPerson(stack, { limits: { running: 1 } });
    await engine.arm("hang");
    const runs = new RawRequest(busy, asked);
    await engine.busy(1);
    expect((await other.complete(asked)).status).toBe(200);
    runs.leave();
    await busy.settled();
  });

  it("frees its places after failures", async () => {
    const person = await newPerson(stack, { limits: { running: 2, waiting: 2 } });
    await engine.arm("500", { count: 3 });
    await engine.arm("cut", { count: 3 });
    for (let i = 0; i < 6; i++) expect((await person.complete(asked)).status).toBe(502);
    const { running } = await until(
      "free places",
      () => person.record(),
      (record) => record.running === 0,
    );
    expect(running).toBe(0);
    expect((await person.complete(asked)).status).toBe(200);
  });
});

describe("starts a minute", () => {
  it("may all come at once, then one an interval, at the moment that the answer says", async () => {
    const perMinute = 120;
    const person = await newPerson(stack, { limits: { starts_per_minute: perMinute } });
    const burst = await Promise.all(
      Array.from({ length: perMinute }, () => statusOf(person.complete(asked))),
    );
    expect(burst.every((status) => status === 200)).toBe(true);
    const refused = await untilRefused(person);
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect(refused.headers.get("x-ratelimit-limit-requests")).toBe(String(perMinute));
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const waitMs = Number(refused.headers.get("retry-after-ms"));
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(60_000 / perMinute);
    expect(refused.headers.get("retry-after")).toBe(String(Math.ceil(waitMs / 1_000)));
    expect((await errorOf(refused)).code).toBe("rate_limited");
    await pause(waitMs);
    expect((await person.complete(asked)).status).toBe(200);
  });

  it("are 600 for who has no other limit", async () => {
    const { limits } = (await (
      await fetch(`${stack.api}/account`, { headers: { authorization: `Bearer ${stack.key}` } })
    ).json()) as { limits: object };
    expect(limits).toEqual({ running: 16, waiting: 64, starts_per_minute: 600 });
  });

  it("count the tokenizer's calls too", async () => {
    const person = await newPerson(stack, { limits: { starts_per_minute: 2 } });
    const call = { model: "local", prompt: "a" };
    for (const expected of [200, 200, 429]) {
      expect((await person.call("POST", "/v1/tokenize", call)).status).toBe(expected);
    }
  });
});

describe("a refusal by one limit moves no other", () => {
  async function startsLeft(person: Person): Promise<number> {
    const response = await person.call("GET", "/v1/account");
    return Number(response.headers.get("x-ratelimit-remaining-requests"));
  }

  it("a wrong body and too few tokens use up no start", async () => {
    const person = await newPerson(stack, { tokens: 5, limits: { starts_per_minute: 10 } });
    for (let i = 0; i < 5; i++) {
      expect((await person.complete({ ...asked, n: 0 })).status).toBe(400);
      expect((await person.complete({ ...asked, prompt: Array(9).fill(1) })).status).toBe(429);
    }
    expect(await startsLeft(person)).toBe(10);
  });

  it("a full line uses up no start and holds no tokens", async () => {
    const limits = { running: 1, waiting: 1, starts_per_minute: 10 };
    const person = await newPerson(stack, { tokens: 10, limits });
    await engine.arm("hang");
    const runs = new RawRequest(person, asked);
    await engine.busy(1);
    const waits = person.complete(asked);
    await until(
      "a line of 1",
      () => person.record(),
      ({ waiting }) => waiting === 1,
    );
    const before = { starts: await startsLeft(person), tokens: await person.tokens() };
    for (let i = 0; i < 4; i++) {
      expect((await errorOf(await person.complete(asked))).code).toBe("rate_limited");
    }
    expect({ starts: await startsLeft(person), tokens: await person.tokens() }).toEqual(before);
    runs.leave();
    expect((await waits).status).toBe(200);
  });

  it("too many starts hold no tokens and take no place", async () => {
    const person = await newPerson(stack, { limits: { starts_per_minute: 1 } });
    expect((await person.complete(asked)).status).toBe(200);
    const before = await person.settled();
    for (let i = 0; i < 4; i++) {
      expect((await errorOf(await person.complete(asked))).code).toBe("rate_limited");
    }
    expect(await person.tokens()).toEqual(before);
    expect((await person.record()).running).toBe(0);
  });
});

async function statusOf(call: Promise<Response>): Promise<number> {
  const response = await call;
  await response.text();
  return response.status;
}

/** The burst takes a while, in which some starts come back. */
async function untilRefused(person: Person): Promise<Response> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await person.complete(asked);
    if (response.status === 429) return response;
    await response.text();
  }
  throw new Error("the starts of a minute have no end");
}

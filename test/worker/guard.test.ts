// The guard at the door, counting by the Workers rate limiting binding, as it is in workerd.
import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  GUARD_ASKS_MOST,
  GUARD_FAILURES_MOST,
  GUARD_LOUD_EVERY_MS,
  GUARD_SHUT_MS,
  GUARD_WINDOW_SECONDS,
} from "../../src/contract/guard.ts";
import { Guard } from "../../src/worker/guard/guard.ts";
import wrangler from "../../wrangler.toml?raw";
import { newVisitor } from "./app/visitor.ts";
import { admin, call, errorOf, newPerson, read } from "./calling.ts";
import { send } from "./sending-events.ts";

afterEach(() => void vi.restoreAllMocks());

const madeUp = `ctn_${"a".repeat(16)}_${"b".repeat(40)}`;

let networks = 0;

/** One that no other test has. */
function newAddress(): { "cf-connecting-ip": string } {
  networks += 1;
  return { "cf-connecting-ip": `198.51.100.${networks}` };
}

/** Calls until it is answered 429. The window is the clock's, so one may end in the middle. */
async function untilShut(
  failing: () => Promise<Response>,
): Promise<{ tries: number; last: Response }> {
  for (let tries = 1; tries <= 3 * GUARD_FAILURES_MOST; tries++) {
    const last = await failing();
    if (last.status === 429) return { tries, last };
    await last.text();
  }
  throw new Error("nobody was shut out");
}

describe("made-up keys", () => {
  test("are refused 401, and 429 with the time to wait once there were too many", async () => {
    const headers = newAddress();
    const { tries, last } = await untilShut(() => call("/v1/account", { key: madeUp, headers }));
    expect(tries).toBeGreaterThan(GUARD_FAILURES_MOST);
    const waitSeconds = Number(last.headers.get("retry-after"));
    expect(waitSeconds).toBeGreaterThan(0);
    expect(waitSeconds).toBeLessThanOrEqual(GUARD_SHUT_MS / 1_000);
    expect(await errorOf(last)).toMatchObject({ code: "rate_limited", retry: "true" });
  });

  test("shut out nobody with a right key behind the same address, and nobody behind another", async () => {
    const { key } = await newPerson();
    const headers = newAddress();
    await untilShut(() => call("/v1/account", { key: madeUp, headers }));
    expect((await call("/v1/account", { key, headers })).status).toBe(200);
    const elsewhere = { key: madeUp, headers: newAddress() };
    expect((await call("/v1/account", elsewhere)).status).toBe(401);
  });

  test("from the same network of IPv6 are counted together", async () => {
    let host = 0;
    const { tries } = await untilShut(() => {
      host += 1;
      const headers = { "cf-connecting-ip": `2001:db8:1:1::${host.toString(16)}` };
      return call("/v1/account", { key: madeUp, headers });
    });
    expect(tries).toBeGreaterThan(GUARD_FAILURES_MOST);
  });

  test("without an address are never held against anybody", async () => {
    const answers = new Set<number>();
    for (let i = 0; i < 2 * GUARD_FAILURES_MOST; i++)
      answers.add((await call("/v1/account", { key: madeUp })).status);
    expect([...answers]).toEqual([401]);
  });

  test("in any number wake no object of ours", async () => {
    const kinds = [env.ACCOUNT, env.DIRECTORY, env.INFERENCE, env.SPEND_LIMIT];
    const awake = async () =>
      (await Promise.all(kinds.map((kind) => listDurableObjectIds(kind)))).map(String);
    const before = await awake();
    const statuses = new Set<number>();
    for (let i = 0; i < 1_000; i += 100) {
      const hundred = Array.from({ length: 100 }, (_, j) => {
        const key = `ctn_${"a".repeat(16)}_${String(i + j).padStart(40, "0")}`;
        return call("/v1/completions", { method: "POST", key, body: {} });
      });
      for (const { status } of await Promise.all(hundred)) statuses.add(status);
    }
    expect([...statuses]).toEqual([401]);
    expect(await awake()).toEqual(before);
  });
});

describe("a key that was revoked", () => {
  test("tells why, and is refused before its Account is asked once that was too often", async () => {
    const person = await newPerson();
    await read(admin("POST", `/keys/${person.keyId}/revoke`, { reason: "leaked" }));
    const other = await read<{ key: string }>(
      admin("POST", `/people/${person.id}/keys`, { name: "other" }),
    );
    const headers = newAddress();
    const first = await errorOf(call("/v1/account", { key: person.key, headers }));
    expect(first.message).toContain("leaked");
    await untilShut(() => call("/v1/account", { key: person.key, headers }));
    const get = vi.spyOn(env.ACCOUNT, "get");
    expect((await call("/v1/account", { key: person.key, headers })).status).toBe(429);
    expect(get).not.toHaveBeenCalled();
    expect((await call("/v1/account", { key: other.key, headers })).status).toBe(200);
    expect((await call("/v1/account", { key: person.key, headers: newAddress() })).status).toBe(
      401,
    );
  });
});

describe("webhooks", () => {
  test("with bad signatures are refused 429 once there were too many, and good ones taken", async () => {
    const headers = newAddress();
    const forged = { ...headers, "webhook-signature": "v1,AAAA" };
    await untilShut(() => send({ type: "x" }, { headers: forged }));
    expect((await send({ type: "x" }, { headers })).status).toBe(200);
  });
});

describe("sign-ins", () => {
  test("that fail are refused 429, as a page that says when to try again", async () => {
    const headers = { ...newAddress(), accept: "text/html" };
    const { last } = await untilShut(() => call("/sign-in/callback?code=x&state=y", { headers }));
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await last.text()).toContain("Too many failures from your network");
  });
});

describe("what the guard counts with", () => {
  test("has the bounds of the code", () => {
    const bounds = [...wrangler.matchAll(/simple = \{ limit = (\d+), period = (\d+) \}/g)];
    expect(bounds.map(([, limit, period]) => [Number(limit), Number(period)])).toEqual([
      [GUARD_FAILURES_MOST, GUARD_WINDOW_SECONDS],
      [GUARD_ASKS_MOST, GUARD_WINDOW_SECONDS],
    ]);
  });

  test("never learns an address or a key", async () => {
    const seen: string[] = [];
    const limiter = async (who: string) => {
      seen.push(who);
      return null;
    };
    const guard = new Guard({ failures: limiter, asks: limiter }, "a secret");
    await guard.countFailure("key 192.0.2.1", 0);
    await guard.countFailure("key 192.0.2.1", 0);
    await guard.countAsk("key 192.0.2.2", 0);
    await new Guard({ failures: limiter, asks: limiter }, "another").countFailure(
      "key 192.0.2.1",
      0,
    );
    expect(seen.every((who) => /^[0-9a-f]{32}$/.test(who))).toBe(true);
    expect(seen[0]).toBe(seen[1]);
    expect(new Set(seen).size).toBe(3);
  });

  test("is not asked while somebody is shut out", async () => {
    let asked = 0;
    const limiter = async (_: string, now: number) => {
      asked += 1;
      return now + 1_000;
    };
    const guard = new Guard({ failures: limiter, asks: limiter }, "a secret");
    expect(await guard.countAsk("a", 0)).toBe(1_000);
    expect(await guard.countAsk("a", 1)).toBe(999);
    expect(asked).toBe(1);
  });

  test("may fail: nobody is shut out, and the log says so, once a minute", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    const limiter = () => Promise.reject(new Error("down"));
    const guard = new Guard({ failures: limiter, asks: limiter }, "a secret");
    for (let i = 0; i < 100; i++) await guard.countFailure("a", i);
    expect(await guard.countAsk("a", 100)).toBe(0);
    expect(guard.isIdle).toBe(true);
    expect(log).toHaveBeenCalledTimes(1);
    expect(log.mock.calls[0]?.[0]).toMatchObject({ event: "guard_open", failure: "Error: down" });
    await guard.countFailure("a", GUARD_LOUD_EVERY_MS);
    expect(log).toHaveBeenCalledTimes(2);
  });
});

test("Token requests of one address are refused once there were too many", async () => {
  const member = await newVisitor({ address: newAddress()["cf-connecting-ip"] });
  const statuses: number[] = [];
  for (let i = 0; i <= 2 * GUARD_ASKS_MOST; i++) {
    const form = { id: `ask${i}`, tokens: "1000", reason: "to try" };
    const answer = await member.post("/usage/requests", form);
    statuses.push(answer.status);
  }
  expect(statuses).toContain(303);
  expect(statuses.at(-1)).toBe(429);
});

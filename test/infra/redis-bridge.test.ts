// Upstash's own client against the bridge with a real Redis behind it.
import { createServer } from "node:http";
import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalRedis, startLocalRedis } from "../../infra/local/redis/redis-process.ts";
import { parseConfiguration } from "../../src/contract/configuration.ts";
import { GUARD_FAILURES_MOST } from "../../src/contract/guard.ts";
import { limitersOf } from "../../src/worker/guard/limiters.ts";
import { onLoopback } from "../upstream/on-loopback.ts";

let local: LocalRedis;
let redis: Redis;

beforeAll(async () => {
  local = await startLocalRedis();
  redis = clientOf(local.token);
});

afterAll(() => local.stop());

function clientOf(token: string): Redis {
  return new Redis({ url: local.url, token, retry: false, enableTelemetry: false });
}

describe("the bridge", () => {
  test("brings commands to Redis and their replies back, text of any kind too", async () => {
    const text = 'é 🙂\r\n"{"';
    expect(await redis.set("text", text)).toBe("OK");
    expect(await redis.get("text")).toBe(text);
    expect(await redis.incrby("count", 3)).toBe(3);
    expect(await redis.get("nothing")).toBeNull();
    await redis.rpush("list", "a", "b");
    expect(await redis.lrange("list", 0, -1)).toEqual(["a", "b"]);
  });

  test("runs several at once, in order, and as one transaction", async () => {
    expect(await redis.pipeline().set("p", "1").incr("p").get("p").exec()).toEqual(["OK", 2, 2]);
    expect(await redis.multi().set("m", "1").incr("m").exec()).toEqual(["OK", 2]);
  });

  test("hands on what Redis refuses, and answers nobody without the token", async () => {
    await redis.set("word", "x");
    await expect(redis.incr("word")).rejects.toThrow("not an integer");
    await expect(clientOf("another").get("word")).rejects.toThrow("WRONGPASS");
  });

  test("keeps the library's limit, which counts by a script with a shebang", async () => {
    const limit = new Ratelimit({
      redis,
      limiter: Ratelimit.slidingWindow(3, "60 s"),
      prefix: "test",
      ephemeralCache: false,
    });
    const answers = [];
    for (let i = 0; i < 8; i++) answers.push(await limit.limit("who"));
    const refused = answers.filter(({ success }) => !success);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(refused[0]?.reset).toBeGreaterThan(Date.now() - 60_000);
    expect((await limit.limit("another")).success).toBe(true);
  });

  test("says that Redis is not there, and goes on when it is back", async () => {
    await local.kill();
    await expect(redis.get("text")).rejects.toThrow("Redis is not there");
    await local.revive();
    expect(await redis.set("text", "again")).toBe("OK");
  });
});

describe("the Worker's counting on it", () => {
  const secrets = { KEY_CHECK_SECRETS: "k".repeat(32), CACHE_SALT_SECRET: "s".repeat(32) };
  const limitersAt = (url: string) => {
    const redisAt = { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: local.token };
    return limitersOf(parseConfiguration({ ...secrets, BACKENDS: "{}", ...redisAt }), {});
  };

  test("says until when who failed too often is shut out", async () => {
    const failures = limitersAt(local.url)?.failures;
    const answers: (number | null | undefined)[] = [];
    for (let i = 0; i < 3 * GUARD_FAILURES_MOST; i++) answers.push(await failures?.("who", 0));
    expect(answers.slice(0, GUARD_FAILURES_MOST / 2).every((until) => until === null)).toBe(true);
    expect(answers.at(-1)).toBeGreaterThan(Date.now());
  });

  test("fails, so that the guard opens, when Redis is not there or does not answer", async () => {
    const silent = createServer(() => undefined);
    const { url, close } = await onLoopback(silent);
    await expect(limitersAt(url)?.failures("who", 0)).rejects.toThrow();
    close();
    await expect(limitersAt(url)?.failures("who", 0)).rejects.toThrow();
  });
});

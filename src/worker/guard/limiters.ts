// Two ways to count: on Upstash Redis, for the whole world, where it is configured; else by the Workers
// rate limiting binding, for one of Cloudflare's locations.
import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis/cloudflare";
import type { Configuration } from "../../contract/configuration.ts";
import {
  GUARD_ASKS_MOST,
  GUARD_FAILURES_MOST,
  GUARD_SHUT_MS,
  GUARD_TIMEOUT_MS,
  GUARD_WINDOW_SECONDS,
} from "../../contract/guard.ts";

/** Counts one, and says until when `who` has had too many, in ms since 1970; null for not yet. */
export type Limiter = (who: string, now: number) => Promise<number | null>;

export interface Limiters {
  failures: Limiter;
  asks: Limiter;
}

/** As much of the Workers binding as is used here. */
interface Binding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** Null where nothing is there to count with, as in a test. */
export function limitersOf(configuration: Configuration, env: unknown): Limiters | null {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = configuration;
  if (url !== undefined && token !== undefined) {
    const redis = redisAt(url, token);
    return {
      failures: byUpstash(redis, "failures", GUARD_FAILURES_MOST),
      asks: byUpstash(redis, "asks", GUARD_ASKS_MOST),
    };
  }
  const { GUARD_FAILURES: failures, GUARD_ASKS: asks } = env as {
    [name in "GUARD_FAILURES" | "GUARD_ASKS"]?: Binding;
  };
  if (failures === undefined || asks === undefined) return null;
  return { failures: byBinding(failures), asks: byBinding(asks) };
}

function redisAt(url: string, token: string): Redis {
  return new Redis({
    ...{ url, token, enableTelemetry: false },
    // It would gather commands of several requests into one, and workerd lets none wait for another's.
    enableAutoPipelining: false,
    retry: false,
    signal: () => AbortSignal.timeout(GUARD_TIMEOUT_MS),
  });
}

function byUpstash(redis: Redis, name: string, most: number): Limiter {
  const limit = new Ratelimit({
    redis,
    prefix: `continuo:guard:${name}`,
    limiter: Ratelimit.slidingWindow(most, `${GUARD_WINDOW_SECONDS} s`),
    timeout: GUARD_TIMEOUT_MS,
    // The guard has a memory of its own, which it asks before this is called.
    ephemeralCache: false,
  });
  return async (who) => {
    const { success, reset, reason } = await limit.limit(who);
    if (reason === "timeout") throw new Error(`no answer within ${GUARD_TIMEOUT_MS} ms`);
    return success ? null : reset;
  };
}

function byBinding(binding: Binding): Limiter {
  return async (who, now) => {
    const { success } = await binding.limit({ key: who });
    return success ? null : now + GUARD_SHUT_MS;
  };
}

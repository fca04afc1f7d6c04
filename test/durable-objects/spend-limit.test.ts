import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SPEND_LIMIT_USD } from "../../src/contract/limits.ts";
import type { SpendTick, SpendVerdict } from "../../src/contract/spend.ts";
import { RUNNING_TRUSTED_MS } from "../../src/core/spend-limit.ts";
import { type ObjectBindings, spendLimitOf } from "../../src/durable-objects/objects.ts";
import { SpendLimit } from "../../src/durable-objects/spend-limit/spend-limit.ts";

/** No machine's clock is there yet, so an alarm only comes where a test runs it. */
const NOON = Date.UTC(2100, 2, 15, 12);
const APRIL = Date.UTC(2100, 3, 1);
const byLimit = { paused: true, reason: "spend_limit", liftsAt: APRIL };

const stub = env.SPEND_LIMIT.getByName("spend-limit");

function tick(usd: number, rest: Partial<SpendTick> = {}): SpendTick {
  const day = { day: "2100-03-15", containerSeconds: usd * 100, usd, estimated: false };
  const running = { containers: 0, usdPerHour: 0, windDownUsd: 0 };
  return { model: "large", at: Date.now(), days: [day], running, ...rest };
}

/** What the Inference objects were told, and which of them cannot be. */
let told: { model: string; verdict: SpendVerdict }[] = [];
let unreachable: string[] = [];
let failures = 0;

/** A new object on the same disk, among Inference objects that only note what they are told. */
async function withLimit<T>(
  run: (limit: SpendLimit, storage: DurableObjectStorage) => Promise<T>,
): Promise<T> {
  const get = ({ model }: { model: string }) => ({
    spendChanged: async (verdict: SpendVerdict) => {
      if (unreachable.includes(model)) {
        failures += 1;
        throw new Error("unreachable");
      }
      told.push({ model, verdict });
    },
  });
  const INFERENCE = { idFromName: (model: string) => ({ model }), get };
  return await runInDurableObject(stub, async (_, context) => {
    const limit = new SpendLimit(context, { ...env, INFERENCE } as unknown as ObjectBindings);
    return await run(limit, context.storage);
  });
}

function hears(...models: string[]) {
  return vi.waitFor(() => expect(told.map(({ model }) => model).sort()).toEqual(models));
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  await runInDurableObject(stub, (_, { storage }) => {
    for (const table of ["settings", "models", "days"]) storage.sql.exec(`DELETE FROM ${table}`);
  });
  await evictDurableObject(stub);
  [told, unreachable, failures] = [[], [], 0];
});

afterEach(() => void vi.useRealTimers());

describe("the Spend limit", () => {
  test("is the configured one until an Admin sets another, which outlives the object", async () => {
    await withLimit(async (limit) => {
      expect(await limit.overview()).toMatchObject({ limitUsd: SPEND_LIMIT_USD, spentUsd: 0 });
      expect(await limit.change({ limitUsd: 20 })).toMatchObject({ limitUsd: 20 });
      expect(await limit.change({ pausedByHand: true })).toMatchObject({ limitUsd: 20 });
    });
    await withLimit(async (limit) => {
      expect(await limit.verdict()).toEqual({ paused: true, reason: "by_hand", liftsAt: null });
      expect(await limit.overview()).toMatchObject({ limitUsd: 20, pausedByHand: true });
      const change = { pausedByHand: false };
      const changed = { limitUsd: 20, pausedByHand: false, verdict: { paused: false } };
      expect(await limit.change(change)).toMatchObject(changed);
    });
  });

  test("answers each tick with its verdict, and knows what it heard after an eviction", async () => {
    const running = { containers: 2, usdPerHour: 36, windDownUsd: 3 };
    const last = tick(97, { model: "small", running });
    await withLimit(async (limit) => {
      expect(await limit.tick(tick(400))).toEqual({ paused: false });
      expect(await limit.tick(last)).toEqual(byLimit);
    });
    await withLimit(async (limit) => {
      expect(await limit.tick(last)).toEqual(byLimit);
      expect(await limit.overview()).toMatchObject({
        ...{ month: "2100-03", spentUsd: 497, windDownUsd: 3, usdPerHour: 36, verdict: byLimit },
        models: [
          { model: "large", usd: 400 },
          { model: "small", usd: 97, containers: 2 },
        ],
        days: [{ day: "2100-03-15", usd: 497, containerSeconds: 49_700 }],
      });
    });
  });

  test("that was reached stays so after an eviction, with nothing running any more", async () => {
    const running = { containers: 1, usdPerHour: 36, windDownUsd: 100 };
    await withLimit((limit) => limit.tick(tick(450, { running })));
    vi.setSystemTime(NOON + RUNNING_TRUSTED_MS);
    await withLimit(async (limit) => {
      expect(await limit.verdict()).toEqual(byLimit);
      expect(await limit.overview()).toMatchObject({ windDownUsd: 0, spentUsd: 450 });
    });
  });

  test("forgets days of more than a year ago", async () => {
    const old = { day: "2099-02-28", containerSeconds: 1, usd: 1, estimated: false };
    await withLimit(async (limit, { sql }) => {
      const days = () => [...sql.exec("SELECT day FROM days ORDER BY day")].map(({ day }) => day);
      vi.setSystemTime(Date.UTC(2100, 1, 28));
      await limit.tick(tick(0, { days: [old, { ...old, day: "2099-03-01" }] }));
      expect(days()).toEqual(["2099-02-28", "2099-03-01"]);
      vi.setSystemTime(NOON);
      await limit.tick(tick(1));
      expect(days()).toEqual(["2099-03-01", "2100-03-15"]);
    });
  });

  test("wakes at the month's turn, also where the alarm before it never came", async () => {
    await withLimit(async (limit, storage) => {
      await limit.tick(tick(500));
      expect(await storage.getAlarm()).toBe(APRIL);
      await storage.deleteAlarm();
    });
    await withLimit(async (limit, storage) => {
      expect(await limit.verdict()).toEqual(byLimit);
      expect(await storage.getAlarm()).toBe(APRIL);
      vi.setSystemTime(APRIL);
      expect(await limit.verdict()).toEqual({ paused: false });
      expect(await storage.getAlarm()).toBe(Date.UTC(2100, 4, 1));
    });
  });
});

describe("a verdict that changes", () => {
  test("is told to every Model at once, but to the one whose tick it answers", async () => {
    await withLimit(async (limit) => {
      for (const model of ["first", "second", "third"]) await limit.tick(tick(1, { model }));
      expect(told).toEqual([]);
      expect(await limit.tick(tick(499, { model: "first" }))).toEqual(byLimit);
      await hears("second", "third");
      expect(told.map(({ verdict }) => verdict)).toEqual([byLimit, byLimit]);
      await limit.tick(tick(499, { model: "second" }));
      await limit.change({ pausedByHand: true });
      await hears("first", "second", "second", "third", "third");
    });
  });

  test("lifts at the month's turn by the alarm, where nobody asks", async () => {
    await withLimit(async (limit) => {
      await limit.tick(tick(500));
      vi.setSystemTime(APRIL);
      await limit.alarm();
      await hears("large");
      expect(told[0]?.verdict).toEqual({ paused: false });
    });
  });

  test("is told again at the next tick to a Model that could not be reached, and once", async () => {
    await withLimit(async (limit) => {
      for (const model of ["first", "second"]) await limit.tick(tick(1, { model }));
      unreachable = ["first"];
      await limit.change({ pausedByHand: true });
      await hears("second");
      await vi.waitFor(() => expect(failures).toBe(1));
      unreachable = [];
      await limit.tick(tick(1, { model: "second" }));
      await hears("first", "second");
      await limit.tick(tick(1, { model: "second" }));
      expect(told).toHaveLength(2);
    });
  });

  test("is not told for ever to a Model that is gone", async () => {
    await withLimit(async (limit) => {
      await limit.tick(tick(1, { model: "gone" }));
      unreachable = ["gone"];
      await limit.change({ pausedByHand: true });
      await vi.waitFor(() => expect(failures).toBe(1));
      vi.setSystemTime(NOON + RUNNING_TRUSTED_MS);
      await limit.tick(tick(1));
      expect(failures).toBe(1);
    });
  });

  test("that has changed again while it was told is told again", async () => {
    await withLimit(async (limit) => {
      await limit.tick(tick(1));
      await Promise.all([
        limit.change({ pausedByHand: true }),
        limit.change({ pausedByHand: false }),
      ]);
      await hears("large", "large");
      expect(told.map(({ verdict }) => verdict.paused)).toEqual([true, false]);
    });
  });
});

test("an alarm in workerd itself runs the object", async () => {
  await spendLimitOf(env).tick(tick(500, { model: "local" }));
  vi.setSystemTime(APRIL);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await spendLimitOf(env).verdict()).toEqual({ paused: false });
});

// What GPUs cost and its limit, through the admin API. There is one for all, so its tests go in turn.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { SPEND_LIMIT_MAX_USD, SPEND_LIMIT_USD } from "../../src/contract/limits.ts";
import { spendLimitOf } from "../../src/durable-objects/objects.ts";
import { admin, errorOf, newPerson, read } from "./calling.ts";

interface SpendView {
  limit_usd: number;
  paused: boolean;
  lifts_at: string | null;
}

const change = (body: object) => read<SpendView>(admin("PATCH", "/spend", body));
const show = () => read<SpendView>(admin("GET", "/spend"));

/** Every change, oldest first. */
function deeds() {
  return runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) =>
    storage.sql
      .exec("SELECT who, whom, detail FROM audit WHERE what = 'spend.change' ORDER BY seq")
      .toArray()
      .map(({ who, whom, detail }) => ({ who, whom, detail: JSON.parse(String(detail)) })),
  );
}

beforeEach(async () => {
  await spendLimitOf(env).change({ limitUsd: SPEND_LIMIT_USD, pausedByHand: false });
});

describe("the month's spend", () => {
  test("is shown by Model and by day, with what it reserves and where it will end", async () => {
    const now = Date.now();
    const day = new Date(now).toISOString().slice(0, 10);
    await spendLimitOf(env).tick({
      ...{ model: "local", at: now },
      days: [{ day, containerSeconds: 3_600, usd: 0.1 + 0.2, estimated: true }],
      running: { containers: 1, usdPerHour: 36.32, windDownUsd: 3.026666666 },
    });
    const shown = await show();
    expect(shown).toEqual({
      ...{ month: day.slice(0, 7), limit_usd: SPEND_LIMIT_USD, spent_usd: 0.3 },
      ...{ wind_down_usd: 3.026667, usd_per_hour: 36.32, forecast_usd: expect.any(Number) },
      ...{ paused: false, paused_reason: null, paused_by_hand: false, lifts_at: null },
      models: [
        {
          ...{ model: "local", usd: 0.3, container_seconds: 3_600, containers: 1 },
          ...{ usd_per_hour: 36.32, estimated: true },
        },
      ],
      days: [{ day, usd: 0.3, container_seconds: 3_600 }],
    });
  });

  test("pauses at a limit below it, says until when, and goes on when it is raised", async () => {
    const reached = await change({ limit_usd: 0 });
    expect(reached).toMatchObject({ limit_usd: 0, paused: true, paused_reason: "spend_limit" });
    expect(reached.lifts_at).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
    expect(Date.parse(reached.lifts_at ?? "")).toBeGreaterThan(Date.now());
    expect(await change({ limit_usd: 12.5 })).toMatchObject({ limit_usd: 12.5, paused: false });
    expect(await show()).toMatchObject({ limit_usd: 12.5, paused: false });
  });

  test("is paused and resumed by hand, which leaves the limit", async () => {
    const byHand = { paused: true, paused_reason: "by_hand", paused_by_hand: true, lifts_at: null };
    expect(await change({ paused: true })).toMatchObject({ ...byHand, limit_usd: SPEND_LIMIT_USD });
    expect(await change({ limit_usd: 0, paused: false })).toMatchObject({
      ...{ paused: true, paused_reason: "spend_limit", paused_by_hand: false },
    });
  });
});

describe("a change of it", () => {
  test("is written down, with who did it and whatever it changed", async () => {
    const { id, key } = await newPerson({ role: "admin", scope: "admin", tokens: 0 });
    const before = (await deeds()).length;
    await read(admin("PATCH", "/spend", { limit_usd: 7 }, key));
    await change({ paused: true });
    expect((await deeds()).slice(before)).toEqual([
      { who: id, whom: null, detail: { limitUsd: 7 } },
      { who: "operator", whom: null, detail: { pausedByHand: true } },
    ]);
  });

  test("with an id is done once, and its late repeat undoes nothing", async () => {
    const before = (await deeds()).length;
    await change({ id: "raise", limit_usd: 20 });
    await change({ limit_usd: 30 });
    expect(await change({ id: "raise", limit_usd: 20 })).toMatchObject({ limit_usd: 30 });
    expect(await deeds()).toHaveLength(before + 2);
  });

  test("with an id and other content is a conflict, and changes nothing", async () => {
    await change({ id: "lower", limit_usd: 20 });
    for (const other of [{ limit_usd: 21 }, { paused: true }, {}]) {
      expect(await errorOf(admin("PATCH", "/spend", { id: "lower", ...other }))).toMatchObject({
        ...{ status: 409, code: "idempotency_conflict" },
      });
    }
    expect(await show()).toMatchObject({ limit_usd: 20, paused: false });
  });

  test.each([
    [{ limit_usd: -1 }, "limit_usd"],
    [{ limit_usd: "500" }, "limit_usd"],
    [{ limit_usd: null }, "limit_usd"],
    [{ limit_usd: SPEND_LIMIT_MAX_USD + 1 }, "limit_usd"],
    [{ paused: 1 }, "paused"],
    [{ id: "Not An Id" }, "id"],
    [{ limit: 5 }, "limit"],
  ])("%j is refused by the field's name, and not written down", async (body, param) => {
    const before = await deeds();
    const error = await errorOf(admin("PATCH", "/spend", body));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
    expect(await deeds()).toEqual(before);
    expect(await show()).toMatchObject({ limit_usd: SPEND_LIMIT_USD, paused: false });
  });

  test("is for Admins: a member's change is refused, and changes nothing", async () => {
    const member = await newPerson({ tokens: 0 });
    const refused = { status: 403, code: "admin_required" };
    const trying = admin("PATCH", "/spend", { limit_usd: 1_000 }, member.key);
    expect(await errorOf(trying)).toMatchObject(refused);
    expect(await errorOf(admin("GET", "/spend", undefined, member.key))).toMatchObject(refused);
    expect(await show()).toMatchObject({ limit_usd: SPEND_LIMIT_USD });
  });
});

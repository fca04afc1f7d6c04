import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SPEND_LIMIT_MAX_USD } from "../../../src/contract/limits.ts";
import { spendLimitOf } from "../../../src/durable-objects/objects.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let admin: Visitor;

beforeAll(async () => {
  admin = await newVisitor({ role: "admin" });
});

beforeEach(async () => {
  await spendLimitOf(env).change({ limitUsd: 500, pausedByHand: false });
});

function deeds() {
  return runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) =>
    storage.sql.exec("SELECT who, detail FROM audit WHERE what = 'spend.change'").toArray(),
  );
}

async function limitUsd(): Promise<number> {
  return (await spendLimitOf(env).overview()).limitUsd;
}

describe("the Spend page", () => {
  test("shows the month against the limit, what is reserved, and the Models", async () => {
    const now = Date.now();
    const day = new Date(now).toISOString().slice(0, 10);
    await spendLimitOf(env).tick({
      ...{ model: "local", at: now },
      days: [{ day, containerSeconds: 5_400, usd: 123.456, estimated: true }],
      running: { containers: 2, usdPerHour: 36.5, windDownUsd: 3.5 },
    });
    const shown = await words(admin.get("/admin/spend"));
    expect(shown).toContain("$123.46 of $500.00 spent in ");
    expect(shown).toContain("Spent $123.46 Reserved $3.50 Left $373.04");
    expect(shown).toContain("Now $36.50 an hour");
    expect(shown).toContain("local $123.46 estimated 1.5 2 $36.50");
    expect(shown).toContain("Estimated: no container reported itself");
    expect(shown).toContain("Reserved is the wind-down");
    const html = await (await admin.get("/admin/spend")).text();
    expect(html).toContain("<title>$123.46 of $500.00 spent, 25 %; $3.50 reserved.</title>");
    expect(html).not.toMatch(/ style=|<style|<script(?! src="\/assets\/)/);
  });

  test("says that the limit is reached, and until when", async () => {
    await spendLimitOf(env).change({ limitUsd: 0 });
    const shown = await words(admin.get("/admin/spend"));
    expect(shown).toContain("The Spend limit is reached: new GPU work is paused.");
    expect(shown).toContain("when the month turns.");
  });
});

describe("the limit", () => {
  test("is set in dollars and cents, and written down", async () => {
    const before = (await deeds()).length;
    const form = { id: "a", limit: "$1,234.50" };
    const shown = await followed(admin, await admin.post("/admin/spend/limit", form));
    expect(shown).toContain("The Spend limit is changed.");
    expect(await limitUsd()).toBe(1234.5);
    const rows = await deeds();
    expect(rows).toHaveLength(before + 1);
    expect(rows.at(-1)).toEqual({ who: admin.id, detail: '{"limitUsd":1234.5}' });
  });

  test("sent late a second time does not undo what came between", async () => {
    await admin.post("/admin/spend/limit", { id: "first", limit: "600" });
    await admin.post("/admin/spend/limit", { id: "second", limit: "700" });
    expect((await admin.post("/admin/spend/limit", { id: "first", limit: "600" })).status).toBe(
      303,
    );
    expect(await limitUsd()).toBe(700);
  });

  test.each(["", "-5", "many", "1.234", "1e9", String(SPEND_LIMIT_MAX_USD + 1)])(
    "of %j is refused beside the field, which keeps it",
    async (limit) => {
      const answer = await admin.post("/admin/spend/limit", { id: "c", limit });
      expect(answer.status).toBe(400);
      const html = await answer.text();
      expect(html).toContain('id="limit-error"');
      expect(html).toContain(`value="${limit}"`);
      expect(await limitUsd()).toBe(500);
    },
  );
});

describe("the pause by hand", () => {
  test("asks once, pauses, and is lifted by one button", async () => {
    expect(await words(admin.get("/admin/spend/pause"))).toContain("Pause new GPU work?");
    const paused = await followed(admin, await admin.post("/admin/spend/pause", { id: "d" }));
    expect(paused).toContain("New GPU work is paused by hand");
    expect(await spendLimitOf(env).verdict()).toMatchObject({ paused: true, reason: "by_hand" });
    const resumed = await followed(admin, await admin.post("/admin/spend/resume", { id: "e" }));
    expect(resumed).toContain("The pause by hand is lifted.");
    expect(await spendLimitOf(env).verdict()).toEqual({ paused: false });
  });
});

describe("security", () => {
  test.each(["limit", "pause", "resume"])(
    "%s takes no form of a Member, a stranger or another site",
    async (verb) => {
      const member = await newVisitor();
      const path = `/admin/spend/${verb}`;
      const form = { id: "f", limit: "9" };
      const before = await deeds();
      expect((await member.post(path, form)).status).toBe(403);
      expect((await stranger.post(path, form)).status).toBe(401);
      expect((await admin.post(path, form, "https://evil.test")).status).toBe(403);
      expect(await deeds()).toEqual(before);
      expect(await limitUsd()).toBe(500);
    },
  );

  test.each(["/admin/spend", "/admin/spend/pause"])("%s is shown to Admins alone", async (path) => {
    const member = await newVisitor();
    expect((await member.get(path)).status).toBe(403);
    expect((await stranger.get(path)).status).toBe(303);
  });

  test("an address below that is no page is a page of its own", async () => {
    const answer = await admin.get("/admin/nothing");
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toContain("text/html");
  });
});

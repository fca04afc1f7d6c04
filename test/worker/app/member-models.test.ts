import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { directoryOf, spendLimitOf } from "../../../src/durable-objects/objects.ts";
import { costInWords } from "../../../src/worker/app/member/models-page.tsx";
import { sleepingModel } from "../bindings.ts";
import { admin as adminApi, call, ORIGIN, read } from "../calling.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let member: Visitor;
let admin: Visitor;

beforeAll(async () => {
  member = await newVisitor();
  admin = await newVisitor({ role: "admin" });
});

describe("Home", () => {
  test("shows the tokens, each Model's state, and the three lines with this address", async () => {
    await read(adminApi("POST", `/people/${member.id}/grants`, { tokens: 1_234_567 }));
    const shown = await words(member.get("/"));
    expect(shown).toContain("Tokens available 1,234,567 Granted 1,234,567 Spent 0");
    expect(shown).toContain(`${sleepingModel} cold : the first request waits about 2 min`);
    expect(shown).toContain(`base_url="${ORIGIN}/v1"`);
  });

  test("leads whoever has no key to the first one", async () => {
    const newcomer = await newVisitor();
    expect(await words(newcomer.get("/"))).toContain("Create your first key");
    await newcomer.post("/keys", { id: "first", name: "laptop" });
    expect(await words(newcomer.get("/"))).not.toContain("Create your first key");
  });

  test("is the sign-in page for strangers, and plain text for programs", async () => {
    expect((await stranger.get("/")).headers.get("location")).toBe("/sign-in?to=%2F");
    const text = await call("/");
    expect(text.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(await text.text()).toContain(`${ORIGIN}/v1`);
  });

  test("shows the admin's part of the way around to Admins alone", async () => {
    expect(await (await member.get("/")).text()).not.toContain("/admin/");
    expect(await (await admin.get("/")).text()).toContain("/admin/people");
  });
});

describe("the states of the Models", () => {
  test("come as a fragment that asks again", async () => {
    const fragment = await (await member.get("/models/states")).text();
    expect(fragment).toMatch(
      /^<div class="block" hx-get="\/models\/states" hx-trigger="every \d+s"/,
    );
    expect(fragment).not.toContain("<html");
  });

  test("are no stranger's: the page is told to load itself again", async () => {
    const answer = await stranger.get("/models/states");
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(answer.headers.get("hx-refresh")).toBe("true");
  });
});

describe("Models", () => {
  test("shows what each is, what it costs, and its caps", async () => {
    const shown = await words(member.get("/models"));
    expect(shown).toContain(`${sleepingModel} cold`);
    expect(shown).toContain("GPU 1 × L40S Price $36.00 an hour Context 32,768 tokens");
    expect(shown).toContain("Vocabulary 128,256 tokens");
    expect(shown).toContain("Revision d04e592bb4f6");
    expect(shown).toContain("No start was seen yet.");
  });

  test("says when new work is paused", async () => {
    await spendLimitOf(env).change({ pausedByHand: true });
    try {
      const shown = await words(member.get("/models"));
      expect(shown).toContain("New Completions are refused: an Admin has paused them.");
      const answer = await admin.post(`/models/${sleepingModel}/wake`, { id: "paused" });
      expect(answer.status).toBe(429);
      expect(await words(answer)).toContain("New GPU work is paused.");
    } finally {
      await spendLimitOf(env).change({ pausedByHand: false });
    }
  });
});

describe("Wake", () => {
  test("tells an Admin what it costs before it starts anything, and is written down", async () => {
    const path = `/models/${sleepingModel}/wake`;
    expect(await (await admin.get("/models")).text()).toContain(path);
    const asks = await words(admin.get(path));
    expect(asks).toContain("It takes about 2 min to start");
    expect(asks).toContain("At $36.00 an hour that is about $1.80");
    const answer = await admin.post(path, { id: "one" });
    expect(await followed(admin, answer)).toContain("The Model is starting");
    expect(await words(admin.get("/models"))).toContain(`${sleepingModel} starting`);
    const filter = { who: admin.id, whom: null, what: "model.wake", after: null, limit: 10 };
    const { rows } = await directoryOf(env).audit(filter);
    expect(rows).toMatchObject([{ detail: { model: sleepingModel } }]);
  });

  test("is an Admin's alone, and no other site's", async () => {
    const path = `/models/${sleepingModel}/wake`;
    expect(await (await member.get("/models")).text()).not.toContain("/wake");
    expect((await member.get(path)).status).toBe(403);
    expect((await member.post(path, { id: "two" })).status).toBe(403);
    expect((await stranger.post(path, { id: "three" })).status).toBe(401);
    expect((await admin.post(path, { id: "four" }, "https://elsewhere.example")).status).toBe(403);
    expect((await admin.post("/models/nothing/wake", { id: "five" })).status).toBe(404);
    expect((await admin.post(path, {})).status).toBe(400);
  });

  test.each([
    [{ usdPerHour: 36, idleMs: 60_000 }, 120_000, "that is about $1.80,"],
    [{ usdPerHour: 0, idleMs: 300_000 }, 5_000, "It costs nothing"],
    [{ usdPerHour: 36.32, idleMs: 300_000 }, 900_000, "It takes about 15 min to start"],
  ])("of %j after %d ms says %s", (price, startMs, said) => {
    expect(costInWords(price, startMs)).toContain(said);
  });
});

describe("what pages load", () => {
  test("may be kept for good, each at an address of its content", async () => {
    const html = await (await member.get("/")).text();
    const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets).toHaveLength(4);
    for (const path of assets) {
      const answer = await stranger.get(path ?? "");
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("of an older page is today's, and is asked for again", async () => {
    const answer = await stranger.get("/assets/look-00000000.css");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    expect(answer.headers.get("content-type")).toBe("text/css; charset=utf-8");
  });

  test("of a made-up name is not there", async () => {
    for (const name of ["nothing.js", "constructor", "look-00000000.js", "../x"]) {
      expect((await stranger.get(`/assets/${name}`)).status).toBe(404);
    }
  });

  test("needs neither inline script nor inline style", async () => {
    for (const path of ["/", "/keys", "/keys/new", "/usage", "/usage/requests", "/models"]) {
      const html = await (await member.get(path)).text();
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="\/assets\/)/);
      const answer = await member.get(path);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });
});

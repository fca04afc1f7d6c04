import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/contract/jobs.ts";
import { spendLimitOf } from "../../../src/durable-objects/objects.ts";
import { putRows } from "./job-records.ts";
import { newVisitor, stranger, type Visitor, words } from "./visitor.ts";

const POLLS = /hx-get="([^"]*)" hx-trigger="every 2s"/;

const budget = { granted: 500, spent: 380, held: 0, available: 120, needed: 512 };

function paused(pause: Partial<NonNullable<JobRecord["pause"]>>): Partial<JobRecord> {
  const whole = { reason: "spend_cap", since: Date.now(), budget: null, scope: null } as const;
  return { state: "paused", pause: { ...whole, ...pause } };
}

async function listWith(row: Partial<JobRecord>): Promise<string> {
  const member = await newVisitor();
  await putRows(member.id, [row]);
  return words(member.get("/jobs"));
}

describe("the list of Jobs", () => {
  test("of whoever has none says what a Job is, and how to start one", async () => {
    const member = await newVisitor();
    const html = await (await member.get("/jobs")).text();
    expect(html).toContain("You have no Job yet.");
    expect(html).toContain('href="/jobs/new"');
    expect(html).toContain("curl https://continuo.test/v1/jobs");
    expect(html).not.toMatch(POLLS);
  });

  test("shows progress, tokens and time left of one that runs, and follows it", async () => {
    const member = await newVisitor();
    await putRows(member.id, [
      {
        ...{
          name: "sweep",
          etaSeconds: 90,
          counts: { total: 50_000, succeeded: 1_234, failed: 6 },
        },
        usage: { promptTokens: 40_000, completionTokens: 2_000 },
      },
    ]);
    const html = await (await member.get("/jobs")).text();
    const shown = await words(member.get("/jobs"));
    expect(shown).toContain("sweep local running about 1 min 30 s left");
    expect(shown).toContain("1,240 of 50,000, 6 failed 42,000");
    expect(html).toContain('aria-valuenow="1240"');
    expect(POLLS.exec(html)?.[1]).toBe("/jobs/rows?");
  });

  test("follows nothing once all have ended", async () => {
    const member = await newVisitor();
    await putRows(member.id, [{ state: "completed", endedAt: Date.now() }]);
    const html = await (await member.get("/jobs")).text();
    expect(html).toContain("completed");
    expect(html).not.toMatch(POLLS);
  });

  test.each([
    ["your tokens", { scope: "account" }, "Request more tokens"],
    ["the key's limit", { scope: "key" }, "Raise the key's limit"],
  ] as const)("says of one that waits for %s what to do", async (_, { scope }, link) => {
    const pause = { reason: "budget_exceeded", scope, budget } as const;
    expect(await listWith({ ...paused(pause), keyId: "key_1" })).toContain(`paused ${link}`);
  });

  test("leads from a Job that waits for tokens to where they are asked for", async () => {
    const member = await newVisitor();
    const keyId = `key_${member.id}_1`;
    const reason = "budget_exceeded";
    await putRows(member.id, [
      paused({ reason, budget, scope: "account" }),
      { ...paused({ reason, budget, scope: "key" }), keyId },
    ]);
    const html = await (await member.get("/jobs")).text();
    expect(html).toContain('<a href="/usage/requests">Request more tokens</a>');
    expect(html).toContain(`<a href="/keys/${keyId}/limit">Raise the key&#39;s limit</a>`);
  });

  test("says when a Job goes on that waits for the Spend limit", async () => {
    const limit = spendLimitOf(env);
    await limit.change({ pausedByHand: true });
    const shown = await listWith(paused({ reason: "spend_cap" }));
    await limit.change({ pausedByHand: false });
    expect(shown).toContain("when an Admin resumes it");
    expect(await listWith(paused({ reason: "spend_cap" }))).toContain("paused in a moment");
  });

  test("says how long the Model takes that a Job waits for", async () => {
    const shown = await listWith(paused({ reason: "model_starting" }));
    expect(shown).toMatch(/local starts: (about .* left|ready in a moment)/);
  });

  test("says that a cancelled Job still ends what runs", async () => {
    expect(await listWith({ cancelledAt: Date.now() })).toContain("cancelling what runs now ends");
  });

  test("keeps a name of 200 characters and markup as it was written", async () => {
    const member = await newVisitor();
    const name = `<b>bold</b> 🧪 評価 ${"x".repeat(180)}`;
    await putRows(member.id, [{ name }]);
    const html = await (await member.get("/jobs")).text();
    expect(html).toContain("&lt;b&gt;bold&lt;/b&gt; 🧪 評価");
    expect(html).not.toContain("<b>");
  });
});

describe("a thousand Jobs", () => {
  let member: Visitor;
  const total = 1_000;

  beforeAll(async () => {
    member = await newVisitor();
    const rows = Array.from({ length: total }, (_, at) => {
      const ended: Partial<JobRecord> = { state: "completed", endedAt: 1 };
      return { name: `Job number ${at}`, ...(at === 60 ? {} : ended) };
    });
    await putRows(member.id, rows);
  });

  test("stand on pages, each of which follows its own rows", async () => {
    let path: string | undefined = "/jobs";
    const seen = new Set<string>();
    const follows: string[] = [];
    while (path !== undefined) {
      const html: string = await (await member.get(path)).text();
      for (const [name] of html.matchAll(/>Job number \d+</g)) seen.add(name);
      const polls = POLLS.exec(html)?.[1];
      if (polls !== undefined) follows.push(polls);
      path = /href="([^"]*)" rel="next"/.exec(html)?.[1];
    }
    expect(seen.size).toBe(total);
    expect(follows).toHaveLength(1);
    expect(follows[0]).toMatch(/^\/jobs\/rows\?after=job_/);
    const part = await (await member.get(follows[0] ?? "")).text();
    expect(part).toContain("Job number 60<");
    expect(part).not.toContain("<html");
  });

  test("are on Home only those under way, with how many more there are", async () => {
    const shown = await words(member.get("/"));
    expect(shown).toContain("All Jobs, 1 more under way");
    expect(shown).not.toContain("Job number 0");
    const busy = await newVisitor();
    await putRows(
      busy.id,
      Array.from({ length: 7 }, (_, at) => ({ name: `run ${at}` })),
    );
    const home = await words(busy.get("/"));
    expect(home).toContain("run 4 ");
    expect(home).not.toContain("run 5 ");
    expect(home).toContain("All Jobs, 2 more under way");
  });
});

describe("Home", () => {
  test("says nothing of Jobs to whoever has none under way", async () => {
    const member = await newVisitor();
    expect(await words(member.get("/"))).not.toContain("Jobs under way");
    expect(await words(member.get("/jobs/running"))).toContain("None is under way any more.");
  });
});

describe("another person", () => {
  test("sees none of them", async () => {
    const [member, other] = [await newVisitor(), await newVisitor()];
    const [record] = await putRows(member.id, [{ name: "a secret sweep" }]);
    const paths = ["/jobs", "/jobs/rows", "/jobs/running", "/", `/jobs?after=${record?.id}`];
    for (const path of paths) {
      expect(await (await other.get(path)).text()).not.toContain("secret");
    }
  });

  test("without a session is led to the door, and a page that stands open loads itself", async () => {
    const answer = await stranger.get("/jobs");
    expect(answer.headers.get("location")).toBe("/sign-in?to=%2Fjobs");
    for (const path of ["/jobs/rows?after=x", "/jobs/running", "/jobs/job_1/part"]) {
      const part = await stranger.get(path);
      expect(part.status).toBe(204);
      expect(part.headers.get("hx-refresh")).toBe("true");
    }
  });
});

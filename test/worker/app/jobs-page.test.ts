import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { jobOf } from "../../../src/durable-objects/objects.ts";
import { admin, read } from "../calling.ts";
import { endJob, giveBackOne, newJob, workOffOne } from "./job-records.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

const error = {
  ...{ code: "context_length_exceeded", message: "The prompt is too long.", count: 1 },
  customId: "item-1",
};

let member: Visitor;

beforeEach(async () => {
  member = await newVisitor();
  await read(admin("POST", `/people/${member.id}/grants`, { tokens: 1_000 }));
});

describe("a Job's page", () => {
  test("shows counts, tokens, what failed, and follows it without what does not change", async () => {
    const job = await newJob(member.id);
    const { id } = job;
    await workOffOne(job, "one line\n", error);
    const html = await (await member.get(`/jobs/${id}`)).text();
    const shown = await words(member.get(`/jobs/${id}`));
    expect(shown).toContain("Items done, of 4 2");
    expect(shown).toContain("Succeeded 1 Failed 1 Tokens of prompts 3 Tokens of completions 5");
    expect(shown).toContain("1 context_length_exceeded The prompt is too long. item-1");
    expect(shown).toContain("Started with App");
    expect(shown).toContain("Download results so far");
    expect(html).toContain(`<code id="job-id">${id}</code>`);
    expect(html).toContain(`hx-get="/jobs/${id}/part" hx-trigger="every 2s"`);
    const part = await (await member.get(`/jobs/${id}/part`)).text();
    expect(part).toMatch(/^<div id="job"/);
    expect(part).not.toContain("job-id");
  });

  test("says what a pause for tokens needs, by the figures", async () => {
    const job = await newJob(member.id);
    const { id } = job;
    const budget = { granted: 500, spent: 380, held: 0, available: 1_120, needed: 2_512 };
    await giveBackOne(job, { why: "budget", budget, scope: "account", heldWouldFree: false });
    const shown = await words(member.get(`/jobs/${id}`));
    expect(shown).toContain("You have 1,120 tokens; its next item may need 2,512.");
    expect(shown).toContain("Request more tokens");
  });

  test("of one that ended before anything was done offers no results", async () => {
    const job = await newJob(member.id, { slices: 1 });
    await member.post(`/jobs/${job.id}/cancel`);
    await giveBackOne(job, { why: "stopped" });
    const shown = await words(member.get(`/jobs/${job.id}`));
    expect(shown).toContain("There are none: no item was done.");
    expect(shown).not.toContain("Download results");
  });

  test("of one that has ended follows nothing, and says when it is removed", async () => {
    const job = await newJob(member.id, { slices: 1 });
    const { id } = job;
    await workOffOne(job, "one line\n", error);
    const html = await (await member.get(`/jobs/${id}`)).text();
    expect(html).not.toContain("hx-get");
    const shown = await words(member.get(`/jobs/${id}`));
    expect(shown).toContain("completed after");
    expect(shown).toMatch(/They are removed in (29|30) days ; remove them now/);
    expect(shown).not.toContain("Cancel this Job");
  });

  test("shows a name of 200 characters and markup as it was written", async () => {
    const job = await newJob(member.id, { name: `<i>🧪</i> 評価 ${"x".repeat(185)}` });
    const { id } = job;
    const html = await (await member.get(`/jobs/${id}`)).text();
    expect(html).toContain("&lt;i&gt;🧪&lt;/i&gt; 評価");
    expect(html).not.toContain("<i>");
  });
});

describe("the results", () => {
  test("are a file of the lines so far, of all or of those that ended one way", async () => {
    const job = await newJob(member.id);
    const { id } = job;
    await workOffOne(job, '{"custom_id":"item-0"}\n', error);
    const answer = await member.get(`/jobs/${id}/results`);
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="job_/);
    expect(answer.headers.get("x-job-complete")).toBe("false");
    expect(await answer.text()).toBe('{"custom_id":"item-0"}\n');
    const failed = await member.get(`/jobs/${id}/results?only=failed`);
    expect(await failed.text()).toBe("");
  });
});

describe("cancelling", () => {
  test("asks first, says what is kept and charged, and is done once", async () => {
    const job = await newJob(member.id);
    const { id } = job;
    await workOffOne(job, "one line\n", error);
    const asked = await words(member.get(`/jobs/${id}/cancel`));
    expect(asked).toContain("has done 2 of 4, 1 failed.");
    expect(asked).toContain("their 8 tokens stay charged");
    expect((await jobOf(env, id).record())?.cancelledAt).toBeNull();
    const shown = await followed(member, await member.post(`/jobs/${id}/cancel`));
    expect(shown).toContain("The Job is cancelled.");
    expect(shown).toContain("cancelling : what runs now ends within seconds");
    await endJob(job);
    expect((await jobOf(env, id).record())?.state).toBe("cancelled");
    const again = await member.post(`/jobs/${id}/cancel`);
    expect(again.headers.get("location")).toBe(`/jobs/${id}`);
  });
});

describe("removing", () => {
  test("of what has ended takes it away for good", async () => {
    const job = await newJob(member.id);
    const { id } = job;
    await endJob(job);
    expect(await words(member.get(`/jobs/${id}/remove`))).toContain("deleted for good");
    const shown = await followed(member, await member.post(`/jobs/${id}/remove`));
    expect(shown).toContain("are removed");
    expect((await member.get(`/jobs/${id}`)).status).toBe(404);
    const part = await member.get(`/jobs/${id}/part`);
    expect(part.headers.get("hx-refresh")).toBe("true");
    await vi.waitFor(async () => {
      expect(await words(member.get("/jobs"))).toContain("You have no Job yet.");
    });
  });

  test("of what runs is refused, with what to do first", async () => {
    const job = await newJob(member.id);
    const { id } = job;
    const answer = await member.post(`/jobs/${id}/remove`);
    expect(answer.status).toBe(409);
    expect(await words(answer)).toContain("Cancel it first");
    expect(await jobOf(env, id).record()).not.toBeNull();
  });
});

describe("another person's Job", () => {
  test("is not there, on any of its addresses, and nothing happens to it", async () => {
    const job = await newJob(member.id, { name: "a secret sweep" });
    const { id } = job;
    const other = await newVisitor();
    const expected = await words(other.get("/jobs/job_00000000000000000000000000"));
    for (const path of ["", "/results", "/cancel", "/remove"]) {
      const answer = await other.get(`/jobs/${id}${path}`);
      expect(answer.status).toBe(404);
      expect(await words(answer)).toBe(expected);
    }
    for (const path of ["/cancel", "/remove"]) {
      expect((await other.post(`/jobs/${id}${path}`)).status).toBe(404);
    }
    const part = await other.get(`/jobs/${id}/part`);
    expect([part.status, await part.text()]).toEqual([204, ""]);
    expect((await jobOf(env, id).record())?.cancelledAt).toBeNull();
  });

  test("without a session is neither read nor cancelled, nor from another site", async () => {
    const job = await newJob(member.id);
    const { id } = job;
    expect((await stranger.get(`/jobs/${id}/results`)).status).toBe(303);
    expect((await stranger.post(`/jobs/${id}/cancel`)).status).toBe(401);
    expect((await member.post(`/jobs/${id}/cancel`, {}, "https://evil.test")).status).toBe(403);
    expect((await jobOf(env, id).record())?.cancelledAt).toBeNull();
  });

  test.each(["job_x", "new%20", "batch_00000000000000000000000000"])(
    "and an address that is no Job's (%s) answers 404",
    async (id) => {
      expect((await member.get(`/jobs/${id}`)).status).toBe(404);
    },
  );
});

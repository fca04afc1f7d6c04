import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { APP_KEY_ID, type JobRecord } from "../../../src/contract/jobs.ts";
import { accountOf, jobListOf, jobOf } from "../../../src/durable-objects/objects.ts";
import { admin, call, read } from "../calling.ts";
import { newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let member: Visitor;

beforeEach(async () => {
  member = await newVisitor();
  await read(admin("POST", `/people/${member.id}/grants`, { tokens: 1_000 }));
});

const LONG = 30_000;

function line(customId: string, body: object = {}): string {
  return JSON.stringify({ custom_id: customId, body: { model: "local", prompt: "a", ...body } });
}

async function repeatIdAt(path: string): Promise<string> {
  const html = await (await member.get(path)).text();
  return /name="id" value="([0-9a-z]+)"/.exec(html)?.[1] ?? "";
}

async function paste(form: Record<string, string>): Promise<Response> {
  return member.post("/jobs", { id: await repeatIdAt("/jobs/new"), model: "local", ...form });
}

async function upload(file: string, fields: Record<string, string> = {}): Promise<Response> {
  const form = new FormData();
  const given = { id: await repeatIdAt("/jobs/upload"), name: "", ...fields };
  for (const [name, value] of Object.entries(given)) form.append(name, value);
  form.append("file", new File([file], "prompts.jsonl"));
  return member.post("/jobs/upload", form);
}

/** The Job that a form led to. */
async function started(answer: Response): Promise<JobRecord> {
  const location = answer.headers.get("location") ?? "";
  const id = /^\/jobs\/(job_[0-9a-z]+)\?notice=created$/.exec(location)?.[1];
  if (answer.status !== 303 || id === undefined) throw new Error(await words(answer));
  const record = await jobOf(env, id).record();
  if (record === null) throw new Error("there is no such Job");
  return record;
}

/** The items as they lie in the store. */
async function inputOf({ id, personId }: JobRecord): Promise<unknown[]> {
  const { objects } = await env.JOB_STORE.list({ prefix: `people/${personId}/jobs/${id}/input` });
  const text = await (await env.JOB_STORE.get(objects[0]?.key ?? ""))?.text();
  return (text ?? "")
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one));
}

async function jobsOf({ id }: Visitor): Promise<number> {
  return (await jobListOf(env, id).jobs({ after: null, limit: 10 })).rows.length;
}

describe("pasted prompts", () => {
  test("become a Job, one a line, with their spaces and without empty lines", async () => {
    const job = await started(
      await paste({
        ...{ name: " my sweep ", prompts: " Call me \r\n\r\nIt was\ttimes\r\n   \r\n" },
        ...{ max_tokens: "1,0", temperature: "0.7", stop: "\\n", seed: "", n: "2" },
      }),
    );
    expect(job).toMatchObject({ name: "my sweep", keyId: APP_KEY_ID, personId: member.id });
    const params = { model: "local", max_tokens: 10, temperature: 0.7, n: 2, stop: "\n" };
    expect(await inputOf(job)).toEqual([
      { custom_id: "item-0", body: { ...params, prompt: " Call me " } },
      { custom_id: "item-1", body: { ...params, prompt: "It was\ttimes" } },
    ]);
  });

  test.each([
    [{ temperature: "3" }, /Temperature .*Prompt 1: `temperature` must be 0, or a number from/],
    [{ temperature: "hot" }, /Temperature .*Write a number, such as 1 or 0\.7\./],
    [{ max_tokens: "1.5" }, /`max_tokens` must be a whole number/],
    [{ model: "gpt-9" }, /Model .*No such Model\. The Models are: local/],
    [{ name: "x".repeat(201) }, /Write at most 200 characters\./],
    [{ prompts: " \n " }, /Write at least one prompt\./],
  ])("with %j come back with what was wrong, and all that was typed", async (wrong, says) => {
    const form = { prompts: `kept ${"long ".repeat(LONG)}`, top_p: "0.5", name: "kept name" };
    const answer = await paste({ ...form, ...wrong });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    for (const [field, value] of Object.entries({ ...form, ...wrong })) {
      if (field !== "model") expect(html).toContain(value);
    }
    expect(html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ")).toMatch(says);
    expect(await jobsOf(member)).toBe(0);
  });

  test("that are sent twice are one Job; other content under the same form is told", async () => {
    const id = await repeatIdAt("/jobs/new");
    const first = await started(await paste({ id, prompts: "Call me" }));
    const second = await started(await paste({ id, prompts: "Call me" }));
    expect(second.id).toBe(first.id);
    const other = await paste({ id, prompts: "It was" });
    expect(other.status).toBe(400);
    expect(await words(other)).toContain("Send it once more to add this.");
    expect(await jobsOf(member)).toBe(1);
  });

  test("of more text than a form takes are refused, with a way that works", async () => {
    const answer = await paste({ prompts: "x".repeat(4 * 1024 * 1024) });
    expect(answer.status).toBe(413);
  });
});

describe("an uploaded file", () => {
  test("becomes a Job of its lines", async () => {
    const file = `${line("one")}\n${line("two", { max_tokens: 3 })}\n`;
    const job = await started(await upload(file, { name: "from a file" }));
    expect(job).toMatchObject({ name: "from a file", keyId: APP_KEY_ID, personId: member.id });
    expect(await inputOf(job)).toEqual([
      JSON.parse(line("one")),
      JSON.parse(line("two", { max_tokens: 3 })),
    ]);
  });

  test("of many megabytes flows through, in the pieces in which it comes", async () => {
    const prompt = "word ".repeat(2_000);
    const lines = Array.from({ length: 1_500 }, (_, at) => line(`item ${at}`, { prompt }));
    const job = await started(await upload(lines.join("\n")));
    expect(job.counts.total).toBe(1_500);
    const input = await inputOf(job);
    expect(input.at(-1)).toEqual(JSON.parse(lines.at(-1) ?? ""));
  });

  test.each([
    ["no JSON", `${line("one")}\n{"custom_id"`, "Line 2: It is no valid JSON."],
    ["a wrong field", line("one", { temprature: 1 }), "Line 1: `temprature` is not a field; did"],
    [
      "the same id twice",
      `${line("one")}\n${line("one")}`,
      "Line 2: `custom_id` stands there twice",
    ],
    ["nothing", "", "There is no item."],
  ])("with %s starts nothing, leaves nothing, and says where", async (_, file, says) => {
    const answer = await upload(`${file}\n${" ".repeat(2_000_000)}`, { name: "kept name" });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain(says);
    expect(html).toContain('value="kept name"');
    expect(html).toContain('aria-describedby="file-error file-hint"');
    expect(await jobsOf(member)).toBe(0);
    const { objects } = await env.JOB_STORE.list({ prefix: `people/${member.id}/` });
    expect(objects).toEqual([]);
  });

  test("with a name that is too long comes back, without the rest being kept", async () => {
    const answer = await upload(line("one"), { name: "x".repeat(201) });
    expect(answer.status).toBe(400);
    expect(await words(answer)).toContain("Write at most 200 characters.");
    expect(await jobsOf(member)).toBe(0);
  });

  test("is the same Job when it is sent twice", async () => {
    const id = await repeatIdAt("/jobs/upload");
    const [first, second] = [await upload(line("one"), { id }), await upload(line("one"), { id })];
    expect((await started(second)).id).toBe((await started(first)).id);
  });

  test.each([
    ["no form with a file in it", { id: "1" }, 415],
    ["a form without one", new FormData(), 400],
  ])("that is %s is refused as a page", async (_, form, status) => {
    const answer = await member.post("/jobs/upload", form);
    expect(answer.status).toBe(status);
    expect(await words(answer)).toContain("Open the page");
  });
});

describe("nobody else", () => {
  test("starts a Job: no stranger, no other site", async () => {
    const form = { id: "1", model: "local", prompts: "Call me" };
    expect((await stranger.post("/jobs", form)).status).toBe(401);
    expect((await stranger.post("/jobs/upload", new FormData())).status).toBe(401);
    expect((await member.post("/jobs", form, "https://evil.test")).status).toBe(403);
    expect((await stranger.get("/jobs/new")).headers.get("location")).toBe(
      "/sign-in?to=%2Fjobs%2Fnew",
    );
  });
});

describe("what a Job of the App used", () => {
  test("is under App, on the page, in the CSV and in the API", async () => {
    const usage = { promptTokens: 30, completionTokens: 12 };
    const slice = { holdId: "h", keyId: APP_KEY_ID, model: "local", held: 0, requests: 3, usage };
    await accountOf(env, member.id).settleSlices([slice]);
    const html = await (await member.get("/usage?by=key")).text();
    expect(html).toContain('title="App">App</span>');
    const csv = await (await member.get("/usage/download.csv")).text();
    expect(csv).toContain(",local,app,App,3,30,12,42");
    const minting = admin("POST", `/people/${member.id}/keys`, { name: "laptop" });
    const { key } = await read<{ key: string }>(minting);
    const { data } = await read<{ data: unknown[] }>(call("/v1/usage", { key }));
    expect(data).toMatchObject([{ key: { id: "app", name: "App" }, total_tokens: 42 }]);
  });
});

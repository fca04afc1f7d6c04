// How the tests of Jobs submit some, see what is in the store, and work slices off by hand: at a Model
// that never becomes warm nobody else does.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { jobPartKey } from "../../../src/contract/job-store.ts";
import type { JobRecord, NewJob } from "../../../src/contract/jobs.ts";
import { jobOf } from "../../../src/durable-objects/objects.ts";
import { gatedModel } from "../bindings.ts";
import { type Call, call, type Person, read } from "../calling.ts";

export const model = gatedModel;

export interface ShownJob {
  id: string;
  object: string;
  name: string;
  model: string;
  state: JobRecord["state"];
  progress: { total: number; succeeded: number; failed: number; tokens: number };
  created_at: number;
  cancelled_at: number | null;
  ended_at: number | null;
}

/** One line of OpenAI's batches. */
export function line(customId: unknown, body: object = {}, others: object = {}): string {
  return JSON.stringify({
    custom_id: customId,
    method: "POST",
    url: "/v1/completions",
    body: { model, prompt: "Call me", max_tokens: 2, ...body },
    ...others,
  });
}

export function postLines(
  key: string | null,
  body: unknown,
  options: Call & { query?: string } = {},
) {
  const { query = "", headers, ...others } = options;
  return call(`/v1/jobs${query}`, {
    method: "POST",
    key,
    body,
    headers: { "content-type": "application/x-ndjson", ...headers },
    ...others,
  });
}

export function postJob(key: string | null, body: unknown, headers: Record<string, string> = {}) {
  return call("/v1/jobs", { method: "POST", key, body, headers });
}

/** A Job of so many items. */
export function submit(person: Person, items: number, name = "a Job"): Promise<ShownJob> {
  const prompts = Array.from({ length: items }, (_, at) => `prompt ${at}`);
  return read(postJob(person.key, { name, model, params: { max_tokens: 2 }, prompts }));
}

/** The keys of all that this person has in the store. */
export async function stored(person: Person): Promise<string[]> {
  const { objects } = await env.JOB_STORE.list({ prefix: `people/${person.id}/` });
  return objects.map(({ key }) => key);
}

export async function storedText(key: string): Promise<string> {
  const object = await env.JOB_STORE.get(key);
  if (object === null) throw new Error(`${key} is not in the store`);
  return object.text();
}

/** The Job's only input, as its consumers read it. */
export async function inputOf(person: Person): Promise<{ custom_id: string; body: object }[]> {
  const keys = (await stored(person)).filter((key) => key.includes("/input-"));
  expect(keys).toHaveLength(1);
  const text = await storedText(keys[0] ?? "");
  return text
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one));
}

/** The slices of a Job that nobody has claimed, claimed one after the other. */
export async function claimAll(jobId: string): Promise<NewJob["slices"]> {
  const slices: NewJob["slices"] = [];
  for (;;) {
    const answer = await jobOf(env, jobId).claim("a test's");
    if (answer.outcome === "nothing") return slices;
    slices.push(answer.claim.slice);
  }
}

/** Works the next slice off: `lines` are its results, and which of them succeeded. */
export async function finishSlice(
  person: Person,
  jobId: string,
  lines: readonly { text: string; ok: boolean }[],
): Promise<void> {
  const answer = await jobOf(env, jobId).claim("a test's");
  if (answer.outcome === "nothing") throw new Error("there is no slice to claim");
  const { slice, attempt } = answer.claim;
  const claim = { from: slice.from, attempt };
  const textOf = (wanted: boolean[]) =>
    lines
      .filter(({ ok }) => wanted.includes(ok))
      .map(({ text }) => `${text}\n`)
      .join("");
  const [all, succeeded, failed] = [textOf([true, false]), textOf([true]), textOf([false])];
  const put = (text: string, which: "all" | "succeeded" | "failed") =>
    env.JOB_STORE.put(jobPartKey(person.id, jobId, claim, which), text);
  await put(all, "all");
  if (succeeded !== all) await Promise.all([put(succeeded, "succeeded"), put(failed, "failed")]);
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const ok = lines.filter((one) => one.ok).length;
  const committed = await jobOf(env, jobId).commit(claim, {
    counts: { succeeded: ok, failed: lines.length - ok },
    usage: { promptTokens: 0, completionTokens: 0 },
    charged: 0,
    held: 0,
    part: { bytes: bytes(all), succeededBytes: bytes(succeeded) },
    errors: [],
  });
  if (!committed) throw new Error("the slice was not committed");
}

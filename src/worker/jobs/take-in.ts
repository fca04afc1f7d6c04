// Taking in a Job: its items are judged and written into the store as they come, and the Job begins
// when all of them are there. A bad item refuses the whole, and then nothing stays.
import type { PublicError } from "../../contract/errors.ts";
import { JOB_ITEMS_MOST } from "../../contract/job-limits.ts";
import {
  JOB_ENDPOINT,
  type JobBody,
  type ParsedItem,
  parseJobBody,
  parseJobItem,
} from "../../contract/job-request.ts";
import { jobInputKey } from "../../contract/job-store.ts";
import type { BatchOrigin, JobRecord, NewJob } from "../../contract/jobs.ts";
import { type CodedProblem, errorFromProblems, type Problem } from "../../contract/problems.ts";
import { base32 } from "../../core/base32.ts";
import { SliceCutter } from "../../core/job-slices.ts";
import { jobOf, type ObjectBindings } from "../../durable-objects/objects.ts";
import type { Services } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { readLines } from "./job-lines.ts";
import { repeatCall } from "./repeat-call.ts";
import { ItemJudge } from "./take-in-judge.ts";
import { StoreUpload } from "./take-in-upload.ts";

export interface Submission {
  jobId: string;
  personId: string;
  /** The key it came with, or `APP_KEY_ID`. */
  keyId: string;
  /** Null: named after its day. */
  name: string | null;
  batch: BatchOrigin | null;
}

/** What a Job is taken in with: the bindings, and the Models there are. */
export interface TakeInContext {
  env: ObjectBindings;
  services: Pick<Services, "models">;
}

/** Where an item stands, for a refusal: `Line 7`, and the path of a field in it. */
interface Place {
  what: string;
  /** `inBody` tells a completion's field from one of what is around it. */
  path(field: string | null, inBody: boolean): string | null;
}

const SUBMISSION_BYTES = 10;

const utf8 = new TextEncoder();

/** Lines of OpenAI's batches. Throws `Refused` 400, 404, 409 or 413. */
export async function takeInLines(
  context: TakeInContext,
  submission: Submission,
  body: ReadableStream<Uint8Array>,
): Promise<JobRecord> {
  return takeIn(context, submission, (input) =>
    readLines(body, {
      onLine: (text, number) => input.add(atLine(number), parseLine(text)),
      between: () => input.drain(),
    }),
  );
}

/** A body as `POST /v1/jobs` has it as JSON. Throws `Refused` as above. */
export async function takeInBody(
  context: TakeInContext,
  submission: Submission,
  body: unknown,
): Promise<JobRecord> {
  const parsed = parseJobBody(body);
  if (!parsed.ok) throw new Refused(errorFromProblems(parsed.problems));
  const { job } = parsed;
  const named = { ...submission, name: job.name ?? submission.name };
  return takeIn(context, named, async (input) => {
    const items = job.kind === "prompts" ? job.prompts : job.completions;
    for (const [at, item] of items.entries()) {
      input.add(placeIn(job, at), itemOf(job, item, at));
      await input.drain();
    }
  });
}

async function takeIn(
  context: TakeInContext,
  submission: Submission,
  fill: (input: JobInput) => Promise<void>,
): Promise<JobRecord> {
  const input = new JobInput(context, submission);
  let job: NewJob;
  try {
    await fill(input);
    job = await input.finish();
  } catch (failure) {
    await input.abort();
    throw failure;
  }
  return create(context, job);
}

class JobInput {
  readonly #submission: Submission;
  readonly #judge: ItemJudge;
  readonly #upload: StoreUpload;
  readonly #slices = new SliceCutter();
  readonly #customIds = new Set<string>();
  #model = "";

  constructor({ env, services }: TakeInContext, submission: Submission) {
    this.#submission = submission;
    this.#judge = new ItemJudge(services);
    const random = base32(crypto.getRandomValues(new Uint8Array(SUBMISSION_BYTES)));
    const key = jobInputKey(submission.personId, submission.jobId, random);
    this.#upload = new StoreUpload(env.JOB_STORE, key);
  }

  /** Throws `Refused`. */
  add(place: Place, parsed: ParsedItem): void {
    if (!parsed.ok) throw refusal(place, parsed.problems, false);
    const { customId, body } = parsed.item;
    if (this.#customIds.has(customId)) {
      const message = "`custom_id` stands there twice; results are found by it.";
      throw refusal(place, [{ param: "custom_id", message }], false);
    }
    if (this.#slices.items === JOB_ITEMS_MOST) {
      const message = `A Job has at most ${JOB_ITEMS_MOST} items. Submit several.`;
      throw refusal(place, [{ param: null, message }], false);
    }
    const judgement = this.#judge.judge(body);
    if (!judgement.ok) throw refusal(place, judgement.problems, true);
    this.#customIds.add(customId);
    this.#model = judgement.model;
    const line = utf8.encode(`${JSON.stringify({ custom_id: customId, body })}\n`);
    this.#upload.write(line);
    const { answerBytes, tokens } = judgement;
    this.#slices.add({ bytes: line.length, answerBytes, tokens });
  }

  drain(): Promise<void> {
    return this.#upload.drain();
  }

  abort(): Promise<void> {
    return this.#upload.abort();
  }

  /** Throws `Refused` when there was no item. */
  async finish(): Promise<NewJob> {
    const slices = this.#slices.finish();
    if (slices.length === 0) {
      const message = `There is no item. Send lines of {"custom_id", "method": "POST", "url": "${JOB_ENDPOINT}", "body"}.`;
      throw new Refused({ code: "invalid_request", message });
    }
    const { jobId, personId, keyId, name, batch } = this.#submission;
    const model = this.#model;
    // A repeat has the same content; the day it is named after may be the next one.
    const contentHash = await this.#upload.finish(JSON.stringify({ name, batch }));
    const inputKey = this.#upload.key;
    const shown = name ?? `Job of ${new Date().toISOString().slice(0, 10)}`;
    return { id: jobId, personId, keyId, name: shown, model, contentHash, inputKey, slices, batch };
  }
}

/** Throws `Refused` 409 where the id is another Job's. An input that is nobody's is removed. */
async function create({ env }: TakeInContext, job: NewJob): Promise<JobRecord> {
  // Where even that fails the input stays: the Job may be there, although its answer was lost.
  const created = await repeatCall(() => jobOf(env, job.id).create(job));
  if (!created.ok || created.inputKey !== job.inputKey) await env.JOB_STORE.delete(job.inputKey);
  if (created.ok) return created.record;
  throw new Refused({
    code: "idempotency_conflict",
    message: "This Idempotency-Key was used before for a Job with other content. Use a new one.",
  });
}

function parseLine(text: string): ParsedItem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The engine's own message would quote the line.
    return { ok: false, problems: [{ param: null, message: "It is no valid JSON." }] };
  }
  return parseJobItem(value);
}

function itemOf(job: JobBody, item: unknown, at: number): ParsedItem {
  if (job.kind === "completions") return parseJobItem(item);
  const body = { ...job.params, model: job.model, prompt: item };
  return { ok: true, item: { customId: `item-${at}`, body } };
}

function atLine(number: number): Place {
  return {
    what: `Line ${number}`,
    path: (field, inBody) => (inBody ? join("body", field) : field),
  };
}

function placeIn({ kind }: JobBody, at: number): Place {
  if (kind === "completions") {
    const own = `completions.${at}`;
    const path = (field: string | null, inBody: boolean) =>
      join(inBody ? `${own}.body` : own, field);
    return { what: `Completion ${at + 1}`, path };
  }
  return {
    what: `Prompt ${at + 1}`,
    path: (field) => {
      if (field === "model") return field;
      return field === null || field === "prompt" ? `prompts.${at}` : `params.${field}`;
    },
  };
}

function join(path: string, field: string | null): string {
  return field === null ? path : `${path}.${field}`;
}

function refusal(
  place: Place,
  problems: readonly (Problem | CodedProblem)[],
  inBody: boolean,
): Refused {
  const error: PublicError = errorFromProblems(problems);
  const param = place.path(error.param ?? null, inBody);
  return new Refused({ ...error, param, message: `${place.what}: ${error.message}` });
}

// Both forms for a new Job lead here: the same taking in as the API's, for whoever is signed in.
import type { Context } from "hono";
import { isJobName } from "../../../contract/job-request.ts";
import { APP_KEY_ID, type JobRecord } from "../../../contract/jobs.ts";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { newJobId } from "../../api/jobs/job-id.ts";
import { requireRoom } from "../../api/jobs/room.ts";
import type { AppEnv } from "../../environment.ts";
import type { Submission, TakeInContext } from "../../jobs/take-in.ts";
import { Refused } from "../../refuse.ts";
import type { FormState } from "../layout/fields.tsx";
import type { FormValues } from "../read-form.ts";
import { sentBefore } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";

type TakeIn = (context: TakeInContext, submission: Submission) => Promise<JobRecord>;

interface StartForm {
  /** Of the form: sent twice, it is one Job. */
  repeatId: string;
  /** An empty one is left to the taking in. */
  name: string;
}

/** Throws `Refused`. */
export function startJob(c: Context<AppEnv>, form: StartForm, takeIn: TakeIn): Promise<JobRecord> {
  const started = start(c, form, takeIn);
  // A handler whose client left is dropped, and what is half in the store has to go all the same.
  c.executionCtx.waitUntil(started.catch(() => undefined));
  return started;
}

async function start(c: Context<AppEnv>, form: StartForm, takeIn: TakeIn): Promise<JobRecord> {
  const name = form.name.trim() || null;
  if (!isJobName(name)) {
    const message = `Write at most ${NAME_MAX_CHARACTERS} characters.`;
    throw new Refused({ code: "invalid_request", message, param: "name" });
  }
  const personId = signedIn(c).person.id;
  // What a program sends as its Idempotency-Key must not meet it.
  const jobId = await newJobId(personId, `form ${form.repeatId}`);
  await requireRoom(c.env, personId, jobId);
  const submission = { jobId, personId, keyId: APP_KEY_ID, name, batch: null };
  return takeIn({ env: c.env, services: c.get("services") }, submission);
}

/**
 * The form again, with what was wrong beside the field that it concerns, or else beside `field`.
 * Defects are thrown on.
 */
export function refusedForm(
  failure: unknown,
  values: FormValues,
  options: { fields: readonly string[]; field: string },
): FormState {
  if (!(failure instanceof Refused)) throw failure;
  const { code, message, param } = failure.error;
  if (code === "idempotency_conflict") return sentBefore(failure, values, options.field);
  // `params.temperature` is the field of that name.
  const named = param?.replace(/^params\./, "") ?? "";
  const field = options.fields.includes(named) ? named : options.field;
  return { values, errors: { [field]: message } };
}

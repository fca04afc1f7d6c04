// `GET /jobs/new` and `POST /jobs`: a Job of pasted prompts, one a line. What is wrong comes back with
// all that was typed.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { JOB_ITEMS_MOST } from "../../../contract/job-limits.ts";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import type { AppEnv } from "../../environment.ts";
import { takeInBody } from "../../jobs/take-in.ts";
import { count } from "../layout/amounts.tsx";
import { Choose, emptyForm, type FormState, TextArea, TextField } from "../layout/fields.tsx";
import { type FormValues, readForm } from "../read-form.ts";
import { RepeatId, readRepeatId } from "../repeat-id.tsx";
import { jobUrl } from "./job-page.tsx";
import { newJobFrame } from "./new-job-frame.tsx";
import { ParameterFields, parameterFields, readParameters } from "./prompt-parameters.tsx";
import { refusedForm, startJob } from "./start-job.ts";

/**
 * A page that says what is wrong carries the text again, so this is less than the API takes; what is
 * longer goes as a file. Counted as the form is sent, where most signs that are no letter take three.
 */
const PASTE_MAX_BYTES = 4 * 1024 * 1024;

export function showNewJob(c: Context<AppEnv>): Response | Promise<Response> {
  return newJobPage(c, emptyForm, 200);
}

export async function startPasted(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c, PASTE_MAX_BYTES);
  const repeatId = readRepeatId(values);
  const read = readParameters(values);
  if (!read.ok) return newJobPage(c, { values, errors: read.errors }, 400);
  const prompts = promptsOf(values);
  if (prompts.length === 0) {
    return newJobPage(c, { values, errors: { prompts: "Write at least one prompt." } }, 400);
  }
  const { name = "", model } = values;
  const body = { model, params: read.params, prompts };
  try {
    const job = await startJob(c, { repeatId, name }, (context, submission) =>
      takeInBody(context, submission, body),
    );
    return c.redirect(jobUrl(job.id, "created"), 303);
  } catch (failure) {
    const fields = [...parameterFields, "model", "name"];
    return newJobPage(c, refusedForm(failure, values, { fields, field: "prompts" }), 400);
  }
}

/** Spaces are part of a prompt; only a browser's line ends are not. */
function promptsOf({ prompts = "" }: FormValues): string[] {
  return prompts.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
}

function newJobPage(
  c: Context<AppEnv>,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  return newJobFrame(c, { current: "paste", status }, (models) => (
    <PasteForm form={form} models={models} />
  ));
}

function PasteForm({ form, models }: { form: FormState; models: readonly string[] }): Child {
  return (
    <form method="post" action="/jobs" class="form" data-paste-most={PASTE_MAX_BYTES}>
      <RepeatId />
      <TextArea
        field="prompts"
        label="Prompts, one a line"
        form={form}
        hint={`At most ${count(JOB_ITEMS_MOST)}. Spaces count as they stand; empty lines are passed over.`}
        rows={10}
        mono
        required
      />
      <Choose
        field="model"
        label="Model"
        form={form}
        required
        options={models.map((id) => ({ value: id, label: id }))}
      />
      <ParameterFields form={form} />
      <JobName form={form} />
      <div class="actions">
        <button type="submit" class="button">
          Start the Job
        </button>
        <a href="/jobs">Cancel</a>
      </div>
    </form>
  );
}

export function JobName({ form }: { form: FormState }): Child {
  return (
    <TextField
      field="name"
      label="Name"
      form={form}
      hint="To find the Job again."
      maxlength={NAME_MAX_CHARACTERS}
      autocomplete="off"
    />
  );
}

// `GET /jobs/upload` and `POST /jobs/upload`: a Job from a file of lines, as OpenAI's batches have
// them. The file flows through; with scripts the page shows how far it is and looks at its first lines.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { fieldNames } from "../../../contract/completion-fields.ts";
import { JOB_INPUT_MAX_BYTES, JOB_ITEMS_MOST } from "../../../contract/job-limits.ts";
import type { AppEnv } from "../../environment.ts";
import { takeInLines } from "../../jobs/take-in.ts";
import { count } from "../layout/amounts.tsx";
import { emptyForm, FileField, type FormState } from "../layout/fields.tsx";
import { Copyable } from "../layout/parts.tsx";
import type { FormValues } from "../read-form.ts";
import { RepeatId, readRepeatId } from "../repeat-id.tsx";
import { jobUrl } from "./job-page.tsx";
import { JobName } from "./new-job.tsx";
import { newJobFrame } from "./new-job-frame.tsx";
import { readUploaded } from "./read-uploaded.ts";
import { refusedForm, startJob } from "./start-job.ts";

const MEGABYTE = 1024 * 1024;

export function showUpload(c: Context<AppEnv>): Response | Promise<Response> {
  return uploadPage(c, emptyForm, 200);
}

export function startUploaded(c: Context<AppEnv>): Promise<Response> {
  const answer = takeUploaded(c);
  // It reads on though the client may leave; the taking in hears of it by the body's end.
  c.executionCtx.waitUntil(answer.catch(() => undefined));
  return answer;
}

async function takeUploaded(c: Context<AppEnv>): Promise<Response> {
  let values: FormValues = {};
  let repeatId: string | null = null;
  try {
    const job = await readUploaded(c.req.raw, async (fields, file) => {
      values = fields;
      repeatId = readRepeatId(fields);
      const { name = "" } = fields;
      return startJob(c, { repeatId, name }, (context, submission) =>
        takeInLines(context, submission, file),
      );
    });
    return c.redirect(jobUrl(job.id, "created"), 303);
  } catch (failure) {
    if (repeatId === null) throw failure;
    return uploadPage(c, refusedForm(failure, values, { fields: ["name"], field: "file" }), 400);
  }
}

function uploadPage(
  c: Context<AppEnv>,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  return newJobFrame(c, { current: "upload", status }, (models) => (
    <UploadForm form={form} models={models} />
  ));
}

function UploadForm({ form, models }: { form: FormState; models: readonly string[] }): Child {
  const model = models[0] ?? "";
  return (
    <>
      <form
        method="post"
        action="/jobs/upload"
        enctype="multipart/form-data"
        class="form"
        data-upload
        data-bytes-most={JOB_INPUT_MAX_BYTES}
        data-models={JSON.stringify(models)}
        data-fields={JSON.stringify(fieldNames)}
      >
        <RepeatId />
        <JobName form={form} />
        <FileField
          field="file"
          label="File"
          form={form}
          hint={`JSON lines: at most ${count(JOB_ITEMS_MOST)}, and ${count(JOB_INPUT_MAX_BYTES / MEGABYTE)} MB. One wrong line refuses the whole file.`}
          accept=".jsonl,.ndjson,.json,.txt,application/x-ndjson"
          required
        />
        <div class="actions">
          <button type="submit" class="button">
            Start the Job
          </button>
          <a href="/jobs">Cancel</a>
        </div>
        <div class="block-close" data-progress hidden>
          <progress max="1" value="0" aria-label="Upload" />
          <p class="hint" role="status" />
        </div>
      </form>
      <section class="block">
        <h2>What a line looks like</h2>
        <Copyable id="line" label="An example" text={exampleLine(model)} />
        <p class="text">
          <code>custom_id</code> is yours, each once in a file: its result carries it.{" "}
          <code>body</code> has the <a href="/docs/reference/fields">fields of a completion</a>; all
          lines name one Model. Files for OpenAI's batches work as they are.
        </p>
      </section>
    </>
  );
}

function exampleLine(model: string): string {
  return JSON.stringify({
    custom_id: "first",
    body: { model, prompt: "Call me", max_tokens: 16 },
  });
}

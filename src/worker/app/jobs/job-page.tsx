// `GET /jobs/{id}`: how one Job stands, what failed in it, and its results.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { JobRecord } from "../../../contract/jobs.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import { keyNameOf } from "../../api/present.ts";
import type { AppEnv } from "../../environment.ts";
import { answerFile } from "../../jobs/download.ts";
import { resultsFile } from "../../jobs/results.ts";
import { count, duration, Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Fact, Heading, Name, Notice, NoticeOf } from "../layout/parts.tsx";
import { Table } from "../layout/table.tsx";
import { JobProgress, JobStateOf, timeLeft } from "./job-state.tsx";
import { live, loadAgain } from "./live.ts";
import { LongPause, type Outlook, readOutlook } from "./outlook.tsx";
import { hasEnded, maybeOwnJob, ownJob } from "./own-job.ts";

const notices = {
  created: "The Job is accepted and goes on without this page. What it does shows here.",
  cancelled: "The Job is cancelled. What was done is kept; what runs this moment may still end.",
};

export function jobUrl(id: string, notice: keyof typeof notices): string {
  return `/jobs/${id}?notice=${notice}`;
}

export async function showJob(c: Context<AppEnv>): Promise<Response> {
  const job = await ownJob(c);
  const [outlook, keys] = await Promise.all([
    readOutlook(c, [job]),
    accountOf(c.env, job.personId).keys(),
  ]);
  const names = new Map(keys.map((key) => [key.id, key.name]));
  const now = c.get("frame").startedAt;
  const title = job.name;
  return page(
    c,
    { title, current: "jobs" },
    <>
      <Heading title={title}>
        <a href="/jobs">All Jobs</a>
      </Heading>
      <NoticeOf name={c.req.query("notice")} notices={notices} />
      <dl class="figures job-facts">
        <Fact term="Model">
          <a href={`/models#${job.model}`}>{job.model}</a>
        </Fact>
        <Fact term="Started with">
          <Name>{keyNameOf(job.keyId, names) ?? "a key that is gone"}</Name>
        </Fact>
        <Fact term="Created">
          <Time at={job.createdAt} now={now} />
        </Fact>
        <Fact term="Id">
          <code id="job-id">{job.id}</code>{" "}
          <button type="button" class="plain" data-copy="job-id" hidden>
            Copy
          </button>
        </Fact>
      </dl>
      <JobPart job={job} outlook={outlook} now={now} />
    </>,
  );
}

/** `GET /jobs/{id}/part`: what of the page changes while the Job runs. */
export async function showJobPart(c: Context<AppEnv>): Promise<Response> {
  const job = await maybeOwnJob(c);
  // Removed elsewhere: the page itself says so.
  if (job === null) return loadAgain(c);
  const outlook = await readOutlook(c, [job]);
  return c.html(<JobPart job={job} outlook={outlook} now={c.get("frame").startedAt} />);
}

interface PartProps {
  job: JobRecord;
  outlook: Outlook;
  now: number;
}

function JobPart(props: PartProps): Child {
  const { job } = props;
  return (
    <div id="job" class="block job" {...live(`/jobs/${job.id}/part`, !hasEnded(job))}>
      <Standing {...props} />
      <Figures {...props} />
      <Results {...props} />
      <Failures job={job} />
    </div>
  );
}

function Standing({ job, outlook, now }: PartProps): Child {
  const { total, succeeded, failed } = job.counts;
  return (
    <section class="block" aria-labelledby="items-done">
      <div>
        <h2 id="items-done" class="quiet">
          Items done, of {count(total)}
        </h2>
        <p class="figure-large">{count(succeeded + failed)}</p>
      </div>
      <JobProgress job={job} />
      <div class="heading job-state">
        <p>
          <JobStateOf job={job} />
          <span class="quiet">{stateInWords(job, now)}</span>
        </p>
        {hasEnded(job) || job.cancelledAt !== null ? null : (
          <a class="button second" href={`/jobs/${job.id}/cancel`}>
            Cancel this Job
          </a>
        )}
      </div>
      {job.pause === null ? null : (
        <Notice kind="problem">
          <LongPause job={job} pause={job.pause} outlook={outlook} now={now} />
        </Notice>
      )}
      {job.failure === null ? null : <Notice kind="problem">{job.failure}</Notice>}
    </section>
  );
}

function stateInWords(job: JobRecord, now: number): string {
  const { startedAt, endedAt, cancelledAt, pause } = job;
  if (endedAt !== null) return startedAt === null ? "" : ` after ${duration(endedAt - startedAt)}`;
  if (cancelledAt !== null) return ": what runs now ends within seconds";
  if (pause !== null) return ` for ${duration(now - pause.since)}`;
  return job.state === "queued" ? ": waits for its turn" : `: ${timeLeft(job)}`;
}

function Figures({ job }: PartProps): Child {
  const { counts, usage } = job;
  return (
    <dl class="figures">
      <Fact term="Succeeded">{count(counts.succeeded)}</Fact>
      <Fact term="Failed">{count(counts.failed)}</Fact>
      <Fact term="Tokens of prompts">{count(usage.promptTokens)}</Fact>
      <Fact term="Tokens of completions">{count(usage.completionTokens)}</Fact>
    </dl>
  );
}

/** While it runs also before the first line is there, so that nothing moves when it comes. */
function Results({ job, now }: PartProps): Child {
  const ended = hasEnded(job);
  const at = `/jobs/${job.id}`;
  const { succeeded, failed } = job.counts;
  const kinds = !ended || (succeeded > 0 && failed > 0);
  return (
    <section class="block">
      <h2>Results</h2>
      <p class="text">
        One line of JSON an item, in the order of the input.{" "}
        {ended ? (
          <>
            They are removed <Time at={job.removedAt} now={now} />;{" "}
            <a href={`${at}/remove`}>remove them now</a>.
          </>
        ) : (
          "While the Job runs a download has the lines that are ready without a gap; a later one has more."
        )}
      </p>
      {ended && succeeded + failed === 0 ? (
        <p class="text quiet">There are none: no item was done.</p>
      ) : (
        <p class="actions">
          <a class="button second" href={`${at}/results`} download>
            {ended ? "Download results" : "Download results so far"}
          </a>
          {kinds ? (
            <>
              <a href={`${at}/results?only=succeeded`} download>
                Only succeeded
              </a>
              <a href={`${at}/results?only=failed`} download>
                Only failed
              </a>
            </>
          ) : null}
        </p>
      )}
    </section>
  );
}

/** `GET /jobs/{id}/results?only=`: the file that `GET /v1/jobs/{id}/results` answers. */
export async function downloadResults(c: Context<AppEnv>): Promise<Response> {
  const asked = c.req.query("only");
  const lines = asked === "succeeded" || asked === "failed" ? asked : "all";
  const job = await ownJob(c);
  const file = await resultsFile(c.env, job, lines);
  return file === null ? c.redirect(`/jobs/${job.id}`, 303) : answerFile(c, file);
}

/** Failed items do not fail the Job; alike ones are one line. */
function Failures({ job }: { job: JobRecord }): Child {
  if (job.errors.length === 0) return null;
  return (
    <section class="block">
      <h2>What failed</h2>
      <Table
        caption="Failed items, the most frequent first"
        rows={job.errors}
        columns={[
          { title: "Items", kind: "number", cell: (group) => count(group.count) },
          { title: "Code", cell: ({ code }) => <code>{code}</code> },
          { title: "Message", cell: ({ message }) => <span class="note">{message}</span> },
          { title: "First of them", cell: ({ customId }) => <CustomId>{customId}</CustomId> },
        ]}
      />
    </section>
  );
}

function CustomId({ children }: { children: string }): Child {
  return (
    <code class="name" dir="auto" title={children}>
      {children}
    </code>
  );
}

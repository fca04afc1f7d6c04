// `GET /jobs`: a person's Jobs, newest first, which move while the page stands open.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Page } from "../../../contract/directory.ts";
import type { JobRecord } from "../../../contract/jobs.ts";
import { jobListOf } from "../../../durable-objects/objects.ts";
import { docsUrl } from "../../docs/docs.ts";
import type { AppEnv } from "../../environment.ts";
import { appOrigin } from "../guard.ts";
import { count, Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Copyable, EmptyState, Heading, NoticeOf } from "../layout/parts.tsx";
import { NextPage, ROWS_A_PAGE, Table } from "../layout/table.tsx";
import { signedIn } from "../session.ts";
import { NameCell, ProgressCell, StateCell } from "./job-state.tsx";
import { live } from "./live.ts";
import { type Outlook, readOutlook } from "./outlook.tsx";
import { hasEnded } from "./own-job.ts";

const PATH = "/jobs";

const notices = { removed: "The Job, its input and its results are removed." };

interface ShownJobs {
  jobs: Page<JobRecord>;
  outlook: Outlook;
  after: string | null;
  now: number;
}

export async function showJobs(c: Context<AppEnv>): Promise<Response> {
  const shown = await readJobs(c);
  const isEmpty = shown.jobs.rows.length === 0 && shown.after === null;
  const create = (
    <a class="button" href="/jobs/new">
      New Job
    </a>
  );
  return page(
    c,
    { title: "Jobs", current: "jobs" },
    <>
      <Heading title="Jobs">{isEmpty ? undefined : create}</Heading>
      <NoticeOf name={c.req.query("notice")} notices={notices} />
      {isEmpty ? <NoJobs c={c}>{create}</NoJobs> : <JobRows of={shown} />}
      <NextPage
        href={shown.jobs.next === null ? null : `${PATH}?${afterQuery(shown.jobs.next)}`}
        first={shown.after === null ? null : PATH}
      />
    </>,
  );
}

/** `GET /jobs/rows?after=`: the rows of one page, as they are now. */
export async function showJobRows(c: Context<AppEnv>): Promise<Response> {
  return c.html(<JobRows of={await readJobs(c)} />);
}

async function readJobs(c: Context<AppEnv>): Promise<ShownJobs> {
  const after = c.req.query("after") ?? null;
  const list = jobListOf(c.env, signedIn(c).person.id);
  const jobs = await list.jobs({ after, limit: ROWS_A_PAGE });
  const outlook = await readOutlook(c, jobs.rows);
  return { jobs, outlook, after, now: c.get("frame").startedAt };
}

function afterQuery(after: string | null): string {
  return after === null ? "" : String(new URLSearchParams({ after }));
}

function JobRows({ of }: { of: ShownJobs }): Child {
  const { jobs, outlook, after, now } = of;
  const goesOn = jobs.rows.some((job) => !hasEnded(job));
  return (
    <div id="jobs" class="jobs" {...live(`/jobs/rows?${afterQuery(after)}`, goesOn)}>
      <Table
        caption="Your Jobs"
        rows={jobs.rows}
        columns={[
          { title: "Name and Model", cell: (job) => <NameCell job={job} /> },
          {
            title: "State",
            cell: (job) => <StateCell job={job} outlook={outlook} now={now} />,
          },
          { title: "Items done", cell: (job) => <ProgressCell job={job} /> },
          { title: "Tokens", kind: "number", cell: (job) => count(tokensOf(job)) },
          { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} now={now} /> },
        ]}
      />
    </div>
  );
}

export function tokensOf({ usage }: JobRecord): number {
  return usage.promptTokens + usage.completionTokens;
}

function NoJobs(props: { c: Context<AppEnv>; children?: Child }): Child {
  const { c, children } = props;
  const model = c.get("services").models.keys().next().value ?? "model";
  const lines = [
    `curl ${appOrigin(c)}/v1/jobs \\`,
    `  -H "Authorization: Bearer ctn_…" -H "Content-Type: application/json" \\`,
    `  -d '{"model": "${model}", "params": {"max_tokens": 16}, "prompts": ["Call me", "It was"]}'`,
  ].join("\n");
  return (
    <>
      <EmptyState title="You have no Job yet.">
        <p class="text">
          A Job is a list of completions that runs here while your own machine is off: up to 50,000
          prompts, each charged once, with the results kept for 30 days.
        </p>
        {children}
      </EmptyState>
      <section class="block">
        <h2>Or start one from a terminal</h2>
        <Copyable id="lines" label="Three lines that start a Job" text={lines} />
        <p>
          <a href={`${docsUrl(c)}/how-to/run-a-job`}>How to run a Job</a>
        </p>
      </section>
    </>
  );
}

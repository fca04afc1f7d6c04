// The Jobs on Home that have not ended, and the same as the part that Home asks for meanwhile.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { JobRecord } from "../../../contract/jobs.ts";
import { jobListOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { count } from "../layout/amounts.tsx";
import { Table } from "../layout/table.tsx";
import { signedIn } from "../session.ts";
import { NameCell, ProgressCell, StateCell } from "./job-state.tsx";
import { live } from "./live.ts";
import { type Outlook, readOutlook } from "./outlook.tsx";
import { hasEnded } from "./own-job.ts";

/** Home is not the list: the newest few, and how many more there are. */
const SHOWN_MOST = 5;

/** Among so many of the newest those that run are looked for; older ones are a page of Jobs away. */
const LOOKED_AT = 50;

export interface ShownRunning {
  /** At most `SHOWN_MOST`. */
  jobs: JobRecord[];
  /** All of them. */
  underWay: number;
  outlook: Outlook;
}

export async function readRunning(c: Context<AppEnv>): Promise<ShownRunning> {
  const list = jobListOf(c.env, signedIn(c).person.id);
  const [{ rows }, underWay] = await Promise.all([
    list.jobs({ after: null, limit: LOOKED_AT }),
    list.unended(),
  ]);
  const jobs = rows.filter((job) => !hasEnded(job)).slice(0, SHOWN_MOST);
  return { jobs, underWay, outlook: await readOutlook(c, jobs) };
}

/** `GET /jobs/running`. */
export async function showRunning(c: Context<AppEnv>): Promise<Response> {
  return c.html(<RunningJobs of={await readRunning(c)} now={c.get("frame").startedAt} />);
}

export function RunningJobs(props: { of: ShownRunning; now: number }): Child {
  const { jobs, underWay, outlook } = props.of;
  const { now } = props;
  const more = underWay - jobs.length;
  return (
    <section id="running-jobs" class="block jobs" {...live("/jobs/running", underWay > 0)}>
      <h2>Jobs under way</h2>
      {underWay === 0 ? <p class="quiet">None is under way any more.</p> : null}
      {jobs.length === 0 ? null : (
        <Table
          caption="Jobs under way"
          rows={jobs}
          columns={[
            { title: "Name and Model", cell: (job) => <NameCell job={job} /> },
            {
              title: "State",
              cell: (job) => <StateCell job={job} outlook={outlook} now={now} />,
            },
            { title: "Items done", cell: (job) => <ProgressCell job={job} /> },
          ]}
        />
      )}
      <p>
        <a href="/jobs">{more > 0 ? `All Jobs, ${count(more)} more under way` : "All Jobs"}</a>
      </p>
    </section>
  );
}

// A Job's state and progress as pages show them, each of a height that no change of state moves.
import type { Child } from "hono/jsx";
import type { JobRecord, JobState } from "../../../contract/jobs.ts";
import { count, duration, Time } from "../layout/amounts.tsx";
import { State } from "../layout/parts.tsx";
import { type Outlook, ShortPause } from "./outlook.tsx";
import { hasEnded } from "./own-job.ts";

const kinds = {
  queued: "quiet",
  running: "busy",
  paused: "quiet",
  completed: "good",
  failed: "bad",
  cancelled: "quiet",
} as const satisfies Record<JobState, string>;

export function JobStateOf({ job }: { job: JobRecord }): Child {
  const isStuck = job.pause?.reason === "budget_exceeded";
  const isCancelling = job.cancelledAt !== null && !hasEnded(job);
  return (
    <State kind={isStuck ? "bad" : kinds[job.state]}>
      {isCancelling ? "cancelling" : job.state}
    </State>
  );
}

/** What is to be known of the state, in a line under it. */
function JobOutlook(props: { job: JobRecord; outlook: Outlook; now: number }): Child {
  const { job, outlook, now } = props;
  if (job.pause !== null) {
    return <ShortPause job={job} pause={job.pause} outlook={outlook} now={now} />;
  }
  if (hasEnded(job)) return <Time at={job.endedAt} now={now} />;
  if (job.cancelledAt !== null) return "what runs now ends";
  if (job.state === "queued") return "waits for its turn";
  return timeLeft(job);
}

export function timeLeft({ etaSeconds }: JobRecord): string {
  return etaSeconds === null
    ? "time left not known yet"
    : `about ${duration(etaSeconds * 1_000)} left`;
}

/** Of the items that have an end: those that succeeded, and after them those that failed. */
export function JobProgress({ job }: { job: JobRecord }): Child {
  const { total, succeeded, failed } = job.counts;
  const share = (items: number) => `${total === 0 ? 0 : (100 * items) / total}%`;
  return (
    <svg
      class="progress"
      role="progressbar"
      aria-label={`Progress of ${job.name}`}
      aria-valuemin="0"
      aria-valuemax={String(total)}
      aria-valuenow={String(succeeded + failed)}
      aria-valuetext={progressInWords(job)}
    >
      <rect class="progress-rest" width="100%" height="100%" />
      <rect class="progress-failed" width={share(succeeded + failed)} height="100%" />
      <rect class="progress-succeeded" width={share(succeeded)} height="100%" />
    </svg>
  );
}

export function progressInWords({ counts }: JobRecord): string {
  const { total, succeeded, failed } = counts;
  const done = `${count(succeeded + failed)} of ${count(total)}`;
  return failed === 0 ? done : `${done}, ${count(failed)} failed`;
}

/** Both in one cell: the bar, and the same in numbers. */
export function ProgressCell({ job }: { job: JobRecord }): Child {
  return (
    <span class="two-lines">
      <JobProgress job={job} />
      <span class="hint">{progressInWords(job)}</span>
    </span>
  );
}

export function StateCell(props: { job: JobRecord; outlook: Outlook; now: number }): Child {
  return (
    <span class="two-lines">
      <JobStateOf job={props.job} />
      <span class="hint">
        <JobOutlook {...props} />
      </span>
    </span>
  );
}

export function NameCell({ job }: { job: JobRecord }): Child {
  return (
    <span class="two-lines">
      <a href={`/jobs/${job.id}`} class="name" dir="auto" title={job.name}>
        {job.name}
      </a>
      <span class="hint">{job.model}</span>
    </span>
  );
}

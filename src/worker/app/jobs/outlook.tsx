// Why a Job waits, until when, and what its owner can do.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ModelStatus } from "../../../contract/inference.ts";
import { APP_KEY_ID, type JobPause, type JobRecord } from "../../../contract/jobs.ts";
import type { SpendVerdict } from "../../../contract/spend.ts";
import { spendLimitOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { readStatus } from "../../inference/model-status.ts";
import { count, duration, Time } from "../layout/amounts.tsx";

/** What paused Jobs wait for, as it is now. Read only where one of them waits for it. */
export interface Outlook {
  verdict: SpendVerdict | null;
  models: ReadonlyMap<string, ModelStatus>;
}

export async function readOutlook(
  c: Context<AppEnv>,
  jobs: readonly JobRecord[],
): Promise<Outlook> {
  const waitsForSpend = jobs.some(({ pause }) => pause?.reason === "spend_cap");
  const starting = jobs.filter(({ pause }) => pause?.reason === "model_starting");
  const ids = [...new Set(starting.map(({ model }) => model))];
  const [verdict, ...statuses] = await Promise.all([
    waitsForSpend ? spendLimitOf(c.env).verdict() : null,
    ...ids.map(async (id) => [id, await readStatus(c, id)] as const),
  ]);
  return { verdict, models: new Map(statuses) };
}

interface PauseProps {
  job: JobRecord;
  pause: JobPause;
  outlook: Outlook;
  now: number;
}

/** For a line of the list. */
export function ShortPause({ job, pause, outlook, now }: PauseProps): Child {
  switch (pause.reason) {
    case "budget_exceeded":
      return <MoreTokens job={job} pause={pause} />;
    case "spend_cap":
      return <SpendLifts verdict={outlook.verdict} now={now} />;
    case "model_starting":
      return `${job.model} starts: ${startsIn(outlook.models.get(job.model), now)}`;
  }
}

/** For the Job's own page. */
export function LongPause({ job, pause, outlook, now }: PauseProps): Child {
  switch (pause.reason) {
    case "budget_exceeded":
      return (
        <>
          {budgetInWords(pause)} It goes on by itself when there are enough.{" "}
          <MoreTokens job={job} pause={pause} />
        </>
      );
    case "spend_cap":
      return (
        <>
          New GPU work is paused. It goes on by itself:{" "}
          <SpendLifts verdict={outlook.verdict} now={now} />.
        </>
      );
    case "model_starting":
      return `${job.model} is starting, ${startsIn(outlook.models.get(job.model), now)}. The Job goes on by itself.`;
  }
}

function budgetInWords({ scope, budget }: JobPause): string {
  const whose = scope === "key" ? "The monthly limit of its key leaves" : "You have";
  if (budget === null) return `${whose} too few tokens for its next item.`;
  const { available, needed } = budget;
  return `${whose} ${count(available)} tokens; its next item may need ${count(needed)}.`;
}

function MoreTokens({ job, pause }: { job: JobRecord; pause: JobPause }): Child {
  if (pause.scope === "key" && job.keyId !== APP_KEY_ID) {
    return <a href={`/keys/${job.keyId}/limit`}>Raise the key's limit</a>;
  }
  return <a href="/usage/requests">Request more tokens</a>;
}

function SpendLifts({ verdict, now }: { verdict: SpendVerdict | null; now: number }): Child {
  if (verdict === null || !verdict.paused) return "in a moment";
  if (verdict.liftsAt === null) return "when an Admin resumes it";
  return (
    <>
      <Time at={verdict.liftsAt} now={now} />, or when the Spend limit is raised
    </>
  );
}

function startsIn(status: ModelStatus | undefined, now: number): string {
  if (status === undefined || status.state === "warm") return "ready in a moment";
  const since = status.startingSince ?? now;
  const leftMs = since + status.expectedStartMs - now;
  return leftMs > 0 ? `about ${duration(leftMs)} left` : "longer than usual";
}

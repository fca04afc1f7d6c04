// This month against the Spend limit: how much, where it is heading, by which Model, and what an Admin
// can do about it.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { SpendOverview } from "../../../contract/spend.ts";
import { spendLimitOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { count, Time, usd } from "../layout/amounts.tsx";
import { emptyForm, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Heading, Name, Notice, NoticeOf } from "../layout/parts.tsx";
import { Table } from "../layout/table.tsx";
import { RepeatId } from "../repeat-id.tsx";
import { Curve, Gauge } from "./spend-curve.tsx";

export const SPEND_PATH = "/admin/spend";

const notices = {
  limit: "The Spend limit is changed.",
  paused: "New GPU work is paused. What runs goes on to its end.",
  resumed: "The pause by hand is lifted.",
};

/** `GET /admin/spend`. */
export async function showSpend(c: Context<AppEnv>): Promise<Response> {
  return spendPage(c, emptyForm, 200);
}

/** `form`: a limit that could not be set, and why. */
export async function spendPage(
  c: Context<AppEnv>,
  form: FormState,
  status: number,
): Promise<Response> {
  const overview = await spendLimitOf(c.env).overview();
  const now = c.get("frame").startedAt;
  return page(
    c,
    { title: "Spend", current: "spend", status },
    <>
      <Heading title="Spend" />
      <NoticeOf name={c.req.query("notice")} notices={notices} />
      <Verdict overview={overview} now={now} />
      <Month overview={overview} />
      <Curve overview={overview} now={now} />
      <Days overview={overview} />
      <section class="block" aria-labelledby="models">
        <h2 id="models">By Model</h2>
        <Models overview={overview} />
      </section>
      <section class="block" aria-labelledby="change">
        <h2 id="change">Change it</h2>
        <LimitForm overview={overview} form={form} />
        <PauseForm overview={overview} />
      </section>
    </>,
  );
}

function Verdict(props: { overview: SpendOverview; now: number }): Child {
  const { verdict, pausedByHand } = props.overview;
  if (!verdict.paused) return null;
  if (pausedByHand) {
    return (
      <Notice kind="problem">
        New GPU work is paused by hand: Completions are refused until somebody resumes it below.
      </Notice>
    );
  }
  return (
    <Notice kind="problem">
      The Spend limit is reached: new GPU work is paused. It goes on when the limit is raised
      {verdict.liftsAt === null ? (
        "."
      ) : (
        <>
          , or <Time at={verdict.liftsAt} now={props.now} /> when the month turns.
        </>
      )}
    </Notice>
  );
}

function Month({ overview }: { overview: SpendOverview }): Child {
  const { spentUsd, limitUsd, forecastUsd, usdPerHour } = overview;
  return (
    <section class="block" aria-label="This month">
      <p class="figure-large">
        {usd(spentUsd)}{" "}
        <small>
          of {usd(limitUsd)} spent in {monthName(overview.month)} (UTC)
        </small>
      </p>
      <Gauge overview={overview} />
      <p class="hint text">
        Reserved is the wind-down: what the containers that run now will still cost until they have
        been idle long enough to stop. It counts against the limit, so that new work is paused while
        there is still room for them to end.
      </p>
      <dl class="figures">
        <div>
          <dt>Forecast for the month's end</dt>
          <dd>{usd(forecastUsd)}</dd>
        </div>
        <div>
          <dt>Now</dt>
          <dd>{usd(usdPerHour)} an hour</dd>
        </div>
      </dl>
    </section>
  );
}

function Models({ overview }: { overview: SpendOverview }): Child {
  const { models } = overview;
  if (models.length === 0) {
    return <EmptyState title="No container has run this month." />;
  }
  return (
    <>
      <Table
        caption="Spend by Model"
        rows={models}
        columns={[
          { title: "Model", cell: ({ model }) => <Name>{model}</Name> },
          { title: "Cost", kind: "number", cell: (row) => usd(row.usd) },
          { title: "Metered", cell: ({ estimated }) => (estimated ? "estimated" : "reported") },
          { title: "Container hours", kind: "number", cell: (row) => hours(row.containerSeconds) },
          { title: "Containers now", kind: "number", cell: (row) => count(row.containers) },
          { title: "An hour now", kind: "number", cell: (row) => usd(row.usdPerHour) },
        ]}
      />
      {models.some(({ estimated }) => estimated) ? (
        <p class="hint">
          Estimated: no container reported itself, so its time is taken from the first request to
          the last plus the idle window. The bill of whoever rents the GPUs may differ.
        </p>
      ) : null}
    </>
  );
}

function LimitForm({ overview, form }: { overview: SpendOverview; form: FormState }): Child {
  return (
    <form method="post" action={`${SPEND_PATH}/limit`} class="form">
      <RepeatId />
      <TextField
        field="limit"
        label="Spend limit of a month, in US dollars"
        form={form}
        inputmode="decimal"
        required
        initial={String(overview.limitUsd)}
        hint="Counts for every calendar month (UTC) from now on. A limit below what is spent pauses new GPU work at once."
      />
      <div>
        <button type="submit" class="button">
          Set limit
        </button>
      </div>
    </form>
  );
}

function PauseForm({ overview }: { overview: SpendOverview }): Child {
  if (!overview.pausedByHand) {
    return (
      <p>
        <a class="button second" href={`${SPEND_PATH}/pause`}>
          Pause new GPU work…
        </a>
      </p>
    );
  }
  return (
    <form method="post" action={`${SPEND_PATH}/resume`} class="form">
      <RepeatId />
      <div>
        <button type="submit" class="button">
          Resume GPU work
        </button>
      </div>
    </form>
  );
}

/** The curve's figures, for whoever cannot see it. */
function Days({ overview }: { overview: SpendOverview }): Child {
  const { days } = overview;
  if (days.length === 0) return null;
  return (
    <details>
      <summary>The days in figures</summary>
      <Table
        caption="Spend by day"
        rows={days}
        columns={[
          { title: "Day (UTC)", cell: ({ day }) => <time datetime={day}>{day}</time> },
          { title: "Cost", kind: "number", cell: (row) => usd(row.usd) },
          { title: "Container hours", kind: "number", cell: (row) => hours(row.containerSeconds) },
        ]}
      />
    </details>
  );
}

function hours(seconds: number): string {
  return (seconds / 3_600).toLocaleString("en-US", { maximumFractionDigits: 1 });
}

/** `2026-11` → `November 2026`. */
function monthName(month: string): string {
  return new Date(`${month}-01`).toLocaleDateString("en-US", {
    ...{ month: "long", year: "numeric", timeZone: "UTC" },
  });
}

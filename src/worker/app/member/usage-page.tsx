// `GET /usage`: tokens by day as stacked bars, the same rows as a table, and as CSV. The numbers are
// those of `GET /v1/usage`.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { stackedBars } from "../../../core/stacked-bars.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import { usageOf } from "../../api/usage.ts";
import type { AppEnv } from "../../environment.ts";
import { count } from "../layout/amounts.tsx";
import { TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Heading, Name, Notice } from "../layout/parts.tsx";
import { Pages, pageOf, Table } from "../layout/table.tsx";
import { StackedBarChart } from "../look/stacked-bars.tsx";
import { signedIn } from "../session.ts";
import { usageCsv } from "./usage-csv.ts";
import { lastDays, periods, type UsageAsked, usageAsked, usageUrl } from "./usage-period.ts";
import { UsageTabs } from "./usage-tabs.tsx";

type Usage = Awaited<ReturnType<typeof usageOf>>;

export async function showUsagePage(c: Context<AppEnv>): Promise<Response> {
  const now = c.get("frame").startedAt;
  const asked = usageAsked(c.req.query(), now);
  const usage = await usageOf(accountOf(c.env, signedIn(c).person.id), asked);
  const { from, to } = asked;
  return page(
    c,
    { title: "Usage", current: "usage" },
    <>
      <Heading title="Usage" />
      <UsageTabs current="usage" />
      {asked.problem === null ? null : <Notice kind="problem">{asked.problem}</Notice>}
      <Period asked={asked} now={now} />
      {usage.data.length === 0 ? (
        <EmptyState title="Nothing was used in these days.">
          <p>Days are UTC. Choose a longer period, or run the three lines on Home.</p>
        </EmptyState>
      ) : (
        <Figures usage={usage} asked={asked} page={c.req.query("page")} />
      )}
      {usage.data.length === 0 ? null : (
        <p>
          <a
            href={usageUrl("/usage/download.csv", { from, to })}
            download={`usage-${from}-${to}.csv`}
          >
            Download these rows as CSV
          </a>
        </p>
      )}
    </>,
  );
}

/** `GET /usage/download.csv?from=&to=`. */
export async function showUsageCsv(c: Context<AppEnv>): Promise<Response> {
  const { from, to } = usageAsked(c.req.query(), c.get("frame").startedAt);
  const { data } = await usageOf(accountOf(c.env, signedIn(c).person.id), { from, to });
  return c.body(usageCsv(data), 200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="usage-${from}-${to}.csv"`,
  });
}

function Period({ asked, now }: { asked: UsageAsked; now: number }): Child {
  const { from, to, by } = asked;
  return (
    <div class="block-close">
      <nav class="choices" aria-label="Period">
        {periods.map(({ days, title }) => {
          const range = lastDays(days, now);
          const isCurrent = range.from === from && range.to === to;
          return (
            <a href={usageUrl("/usage", { ...range, by })} aria-current={isCurrent || undefined}>
              {title}
            </a>
          );
        })}
      </nav>
      <form method="get" action="/usage" class="form-row">
        <input type="hidden" name="by" value={by} />
        <TextField field="from" label="From" type="date" initial={from} required />
        <TextField field="to" label="To" type="date" initial={to} required />
        <button type="submit" class="button second">
          Show
        </button>
      </form>
    </div>
  );
}

function Figures(props: { usage: Usage; asked: UsageAsked; page: string | undefined }): Child {
  const { usage, asked } = props;
  const { from, to, by } = asked;
  const names = new Map(usage.data.map(({ key }) => [key.id, key.name ?? key.id]));
  const amounts = usage.data.map((row) => ({
    day: row.day,
    series: by === "model" ? row.model : row.key.id,
    amount: row.total_tokens,
  }));
  const figures = stackedBars(amounts, asked);
  const rows = pageOf(usage.data.toReversed(), props.page);
  return (
    <>
      <div>
        <p class="figure-large">
          {count(usage.totals.total_tokens)} <small>tokens</small>
        </p>
        <p class="quiet">
          {count(usage.totals.prompt_tokens)} of prompts and {count(usage.totals.completion_tokens)}{" "}
          of completions, in {count(usage.totals.requests)} requests,{" "}
          <time datetime={from}>{from}</time> to <time datetime={to}>{to}</time> (UTC)
        </p>
      </div>
      <nav class="choices" aria-label="View">
        <a
          href={usageUrl("/usage", { from, to, by: "model" })}
          aria-current={by === "model" || undefined}
        >
          By Model
        </a>
        <a
          href={usageUrl("/usage", { from, to, by: "key" })}
          aria-current={by === "key" || undefined}
        >
          By key
        </a>
      </nav>
      <StackedBarChart
        figures={figures}
        label={`Tokens by ${figures.unit} and ${by === "model" ? "Model" : "key"}, ${from} to ${to}`}
        nameOf={(series) => (by === "model" ? series : (names.get(series) ?? series))}
      />
      <UsageTable rows={rows.rows} />
      <Pages
        of={rows}
        href={(number) => usageUrl("/usage", { from, to, by, page: String(number) })}
      />
    </>
  );
}

function UsageTable({ rows }: { rows: readonly Usage["data"][number][] }): Child {
  return (
    <Table
      caption="Usage by day, Model and key"
      rows={rows}
      columns={[
        { title: "Day (UTC)", cell: ({ day }) => <time datetime={day}>{day}</time> },
        { title: "Model", cell: ({ model }) => model },
        { title: "Key", cell: ({ key }) => <Name>{key.name ?? key.id}</Name> },
        { title: "Requests", kind: "number", cell: ({ requests }) => count(requests) },
        { title: "Prompt tokens", kind: "number", cell: (row) => count(row.prompt_tokens) },
        { title: "Completion tokens", kind: "number", cell: (row) => count(row.completion_tokens) },
        { title: "Tokens", kind: "number", cell: (row) => count(row.total_tokens) },
      ]}
    />
  );
}

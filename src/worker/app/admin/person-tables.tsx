// What a person has and uses, as tables. An Account gives its keys and Grants as a whole, so their pages
// are cut here.
import type { Child } from "hono/jsx";
import type { GrantRecord, KeyRecord } from "../../../contract/account.ts";
import type { presentUsage } from "../../api/present.ts";
import { count, Time } from "../layout/amounts.tsx";
import { EmptyState, Menu, Name, State } from "../layout/parts.tsx";
import { Pages, pageOf, Table } from "../layout/table.tsx";
import { withQuery } from "./query.ts";

interface ListProps<Row> {
  rows: readonly Row[];
  /** The number of the page. */
  asked: string | undefined;
  path: string;
  now: number;
}

export function Keys({ rows, asked, path, now }: ListProps<KeyRecord>): Child {
  if (rows.length === 0) return <EmptyState title="No key has been created." />;
  const newestFirst = rows.toSorted((one, other) => other.createdAt - one.createdAt);
  const shown = pageOf(newestFirst, asked);
  return (
    <>
      <Table
        caption="API Keys"
        rows={shown.rows}
        columns={[
          { title: "Name", cell: ({ name }) => <Name>{name}</Name> },
          { title: "Start", cell: ({ start }) => <code>{start}…</code> },
          { title: "Scope", cell: ({ scope }) => scope },
          { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} now={now} /> },
          { title: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} now={now} /> },
          { title: "State", cell: (key) => <KeyState of={key} now={now} /> },
          {
            title: "Actions",
            kind: "actions",
            cell: ({ id, name, revokedAt }) =>
              revokedAt === null ? (
                <Menu
                  id={`menu-${id}`}
                  of={name}
                  items={[{ href: `/admin/keys/${id}/revoke`, title: "Revoke…", danger: true }]}
                />
              ) : null,
          },
        ]}
      />
      <Pages of={shown} href={(page) => `${withQuery(path, { keys: String(page) })}#keys`} />
    </>
  );
}

function KeyState({ of, now }: { of: KeyRecord; now: number }): Child {
  const { revokedAt, revokedWhy, expiresAt } = of;
  if (revokedAt !== null) {
    return (
      <State kind="bad">
        revoked <Time at={revokedAt} now={now} />
        {revokedWhy ? (
          <span class="note quiet" dir="auto">
            {revokedWhy}
          </span>
        ) : null}
      </State>
    );
  }
  if (expiresAt === null) return <State kind="good">valid</State>;
  return (
    <State kind={expiresAt <= now ? "bad" : "good"}>
      {expiresAt <= now ? "expired" : "valid, expires"} <Time at={expiresAt} now={now} />
    </State>
  );
}

export function Grants({ rows, asked, path, now }: ListProps<GrantRecord>): Child {
  if (rows.length === 0) return <EmptyState title="No tokens have been given yet." />;
  const shown = pageOf(rows.toReversed(), asked);
  return (
    <>
      <Table
        caption="Grants"
        rows={shown.rows}
        columns={[
          { title: "Given", cell: ({ at }) => <Time at={at} now={now} /> },
          { title: "Tokens", kind: "number", cell: ({ tokens }) => count(tokens) },
          { title: "Used", kind: "number", cell: ({ used }) => count(used) },
          { title: "Lapsed", kind: "number", cell: ({ lapsed }) => count(lapsed) },
          { title: "Lapses", cell: ({ expiresAt }) => <Time at={expiresAt} now={now} /> },
          {
            title: "Note",
            cell: ({ note }) => (
              <span class="note" dir="auto">
                {note}
              </span>
            ),
          },
        ]}
      />
      <Pages of={shown} href={(page) => `${withQuery(path, { grants: String(page) })}#grant`} />
    </>
  );
}

type UsageRow = ReturnType<typeof presentUsage>;

export function UsageByModel({ rows }: { rows: readonly UsageRow[] }): Child {
  if (rows.length === 0) return <EmptyState title="Nothing has run this month." />;
  const models = [...Map.groupBy(rows, ({ model }) => model)].map(([model, its]) => ({
    model,
    requests: sum(its, (row) => row.requests),
    prompt: sum(its, (row) => row.prompt_tokens),
    completion: sum(its, (row) => row.completion_tokens),
    total: sum(its, (row) => row.total_tokens),
  }));
  return (
    <Table
      caption="Usage this month by Model"
      rows={models.sort((one, other) => other.total - one.total)}
      columns={[
        { title: "Model", cell: ({ model }) => <Name>{model}</Name> },
        { title: "Requests", kind: "number", cell: ({ requests }) => count(requests) },
        { title: "Prompt tokens", kind: "number", cell: ({ prompt }) => count(prompt) },
        { title: "Completion tokens", kind: "number", cell: ({ completion }) => count(completion) },
        { title: "Tokens", kind: "number", cell: ({ total }) => count(total) },
      ]}
    />
  );
}

function sum(rows: readonly UsageRow[], figure: (row: UsageRow) => number): number {
  return rows.reduce((total, row) => total + figure(row), 0);
}

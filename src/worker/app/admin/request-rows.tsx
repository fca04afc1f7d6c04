import type { Child } from "hono/jsx";
import type { TokenRequest, TokenRequestState } from "../../../contract/directory.ts";
import { count, Time } from "../layout/amounts.tsx";
import { EmptyState, State } from "../layout/parts.tsx";
import { type Column, Table } from "../layout/table.tsx";
import { PersonLink } from "./person-link.tsx";

const kinds = {
  open: "busy",
  approved: "good",
  rejected: "bad",
  withdrawn: "quiet",
} as const satisfies Record<TokenRequestState, string>;

/** Token requests as a table; `withPerson` where they are not all of one. */
export function RequestRows(props: {
  rows: readonly TokenRequest[];
  addresses: ReadonlyMap<string, string>;
  now: number;
  withPerson?: boolean;
  /** Said where there is none. */
  none: string;
}): Child {
  const { rows, addresses, now, withPerson = false, none } = props;
  if (rows.length === 0) return <EmptyState title={none} />;
  const person: Column<TokenRequest> = {
    title: "Who",
    cell: ({ personId }) => <PersonLink id={personId} addresses={addresses} />,
  };
  return (
    <Table
      caption="Token requests"
      rows={rows}
      columns={[
        { title: "Asked", cell: ({ askedAt }) => <Time at={askedAt} now={now} /> },
        ...(withPerson ? [person] : []),
        { title: "Tokens", kind: "number", cell: ({ tokens }) => count(tokens) },
        {
          title: "Why",
          cell: ({ reason }) => (
            <span class="note" dir="auto">
              {reason}
            </span>
          ),
        },
        { title: "State", cell: ({ state }) => <State kind={kinds[state]}>{state}</State> },
        {
          title: "Granted",
          kind: "number",
          cell: ({ granted }) => (granted === null ? "" : count(granted)),
        },
        {
          title: "By",
          cell: ({ decidedBy }) =>
            decidedBy === null ? "" : <PersonLink id={decidedBy} addresses={addresses} />,
        },
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
  );
}

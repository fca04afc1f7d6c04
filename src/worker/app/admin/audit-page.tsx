// Who did what, when, to whom. Rows are only ever added, so there is nothing to press but the filter.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AuditEntry, Page } from "../../../contract/directory.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Time } from "../layout/amounts.tsx";
import { Choose, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Heading } from "../layout/parts.tsx";
import { type Column, NextPage, ROWS_A_PAGE, Table } from "../layout/table.tsx";
import { Details, deedWords } from "./audit-words.tsx";
import { addressesOf, idOfAddress } from "./names.ts";
import { PersonLink } from "./person-link.tsx";
import { asked, withQuery } from "./query.ts";

const PATH = "/admin/audit";

/** `GET /admin/audit?who=&what=&whom=&after=`; people are named by their address. */
export async function showAudit(c: Context<AppEnv>): Promise<Response> {
  const filter = { who: asked(c, "who"), what: asked(c, "what"), whom: asked(c, "whom") };
  const after = asked(c, "after");
  const [who, whom] = await Promise.all([idAsked(c, filter.who), idAsked(c, filter.whom)]);
  const errors = {
    ...(who === UNKNOWN && { who: "Nobody has this address." }),
    ...(whom === UNKNOWN && { whom: "Nobody has this address." }),
  };
  const known = Object.keys(errors).length === 0;
  const found: Page<AuditEntry> = known
    ? await directoryOf(c.env).audit({ who, whom, what: filter.what, after, limit: ROWS_A_PAGE })
    : { rows: [], next: null };
  const addresses = await addressesOf(
    c,
    found.rows.flatMap((row) => [row.who, row.whom]),
  );
  const isFiltered = Object.values(filter).some((value) => value !== null);
  const values = Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, value ?? ""]),
  );
  return page(
    c,
    { title: "Audit", current: "audit" },
    <>
      <Heading title="Audit" />
      <p class="quiet">
        What people, Admins and the operator did. People are named by their address, whoever holds
        the operator's key is <code>operator</code>, a signed webhook <code>webhook</code>. Rows are
        only ever added.
      </p>
      <Filter form={{ values, errors }} isFiltered={isFiltered} />
      <AuditRows rows={found.rows} addresses={addresses} now={c.get("frame").startedAt} withWhom />
      <NextPage
        href={found.next === null ? null : withQuery(PATH, { ...filter, after: found.next })}
        first={after === null ? null : withQuery(PATH, filter)}
      />
    </>,
  );
}

/** `withWhom` where they are not all of one person. */
export function AuditRows(props: {
  rows: readonly AuditEntry[];
  addresses: ReadonlyMap<string, string>;
  now: number;
  withWhom?: boolean;
}): Child {
  const { rows, addresses, now, withWhom = false } = props;
  if (rows.length === 0) return <EmptyState title="No row fits." />;
  const whomOf: Column<AuditEntry> = {
    title: "Whom",
    cell: ({ whom }) => <PersonLink id={whom} addresses={addresses} />,
  };
  return (
    <Table
      caption="Audit log"
      rows={rows}
      columns={[
        { title: "When", cell: ({ at }) => <Time at={at} now={now} /> },
        { title: "Who", cell: ({ who }) => <PersonLink id={who} addresses={addresses} /> },
        { title: "What", cell: ({ what }) => <span class="deed">{deedWords[what] ?? what}</span> },
        ...(withWhom ? [whomOf] : []),
        { title: "Details", cell: ({ detail }) => <Details detail={detail} /> },
      ]}
    />
  );
}

function Filter(props: { form: FormState; isFiltered: boolean }): Child {
  const { form, isFiltered } = props;
  const deeds = Object.entries(deedWords).map(([value, label]) => ({ value, label }));
  return (
    <form method="get" action={PATH} class="filter">
      <TextField field="who" label="Who" form={form} />
      <Choose
        field="what"
        label="What"
        form={form}
        options={[{ value: "", label: "anything" }, ...deeds]}
      />
      <TextField field="whom" label="Whom" form={form} />
      <div class="actions">
        <button type="submit" class="button">
          Filter
        </button>
        {isFiltered ? <a href={PATH}>Show all</a> : null}
      </div>
    </form>
  );
}

/** No id of a person. */
const UNKNOWN = "unknown";

async function idAsked(c: Context<AppEnv>, address: string | null): Promise<string | null> {
  if (address === null) return null;
  return (await idOfAddress(c, address.toLowerCase())) ?? UNKNOWN;
}

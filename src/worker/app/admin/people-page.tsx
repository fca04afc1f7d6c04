// Everybody, by address.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Page, Person, RollUp } from "../../../contract/directory.ts";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { count, Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Heading, Name } from "../layout/parts.tsx";
import { NextPage, ROWS_A_PAGE, Table } from "../layout/table.tsx";
import { PersonState } from "./person-state.tsx";
import { asked, withQuery } from "./query.ts";
import { rollUpsOf, spentThisMonth } from "./roll-ups.ts";

export const PEOPLE_PATH = "/admin/people";

interface Row {
  person: Person;
  rollUp: RollUp | null;
}

/** `GET /admin/people?begin=&after=`: `begin` is what an address begins with. */
export async function showPeople(c: Context<AppEnv>): Promise<Response> {
  const begin = asked(c, "begin")?.toLowerCase() ?? null;
  const after = asked(c, "after");
  const found = await peopleFrom(c, begin, after);
  const rollUps = await rollUpsOf(
    c,
    found.rows.map(({ id }) => id),
  );
  const rows = found.rows.map((person) => ({ person, rollUp: rollUps.get(person.id) ?? null }));
  return page(
    c,
    { title: "People", current: "people" },
    <>
      <Heading title="People">
        <a class="button" href={`${PEOPLE_PATH}/invite`}>
          Invite somebody
        </a>
      </Heading>
      <Search begin={begin} />
      <Rows rows={rows} now={c.get("frame").startedAt} isSearch={begin !== null} />
      <NextPage
        href={found.next === null ? null : withQuery(PEOPLE_PATH, { begin, after: found.next })}
        first={after === null ? null : withQuery(PEOPLE_PATH, { begin })}
      />
    </>,
  );
}

/**
 * A page of those whose address begins so. The list is in the order of the addresses, so they stand
 * together: from the beginning itself on, until one begins otherwise.
 */
async function peopleFrom(
  c: Context<AppEnv>,
  begin: string | null,
  after: string | null,
): Promise<Page<Person>> {
  const directory = directoryOf(c.env);
  if (begin === null) return directory.people({ after, limit: ROWS_A_PAGE, email: null });
  const [exact, rest] = await Promise.all([
    after === null ? directory.people({ after: null, limit: 1, email: begin }) : null,
    // One more than is shown tells whether there is a next page.
    directory.people({ after: after ?? begin, limit: ROWS_A_PAGE + 1, email: null }),
  ]);
  const fitting = [...(exact?.rows ?? []), ...rest.rows].filter(({ email }) =>
    email.startsWith(begin),
  );
  const rows = fitting.slice(0, ROWS_A_PAGE);
  return { rows, next: fitting.length > ROWS_A_PAGE ? (rows.at(-1)?.email ?? null) : null };
}

function Search({ begin }: { begin: string | null }): Child {
  return (
    <search>
      <form method="get" action={PEOPLE_PATH} class="form-row">
        <div class="field">
          <label for="begin">Address begins with</label>
          <input
            id="begin"
            name="begin"
            type="search"
            maxlength={NAME_MAX_CHARACTERS}
            value={begin ?? ""}
            autocapitalize="off"
            spellcheck={false}
          />
        </div>
        <button type="submit" class="button second">
          Search
        </button>
        {begin === null ? null : <a href={PEOPLE_PATH}>Show all</a>}
      </form>
    </search>
  );
}

function Rows(props: { rows: readonly Row[]; now: number; isSearch: boolean }): Child {
  const { rows, now, isSearch } = props;
  if (rows.length === 0) {
    return <EmptyState title={isSearch ? "No address begins so." : "There is nobody yet."} />;
  }
  return (
    <Table
      caption="People"
      rows={rows}
      columns={[
        {
          title: "Address",
          cell: ({ person }) => (
            <a href={`${PEOPLE_PATH}/${person.id}`}>
              <Name>{person.email}</Name>
            </a>
          ),
        },
        { title: "Role", cell: ({ person }) => (person.role === "admin" ? "Admin" : "Member") },
        { title: "State", cell: ({ person }) => <PersonState person={person} now={now} /> },
        {
          title: "Last sign-in",
          cell: ({ person }) => <Time at={person.lastSignedInAt} now={now} />,
        },
        {
          title: "Last used",
          cell: ({ rollUp }) => <Time at={rollUp?.lastUsedAt ?? null} now={now} />,
        },
        {
          title: "Tokens this month",
          kind: "number",
          cell: ({ rollUp }) => count(spentThisMonth(rollUp, now)),
        },
        {
          title: "Tokens available",
          kind: "number",
          cell: ({ rollUp }) => (
            <>
              {count(rollUp?.available ?? 0)}{" "}
              <span class="quiet">of {count(rollUp?.granted ?? 0)}</span>
            </>
          ),
        },
      ]}
    />
  );
}

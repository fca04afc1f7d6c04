// Everybody, by address; and the door that lets more in.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { z } from "zod";
import type { Page, Person } from "../../../contract/directory.ts";
import { INVITE_DAYS, NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { accountOf, directoryOf } from "../../../durable-objects/objects.ts";
import { addPerson } from "../../deeds/people.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { count, Time } from "../layout/amounts.tsx";
import { Choose, emptyForm, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Heading, Name } from "../layout/parts.tsx";
import { NextPage, ROWS_A_PAGE, Table } from "../layout/table.tsx";
import { checkForm, readForm } from "../read-form.ts";
import { signedIn } from "../session.ts";
import { PersonState } from "./person-state.tsx";
import { asked, withQuery } from "./query.ts";
import { roles } from "./roles.ts";

export const PEOPLE_PATH = "/admin/people";

interface Row {
  person: Person;
  available: number;
}

/** `GET /admin/people?begin=&after=`: `begin` is what an address begins with. */
export async function showPeople(c: Context<AppEnv>): Promise<Response> {
  return peoplePage(c, emptyForm, 200);
}

const InviteForm = z.object({
  email: z
    .string()
    .trim()
    .max(NAME_MAX_CHARACTERS, `Write at most ${NAME_MAX_CHARACTERS} characters.`)
    .pipe(z.email("Write an e-mail address, such as name@example.org."))
    .transform((email) => email.toLowerCase()),
  role: z.enum(["member", "admin"], "Choose a role."),
});

/** `POST /admin/people`: repeatable by the address. */
export async function invite(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const checked = checkForm(InviteForm, values);
  if (!checked.ok) return peoplePage(c, checked.form, 400);
  try {
    const person = await addPerson(c, signedIn(c).person.id, checked.value);
    return c.redirect(`${PEOPLE_PATH}/${person.id}?notice=invited`, 303);
  } catch (failure) {
    if (!(failure instanceof Refused) || failure.error.code !== "idempotency_conflict")
      throw failure;
    const email =
      "This address is there already, with the other role. Find it below to change that.";
    return peoplePage(c, { values, errors: { email } }, 409);
  }
}

async function peoplePage(c: Context<AppEnv>, form: FormState, status: number): Promise<Response> {
  const begin = asked(c, "begin")?.toLowerCase() ?? null;
  const after = asked(c, "after");
  const found = await peopleFrom(c, begin, after);
  const rows: Row[] = await Promise.all(
    found.rows.map(async (person) => {
      const snapshot = await accountOf(c.env, person.id).snapshot();
      return { person, available: snapshot?.tokens.available ?? 0 };
    }),
  );
  return page(
    c,
    { title: "People", current: "people", status },
    <>
      <Heading title="People" />
      <Search begin={begin} />
      <Rows rows={rows} now={c.get("frame").startedAt} isSearch={begin !== null} />
      <NextPage
        href={found.next === null ? null : withQuery(PEOPLE_PATH, { begin, after: found.next })}
        first={after === null ? null : withQuery(PEOPLE_PATH, { begin })}
      />
      <section class="block" aria-labelledby="invite">
        <h2 id="invite">Invite somebody</h2>
        <InvitePerson form={form} />
      </section>
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
        { title: "Tokens available", kind: "number", cell: ({ available }) => count(available) },
      ]}
    />
  );
}

function InvitePerson({ form }: { form: FormState }): Child {
  return (
    <form method="post" action={PEOPLE_PATH} class="form">
      <TextField
        field="email"
        label="E-mail address"
        type="email"
        form={form}
        required
        maxlength={NAME_MAX_CHARACTERS}
        autocomplete="off"
        hint={`Must be the address that the sign-in provider knows. It may sign in for ${INVITE_DAYS} days; tell the person yourself, no mail is sent.`}
      />
      <Choose field="role" label="Role" form={form} options={roles} initial="member" required />
      <div>
        <button type="submit" class="button">
          Invite
        </button>
      </div>
    </form>
  );
}

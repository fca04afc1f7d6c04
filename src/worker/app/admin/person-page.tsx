// One person, as Admins see them: what they have and use, what they asked, their keys, and what was
// done to them.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AccountSnapshot } from "../../../contract/account.ts";
import type { Person } from "../../../contract/directory.ts";
import { accountOf, directoryOf } from "../../../durable-objects/objects.ts";
import { knownPerson } from "../../deeds/answered.ts";
import type { AppEnv } from "../../environment.ts";
import { count, Time } from "../layout/amounts.tsx";
import { emptyForm, type FormState } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { Fact, Heading, NoticeOf } from "../layout/parts.tsx";
import { NextPage } from "../layout/table.tsx";
import { monthUsage } from "../month-usage.ts";
import { signedIn } from "../session.ts";
import { AuditRows } from "./audit-page.tsx";
import { addressesOf } from "./names.ts";
import { AccessForms, GrantForm, LimitsForm } from "./person-forms.tsx";
import { PersonState } from "./person-state.tsx";
import { Grants, Keys, UsageByModel } from "./person-tables.tsx";
import { asked, withQuery } from "./query.ts";
import { RequestRows } from "./request-rows.tsx";

/** Of their Token requests and of what was done to them, the last ones; each list says where more is. */
const ROWS_SHOWN = 10;

const notices = {
  invited: "This address may sign in. Tell the person yourself: no mail is sent.",
  granted: "The tokens are there, also for requests that wait for them.",
  role: "The role is changed, from their next request on.",
  limits: "The limits are changed, from their next request on.",
  disabled: "This person is disabled: keys are refused, what ran is cut off, sessions are ended.",
  enabled: "This person is enabled again, with the keys and tokens that they had.",
  revoked: "The key is revoked: its next request is refused.",
};

/** What was sent with one of the page's forms and not obeyed. */
export interface RefusedForms {
  grant?: FormState;
  limits?: FormState;
}

export function personPath(id: string): string {
  return `/admin/people/${id}`;
}

/** `GET /admin/people/:id`. */
export async function showPerson(c: Context<AppEnv>): Promise<Response> {
  return personPage(c, {}, 200);
}

export async function personPage(
  c: Context<AppEnv>,
  refused: RefusedForms,
  status: number,
): Promise<Response> {
  const person = await knownPerson(c, c.req.param("id") ?? "");
  const found = await readPerson(c, person);
  const { snapshot, requests, audit, addresses } = found;
  const now = c.get("frame").startedAt;
  const path = personPath(person.id);
  return page(
    c,
    { title: person.email, current: "people", status },
    <>
      <Heading title={person.email} />
      <NoticeOf name={c.req.query("notice")} notices={notices} />
      <Facts person={person} snapshot={snapshot} now={now} />
      <Part id="grant" title="Give tokens">
        <GrantForm path={path} form={refused.grant ?? emptyForm} />
        <Grants rows={found.grants} asked={c.req.query("grants")} path={path} now={now} />
      </Part>
      <Part id="requests" title="Token requests">
        <RequestRows
          rows={requests.rows}
          addresses={addresses}
          now={now}
          none="They have not asked for tokens."
        />
        <NextPage
          href={requests.next === null ? null : withQuery(path, { requests: requests.next })}
          first={asked(c, "requests") === null ? null : path}
        />
      </Part>
      <Part id="usage" title="Usage this month">
        <UsageByModel rows={found.usage.data} />
      </Part>
      <Part id="keys" title="API Keys">
        <Keys rows={found.keys} asked={c.req.query("keys")} path={path} now={now} />
      </Part>
      <Part id="limits" title="Limits">
        <LimitsForm path={path} limits={snapshot.limits} form={refused.limits ?? emptyForm} />
      </Part>
      <Part id="access" title="Access">
        <AccessForms person={person} path={path} isMe={person.id === signedIn(c).person.id} />
      </Part>
      <Part id="audit" title="What was done">
        <AuditRows rows={audit.rows} addresses={addresses} now={now} />
        <p>
          <a href={withQuery("/admin/audit", { whom: person.email })}>All in the audit log</a>
        </p>
      </Part>
    </>,
  );
}

async function readPerson(c: Context<AppEnv>, person: Person) {
  const account = accountOf(c.env, person.id);
  const directory = directoryOf(c.env);
  const after = asked(c, "requests");
  const [snapshot, grants, keys, usage, requests, audit] = await Promise.all([
    account.snapshot(),
    account.grants(),
    account.keys(),
    monthUsage(account, c.get("frame").startedAt),
    directory.tokenRequests({ personId: person.id, state: null, after, limit: ROWS_SHOWN }),
    directory.audit({ who: null, whom: person.id, what: null, after: null, limit: ROWS_SHOWN }),
  ]);
  if (snapshot === null) throw new Error("a person of the Directory has no Account");
  const ids = [
    ...requests.rows.map(({ decidedBy }) => decidedBy),
    ...audit.rows.flatMap(({ who, whom }) => [who, whom]),
  ];
  const addresses = await addressesOf(c, ids);
  return { snapshot, grants, keys, usage, requests, audit, addresses };
}

/** No landmark: the table or form inside has its own name. */
function Part(props: { id: string; title: string; children?: Child }): Child {
  return (
    <div class="block" id={props.id}>
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

function Facts(props: { person: Person; snapshot: AccountSnapshot; now: number }): Child {
  const { person, snapshot, now } = props;
  const { granted, spent, held, available } = snapshot.tokens;
  const { requests, atMostTokens } = snapshot.unreported;
  return (
    <section class="block" aria-label="In figures">
      <p class="figure-large">
        {count(available)} <small>tokens available</small>
      </p>
      <dl class="facts">
        <Fact term="Granted">{count(granted)}</Fact>
        <Fact term="Spent">{count(spent)}</Fact>
        <Fact term="Held by running requests">{count(held)}</Fact>
        <Fact term="Running, waiting">
          {count(snapshot.running)}, {count(snapshot.waiting)}
        </Fact>
        <Fact term="Role">{person.role === "admin" ? "Admin" : "Member"}</Fact>
        <Fact term="State">
          <PersonState person={person} now={now} />
        </Fact>
        <Fact term="Last sign-in">
          <Time at={person.lastSignedInAt} now={now} />
        </Fact>
        <Fact term="Added">
          <Time at={person.createdAt} now={now} />
        </Fact>
        {requests === 0 ? null : (
          <Fact term="Ended without a report, uncharged">
            {count(requests)} requests, at most {count(atMostTokens)} tokens
          </Fact>
        )}
      </dl>
    </section>
  );
}

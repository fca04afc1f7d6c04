// The inbox: who asks for how many tokens and why, what they use and have, and the answer. What was
// decided stands below.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Page, TokenRequest, TokenRequestState } from "../../../contract/directory.ts";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { accountOf, directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { count, Time } from "../layout/amounts.tsx";
import { emptyForm, type FormState, TextArea, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Heading, Notice, Tabs } from "../layout/parts.tsx";
import { NextPage, ROWS_A_PAGE } from "../layout/table.tsx";
import { signedIn } from "../session.ts";
import { monthUsage } from "./month-usage.ts";
import { addressesOf, OPERATOR } from "./names.ts";
import { PersonLink } from "./person-link.tsx";
import { asked, withQuery } from "./query.ts";
import { RequestRows } from "./request-rows.tsx";

export const REQUESTS_PATH = "/admin/requests";

/** Each open one asks its Account two things, so a page of them is short. */
const OPEN_A_PAGE = 10;

interface OpenRequest {
  request: TokenRequest;
  available: number;
  spentThisMonth: number;
}

/** A form that was sent and not obeyed, and whose it is. */
export interface RefusedForm {
  requestId: string;
  form: FormState;
}

/** `GET /admin/requests?open=&state=&after=`: `open` and `after` are where the two lists go on. */
export async function showRequests(c: Context<AppEnv>): Promise<Response> {
  return requestsPage(c, null, 200);
}

export async function requestsPage(
  c: Context<AppEnv>,
  refused: RefusedForm | null,
  status: number,
): Promise<Response> {
  const directory = directoryOf(c.env);
  const openAfter = asked(c, "open");
  const state = stateAsked(c);
  const after = asked(c, "after");
  const everybody = { personId: null, limit: ROWS_A_PAGE };
  const [open, all, decided] = await Promise.all([
    directory.tokenRequests({
      personId: null,
      state: "open",
      after: openAfter,
      limit: OPEN_A_PAGE,
    }),
    directory.tokenRequests({ ...everybody, state, after }),
    decidedNow(c),
  ]);
  const rows = await Promise.all(open.rows.map((request) => withFigures(c, request)));
  const named = [...open.rows, ...all.rows, ...(decided === null ? [] : [decided])];
  const addresses = await addressesOf(
    c,
    named.flatMap((one) => [one.personId, one.decidedBy]),
  );
  return page(
    c,
    { title: "Requests", current: "requests", status },
    <>
      <Heading title="Token requests" />
      {decided === null ? null : (
        <DecidedNotice request={decided} addresses={addresses} me={signedIn(c).person.id} />
      )}
      <Inbox rows={rows} addresses={addresses} refused={refused} now={c.get("frame").startedAt} />
      <NextPage
        href={open.next === null ? null : withQuery(REQUESTS_PATH, { open: open.next })}
        first={openAfter === null ? null : REQUESTS_PATH}
      />
      <History
        found={all}
        state={state}
        after={after}
        addresses={addresses}
        now={c.get("frame").startedAt}
      />
    </>,
  );
}

async function withFigures(c: Context<AppEnv>, request: TokenRequest): Promise<OpenRequest> {
  const account = accountOf(c.env, request.personId);
  const [snapshot, usage] = await Promise.all([
    account.snapshot(),
    monthUsage(account, c.get("frame").startedAt),
  ]);
  return {
    request,
    available: snapshot?.tokens.available ?? 0,
    spentThisMonth: usage.totals.total_tokens,
  };
}

function Inbox(props: {
  rows: readonly OpenRequest[];
  addresses: ReadonlyMap<string, string>;
  refused: RefusedForm | null;
  now: number;
}): Child {
  const { rows, addresses, refused, now } = props;
  if (rows.length === 0) {
    return (
      <EmptyState title="No request is open.">
        People ask for tokens on their Usage page.
      </EmptyState>
    );
  }
  return rows.map(({ request, available, spentThisMonth }) => (
    <article class="block request" aria-labelledby={`${request.id}-who`}>
      <h2 id={`${request.id}-who`}>
        <PersonLink id={request.personId} addresses={addresses} />
      </h2>
      <p>
        asked for <strong>{count(request.tokens)} tokens</strong>{" "}
        <Time at={request.askedAt} now={now} />
      </p>
      <blockquote class="text" dir="auto">
        {request.reason}
      </blockquote>
      <dl class="facts">
        <div>
          <dt>Available now</dt>
          <dd>{count(available)} tokens</dd>
        </div>
        <div>
          <dt>Used this month</dt>
          <dd>{count(spentThisMonth)} tokens</dd>
        </div>
      </dl>
      <Decide
        request={request}
        form={refused?.requestId === request.id ? refused.form : emptyForm}
      />
    </article>
  ));
}

/** One form with two buttons, so that a note written for one answer is there for the other. */
function Decide({ request, form }: { request: TokenRequest; form: FormState }): Child {
  const { id, tokens } = request;
  const path = `${REQUESTS_PATH}/${id}`;
  return (
    <form method="post" action={`${path}/approve`} class="form">
      <TextField
        field="tokens"
        within={id}
        label="Grant, in tokens"
        form={form}
        inputmode="numeric"
        required
        initial={count(tokens)}
      />
      <TextArea
        field="note"
        within={id}
        label="Note"
        form={form}
        rows={2}
        maxlength={NOTE_MAX_CHARACTERS}
        hint="The person reads it. A rejection needs one."
      />
      <div class="actions">
        <button type="submit" class="button">
          Approve
        </button>
        <button type="submit" class="button second" formaction={`${path}/reject`}>
          Reject
        </button>
      </div>
    </form>
  );
}

const states: readonly { state: TokenRequestState | null; title: string }[] = [
  { state: null, title: "All" },
  { state: "approved", title: "Approved" },
  { state: "rejected", title: "Rejected" },
  { state: "withdrawn", title: "Withdrawn" },
];

function stateAsked(c: Context<AppEnv>): TokenRequestState | null {
  return (
    states.find(({ state }) => state !== null && state === c.req.query("state"))?.state ?? null
  );
}

function History(props: {
  found: Page<TokenRequest>;
  state: TokenRequestState | null;
  after: string | null;
  addresses: ReadonlyMap<string, string>;
  now: number;
}): Child {
  const { found, state, after, addresses, now } = props;
  const tabs = states.map((tab) => ({
    href: withQuery(REQUESTS_PATH, { state: tab.state }),
    title: tab.title,
    current: tab.state === state,
  }));
  return (
    <section class="block" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Tabs label="Which requests" tabs={tabs} />
      <RequestRows rows={found.rows} addresses={addresses} now={now} withPerson />
      <NextPage
        href={found.next === null ? null : withQuery(REQUESTS_PATH, { state, after: found.next })}
        first={after === null ? null : withQuery(REQUESTS_PATH, { state })}
      />
    </section>
  );
}

/** The request that a redirect after a decision names: what it says is read, not taken from the link. */
async function decidedNow(c: Context<AppEnv>): Promise<TokenRequest | null> {
  const id = asked(c, "decided");
  return id === null ? null : directoryOf(c.env).tokenRequest(id);
}

function DecidedNotice(props: {
  request: TokenRequest;
  addresses: ReadonlyMap<string, string>;
  me: string;
}): Child {
  const { request, addresses, me } = props;
  const whose = addresses.get(request.personId) ?? request.personId;
  const outcome =
    request.state === "approved"
      ? `approved with ${count(request.granted ?? 0)} tokens`
      : request.state;
  if (request.state === "open") return null;
  if (request.state === "withdrawn") {
    return <Notice kind="problem">{whose} withdrew this request before you answered it.</Notice>;
  }
  if (request.decidedBy === me)
    return (
      <Notice>
        The request of {whose} is {outcome}.
      </Notice>
    );
  const who =
    request.decidedBy === OPERATOR ? "the operator" : addresses.get(request.decidedBy ?? "");
  return (
    <Notice kind="problem">
      {who ?? "Another Admin"} decided first: the request of {whose} is {outcome}. Nothing was added
      to that.
    </Notice>
  );
}

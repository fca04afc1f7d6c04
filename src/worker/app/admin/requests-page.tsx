// The inbox: who asks for how many tokens and why, what they use and have, and the answer. What was
// decided stands below.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Page, TokenRequest, TokenRequestState } from "../../../contract/directory.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { count } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Heading, Notice, Tabs } from "../layout/parts.tsx";
import { NextPage, ROWS_A_PAGE } from "../layout/table.tsx";
import { signedIn } from "../session.ts";
import { Inbox, REQUESTS_PATH, type RefusedForm } from "./inbox.tsx";
import { addressesOf, OPERATOR } from "./names.ts";
import { asked, withQuery } from "./query.ts";
import { RequestRows } from "./request-rows.tsx";
import { rollUpsOf } from "./roll-ups.ts";

/** Each has a form, and is read before it is answered. */
const OPEN_A_PAGE = 10;

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
  const named = [...open.rows, ...all.rows, ...(decided === null ? [] : [decided])];
  const [addresses, rollUps] = await Promise.all([
    addressesOf(
      c,
      named.flatMap((one) => [one.personId, one.decidedBy]),
    ),
    rollUpsOf(
      c,
      open.rows.map(({ personId }) => personId),
    ),
  ]);
  return page(
    c,
    { title: "Requests", current: "requests", status },
    <>
      <Heading title="Token requests" />
      {decided === null ? null : (
        <DecidedNotice request={decided} addresses={addresses} me={signedIn(c).person.id} />
      )}
      <Inbox
        rows={open.rows}
        rollUps={rollUps}
        addresses={addresses}
        refused={refused}
        now={c.get("frame").startedAt}
      />
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

const states: readonly { state: TokenRequestState | "closed"; title: string }[] = [
  { state: "closed", title: "All" },
  { state: "approved", title: "Approved" },
  { state: "rejected", title: "Rejected" },
  { state: "withdrawn", title: "Withdrawn" },
];

/** All that are closed, unless a tab of one state was chosen. */
function stateAsked(c: Context<AppEnv>): TokenRequestState | "closed" {
  return states.find(({ state }) => state === c.req.query("state"))?.state ?? "closed";
}

function History(props: {
  found: Page<TokenRequest>;
  state: TokenRequestState | "closed";
  after: string | null;
  addresses: ReadonlyMap<string, string>;
  now: number;
}): Child {
  const { found, state, after, addresses, now } = props;
  const tabs = states.map((tab) => ({
    href: earlierPath(tab.state, null),
    title: tab.title,
    current: tab.state === state,
  }));
  return (
    <section class="block" aria-labelledby="history">
      <h2 id="history">Earlier requests</h2>
      <Tabs label="Which requests" tabs={tabs} />
      <RequestRows
        rows={found.rows}
        addresses={addresses}
        now={now}
        withPerson
        none={state === "closed" ? "No request has been answered yet." : `None was ${state}.`}
      />
      <NextPage
        href={found.next === null ? null : earlierPath(state, found.next)}
        first={after === null ? null : earlierPath(state, null)}
      />
    </section>
  );
}

function earlierPath(state: TokenRequestState | "closed", after: string | null): string {
  return withQuery(REQUESTS_PATH, { state: state === "closed" ? null : state, after });
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

// `/usage/requests`: asking for more tokens, and what became of it. One request may be open at a time.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { z } from "zod";
import type { TokenRequest, TokenRequestState } from "../../../contract/directory.ts";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { accountOf, directoryOf } from "../../../durable-objects/objects.ts";
import { askForTokens, withdrawRequest } from "../../deeds/token-requests.ts";
import type { AppEnv } from "../../environment.ts";
import { countAsk } from "../../guard/door.ts";
import { Refused } from "../../refuse.ts";
import { count, Time } from "../layout/amounts.tsx";
import { emptyForm, type FormState, TextArea, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { Heading, Notice, NoticeOf, State } from "../layout/parts.tsx";
import { NextPage, ROWS_A_PAGE, Table } from "../layout/table.tsx";
import { checkForm, readForm, tokenAmount } from "../read-form.ts";
import { RepeatId, readRepeatId, sentBefore } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { UsageTabs } from "./usage-tabs.tsx";

const PATH = "/usage/requests";

const notices = {
  asked: "Your request is with the Admins. You see their answer here and on Home.",
  withdrawn: "The request is withdrawn.",
};

const AskForm = z.object({
  tokens: tokenAmount,
  reason: z
    .string("Write what you need the tokens for.")
    .trim()
    .min(1, "Write what you need the tokens for.")
    .max(NOTE_MAX_CHARACTERS, `Write at most ${NOTE_MAX_CHARACTERS} characters.`),
});

export function showRequests(c: Context<AppEnv>): Promise<Response> {
  return requestsPage(c, emptyForm, null, 200);
}

export async function ask(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const id = readRepeatId(values);
  const checked = checkForm(AskForm, values);
  if (!checked.ok) return requestsPage(c, checked.form, null, 400);
  await countAsk(c);
  try {
    await askForTokens(c, signedIn(c).person.id, { id, ...checked.value });
  } catch (failure) {
    if (isConflict(failure)) return changedMeanwhile(c, failure, { values, errors: {} });
    return requestsPage(c, sentBefore(failure, values, "tokens"), null, 409);
  }
  return c.redirect(`${PATH}?notice=asked`, 303);
}

export async function withdraw(c: Context<AppEnv>): Promise<Response> {
  try {
    await withdrawRequest(c, signedIn(c).person.id, c.req.param("id") ?? "");
  } catch (failure) {
    if (!isConflict(failure)) throw failure;
    return changedMeanwhile(c, failure, emptyForm);
  }
  return c.redirect(`${PATH}?notice=withdrawn`, 303);
}

function isConflict(failure: unknown): failure is Refused {
  return failure instanceof Refused && failure.error.code === "conflict";
}

/** Told on the page itself, which shows how it is now. */
function changedMeanwhile(
  c: Context<AppEnv>,
  { error }: Refused,
  form: FormState,
): Promise<Response> {
  return requestsPage(c, form, error.message, 409);
}

async function requestsPage(
  c: Context<AppEnv>,
  form: FormState,
  problem: string | null,
  status: number,
): Promise<Response> {
  const me = signedIn(c).person.id;
  const after = c.req.query("after") ?? null;
  const directory = directoryOf(c.env);
  const [snapshot, all, open] = await Promise.all([
    accountOf(c.env, me).snapshot(),
    directory.tokenRequests({ personId: me, state: null, after, limit: ROWS_A_PAGE }),
    directory.tokenRequests({ personId: me, state: "open", after: null, limit: 1 }),
  ]);
  const now = c.get("frame").startedAt;
  const openOne = open.rows[0] ?? null;
  return page(
    c,
    { title: "Request more tokens", current: "usage", status },
    <>
      <Heading title="Usage" />
      <UsageTabs current="requests" />
      <NoticeOf name={problem === null ? c.req.query("notice") : undefined} notices={notices} />
      {problem === null ? null : <Notice kind="problem">{problem}</Notice>}
      {openOne === null ? (
        <AskFormOf form={form} available={snapshot?.tokens.available ?? 0} />
      ) : (
        <OpenRequest request={openOne} now={now} />
      )}
      {all.rows.length === 0 ? null : (
        <section class="block">
          <h2>Your requests</h2>
          <RequestTable requests={all.rows} now={now} />
          <NextPage
            href={all.next === null ? null : `${PATH}?${new URLSearchParams({ after: all.next })}`}
            first={after === null ? null : PATH}
          />
        </section>
      )}
    </>,
  );
}

function AskFormOf({ form, available }: { form: FormState; available: number }): Child {
  return (
    <form method="post" action={PATH} class="form">
      <p>
        You have <strong>{count(available)}</strong> tokens left.
      </p>
      <RepeatId />
      <TextField
        field="tokens"
        label="How many more tokens"
        form={form}
        inputmode="numeric"
        required
        autocomplete="off"
      />
      <TextArea
        field="reason"
        label="What for"
        form={form}
        hint="An Admin reads it and decides: what you run, on which Model, until when."
        required
        maxlength={NOTE_MAX_CHARACTERS}
      />
      <div class="actions">
        <button type="submit" class="button">
          Send the request
        </button>
      </div>
    </form>
  );
}

function OpenRequest({ request, now }: { request: TokenRequest; now: number }): Child {
  return (
    <section class="block text" aria-labelledby="open-request">
      <h2 id="open-request">You asked for {count(request.tokens)} tokens</h2>
      <p class="as-written" dir="auto">
        {request.reason}
      </p>
      <p class="quiet">
        Sent <Time at={request.askedAt} now={now} />. One request can be open at a time.
      </p>
      <form method="post" action={`${PATH}/${request.id}/withdraw`}>
        <button type="submit" class="button second">
          Withdraw
        </button>
      </form>
    </section>
  );
}

const states = {
  open: { kind: "busy", word: "open" },
  approved: { kind: "good", word: "approved" },
  rejected: { kind: "bad", word: "rejected" },
  withdrawn: { kind: "quiet", word: "withdrawn" },
} as const satisfies Record<TokenRequestState, object>;

function RequestTable(props: { requests: readonly TokenRequest[]; now: number }): Child {
  const { requests, now } = props;
  return (
    <Table
      caption="Your requests for tokens"
      rows={requests}
      columns={[
        { title: "Asked", cell: ({ askedAt }) => <Time at={askedAt} now={now} /> },
        { title: "Tokens", kind: "number", cell: ({ tokens }) => count(tokens) },
        {
          title: "State",
          cell: ({ state }) => <State kind={states[state].kind}>{states[state].word}</State>,
        },
        {
          title: "Granted",
          kind: "number",
          cell: ({ granted }) => (granted === null ? "" : count(granted)),
        },
        { title: "What for", cell: ({ reason }) => <LongText>{reason}</LongText> },
        { title: "The Admin's note", cell: ({ note }) => <LongText>{note}</LongText> },
      ]}
    />
  );
}

function LongText({ children }: { children: string }): Child {
  return (
    <span class="as-written long-text" dir="auto">
      {children}
    </span>
  );
}

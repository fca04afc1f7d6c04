// The open requests: who asks for how many tokens and why, what they use and have, and the answer.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { TokenRequest } from "../../../contract/directory.ts";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { count, Time } from "../layout/amounts.tsx";
import { emptyForm, type FormState, TextArea, TextField } from "../layout/fields.tsx";
import { EmptyState } from "../layout/parts.tsx";
import { monthUsage } from "../month-usage.ts";
import { PersonLink } from "./person-link.tsx";

export const REQUESTS_PATH = "/admin/requests";

export interface OpenRequest {
  request: TokenRequest;
  available: number;
  spentThisMonth: number;
}

/** A form that was sent and not obeyed, and whose it is. */
export interface RefusedForm {
  requestId: string;
  form: FormState;
}

export async function withFigures(c: Context<AppEnv>, request: TokenRequest): Promise<OpenRequest> {
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

export function Inbox(props: {
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
    <article class="request" aria-labelledby={`${request.id}-who`}>
      <div class="block">
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
      </div>
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

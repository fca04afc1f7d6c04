// The open requests: who asks for how many tokens and why, what they use and have, and the answer.
import type { Child } from "hono/jsx";
import type { RollUp, TokenRequest } from "../../../contract/directory.ts";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { count, Time } from "../layout/amounts.tsx";
import { emptyForm, type FormState, TextArea, TextField } from "../layout/fields.tsx";
import { EmptyState } from "../layout/parts.tsx";
import { PersonLink } from "./person-link.tsx";
import { spentThisMonth } from "./roll-ups.ts";

export const REQUESTS_PATH = "/admin/requests";

/** A form that was sent and not obeyed, and whose it is. */
export interface RefusedForm {
  requestId: string;
  form: FormState;
}

export function Inbox(props: {
  rows: readonly TokenRequest[];
  rollUps: ReadonlyMap<string, RollUp>;
  addresses: ReadonlyMap<string, string>;
  refused: RefusedForm | null;
  now: number;
}): Child {
  const { rows, rollUps, addresses, refused, now } = props;
  if (rows.length === 0) {
    return (
      <EmptyState title="No request is open.">
        People ask for tokens on their Usage page.
      </EmptyState>
    );
  }
  return rows.map((request) => (
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
        <Figures rollUp={rollUps.get(request.personId) ?? null} now={now} />
      </div>
      <Decide
        request={request}
        form={refused?.requestId === request.id ? refused.form : emptyForm}
      />
    </article>
  ));
}

function Figures({ rollUp, now }: { rollUp: RollUp | null; now: number }): Child {
  return (
    <dl class="facts">
      <div>
        <dt>Available now</dt>
        <dd>{count(rollUp?.available ?? 0)} tokens</dd>
      </div>
      <div>
        <dt>Used this month</dt>
        <dd>{count(spentThisMonth(rollUp, now))} tokens</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>
          <Time at={rollUp?.lastUsedAt ?? null} now={now} />
        </dd>
      </div>
    </dl>
  );
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

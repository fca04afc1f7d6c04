// What an Admin can do to a person. Each is a form of its own; what cuts somebody off asks once.
import type { Child } from "hono/jsx";
import type { AccountLimits } from "../../../contract/account.ts";
import type { Person } from "../../../contract/directory.ts";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { count } from "../layout/amounts.tsx";
import { Choose, type FormState, TextArea, TextField } from "../layout/fields.tsx";
import { RepeatId } from "../repeat-id.tsx";
import { roles } from "./roles.ts";

export function GrantForm({ path, form }: { path: string; form: FormState }): Child {
  return (
    <form method="post" action={`${path}/grants`} class="form">
      <RepeatId />
      <TextField field="tokens" label="Tokens" form={form} inputmode="numeric" required />
      <TextArea field="note" label="Note" form={form} rows={2} maxlength={NOTE_MAX_CHARACTERS} />
      <TextField
        field="lastDay"
        label="Last day (UTC)"
        type="date"
        form={form}
        hint="What is left of them then lapses. Without a day they stay."
      />
      <div>
        <button type="submit" class="button">
          Give tokens
        </button>
      </div>
    </form>
  );
}

export function LimitsForm(props: { path: string; limits: AccountLimits; form: FormState }): Child {
  const { path, limits, form } = props;
  const field = (name: keyof AccountLimits, label: string, hint: string) => (
    <TextField
      field={name}
      label={label}
      form={form}
      inputmode="numeric"
      required
      initial={count(limits[name])}
      hint={hint}
    />
  );
  return (
    <form method="post" action={`${path}/limits`} class="form">
      <RepeatId />
      {field("running", "Running", "Completions that run at once.")}
      {field("waiting", "Waiting", "Completions that wait in line for a place to run.")}
      {field("startsPerMinute", "Starts a minute", "All of them may come at once.")}
      <div>
        <button type="submit" class="button second">
          Set limits
        </button>
      </div>
    </form>
  );
}

export function AccessForms(props: { person: Person; path: string; isMe: boolean }): Child {
  const { person, path, isMe } = props;
  if (isMe) {
    return (
      <p class="quiet">
        This is you. Another Admin can change your role or disable you, so that nobody locks
        themselves out.
      </p>
    );
  }
  return (
    <>
      <form method="post" action={`${path}/role`} class="form">
        <RepeatId />
        <Choose
          field="role"
          label="Role"
          options={roles}
          initial={person.role}
          required
          hint="An Admin sees everybody, gives tokens and sets the Spend limit."
        />
        <div>
          <button type="submit" class="button second">
            Change role
          </button>
        </div>
      </form>
      {person.invitedUntil === null || person.disabled ? null : (
        <Press action={`${path}/invite`} verb="Extend the invite" />
      )}
      {person.disabled ? (
        <Press action={`${path}/enable`} verb="Enable again" />
      ) : (
        <p>
          <a class="button second" href={`${path}/disable`}>
            Disable…
          </a>
        </p>
      )}
    </>
  );
}

/** A form that is one button. */
function Press({ action, verb }: { action: string; verb: string }): Child {
  return (
    <form method="post" action={action} class="form">
      <RepeatId />
      <div>
        <button type="submit" class="button second">
          {verb}
        </button>
      </div>
    </form>
  );
}

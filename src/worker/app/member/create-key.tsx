// `GET /keys/new` and `POST /keys`: the answer shows the key, this once. The form carries an id, so a
// second sending creates nothing. Of two quick presses a browser shows the second answer alone: so that
// one shows the same key, and a later one (a reload, a way back) shows nothing.
import type { Context } from "hono";
import { z } from "zod";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { hex } from "../../../core/hex.ts";
import { mintKey } from "../../deeds/keys.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { Choose, emptyForm, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { Copyable, Name, Notice } from "../layout/parts.tsx";
import { checkForm, readForm } from "../read-form.ts";
import { RepeatId, readRepeatId, sentBefore } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { codeLines } from "./code-lines.ts";
import { keyName, monthlyLimit } from "./key-fields.ts";
import { noticeUrl } from "./keys-page.tsx";

const DAY_MS = 86_400_000;

/** The day is the last on which the key works (UTC). */
const lastDay = z.iso
  .date("Write a day as 2026-12-31.")
  .transform((day) => Date.parse(day) + DAY_MS);

const NewKeyForm = z.object({
  name: keyName,
  expires: z.preprocess((text) => (text === "" ? null : text), lastDay.nullable().default(null)),
  limit: monthlyLimit,
  scope: z.enum(["completions", "admin"], "Choose one of the two.").default("completions"),
  draw: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

export function showNewKey(c: Context<AppEnv>): Response | Promise<Response> {
  return newKeyPage(c, emptyForm, 200);
}

export async function createKey(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const id = readRepeatId(values);
  const checked = checkForm(NewKeyForm, values);
  if (!checked.ok) return newKeyPage(c, checked.form, 400);
  const { name, expires: expiresAt, limit: monthlyTokenLimit, scope, draw } = checked.value;
  const me = signedIn(c).person.id;
  try {
    const content = { id, draw, name, scope, expiresAt, monthlyTokenLimit };
    const { key, secret } = await mintKey(c, me, me, content);
    if (secret === null) return c.redirect(noticeUrl("shown-before"), 303);
    return createdPage(c, key.name, secret);
  } catch (failure) {
    const isOver = failure instanceof Refused && failure.error.param === "expires_at";
    if (!isOver) return newKeyPage(c, sentBefore(failure, values, "name"), 409);
    const errors = { expires: "This day is over. Choose a later one, or none." };
    return newKeyPage(c, { values, errors }, 400);
  }
}

function newKeyPage(
  c: Context<AppEnv>,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  const today = new Date(c.get("frame").startedAt).toISOString().slice(0, 10);
  return page(
    c,
    { title: "Create a key", current: "keys", status },
    <form method="post" action="/keys" class="form">
      <h1>Create a key</h1>
      <RepeatId />
      <input type="hidden" name="draw" value={hex(crypto.getRandomValues(new Uint8Array(32)))} />
      <TextField
        field="name"
        label="Name"
        form={form}
        hint="Where it will be used, such as a machine or a project."
        required
        maxlength={NAME_MAX_CHARACTERS}
        autocomplete="off"
      />
      <TextField
        field="expires"
        label="Last day"
        type="date"
        min={today}
        form={form}
        hint="The key stops working when this day ends (UTC)."
      />
      <TextField
        field="limit"
        label="Monthly limit, in tokens"
        inputmode="numeric"
        form={form}
        hint="What this key may spend of your tokens in a calendar month (UTC)."
        autocomplete="off"
      />
      {signedIn(c).person.role === "admin" ? (
        <Choose
          field="scope"
          label="For"
          form={form}
          required
          options={[
            { value: "completions", label: "Completions" },
            { value: "admin", label: "Completions and the admin API" },
          ]}
        />
      ) : null}
      <div class="actions">
        <button type="submit" class="button">
          Create
        </button>
        <a href="/keys">Cancel</a>
      </div>
    </form>,
  );
}

function createdPage(
  c: Context<AppEnv>,
  name: string,
  secret: string,
): Response | Promise<Response> {
  return page(
    c,
    { title: "Your new key", current: "keys" },
    <>
      <h1>Your new key</h1>
      <Notice>
        <Name>{name}</Name> is ready. Copy the key now: it is shown this once, since only its hash
        is kept.
      </Notice>
      <Copyable id="new-key" label="The key" text={secret} />
      <section class="block">
        <h2>Use it</h2>
        <Copyable id="lines" label="Three lines of Python" text={codeLines(c, secret)} />
      </section>
      <p>
        <a class="button second" href="/keys">
          I have copied it
        </a>
      </p>
    </>,
  );
}

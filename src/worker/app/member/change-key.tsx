// The three entries of a key's menu, each a page that asks and a form that does. Own keys only.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { z } from "zod";
import { NAME_MAX_CHARACTERS, NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { changeKey, revokeKey } from "../../deeds/keys.ts";
import type { AppEnv } from "../../environment.ts";
import { count, Time } from "../layout/amounts.tsx";
import { emptyForm, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { Confirm, Name } from "../layout/parts.tsx";
import { checkForm, readForm } from "../read-form.ts";
import { signedIn } from "../session.ts";
import { keyName, monthlyLimit } from "./key-fields.ts";
import { noticeUrl } from "./keys-page.tsx";
import { type OwnKey, ownActiveKey, ownKey } from "./own-keys.ts";

const RenameForm = z.object({ name: keyName });
const LimitForm = z.object({ limit: monthlyLimit });
const RevokeForm = z.object({
  reason: z
    .string()
    .trim()
    .max(NOTE_MAX_CHARACTERS, `Write at most ${NOTE_MAX_CHARACTERS} characters.`)
    .default(""),
});

/** What the holder of a key reads who was given no other reason. */
const OWN_REASON = "by its owner";

export async function showRename(c: Context<AppEnv>): Promise<Response> {
  return renamePage(c, await ownActiveKey(c), emptyForm, 200);
}

export async function rename(c: Context<AppEnv>): Promise<Response> {
  const key = await ownActiveKey(c);
  const checked = checkForm(RenameForm, await readForm(c));
  if (!checked.ok) return renamePage(c, key, checked.form, 400);
  await changeKey(c, signedIn(c).person.id, key.id, checked.value);
  return c.redirect(noticeUrl("renamed"), 303);
}

export async function showLimit(c: Context<AppEnv>): Promise<Response> {
  return limitPage(c, await ownActiveKey(c), emptyForm, 200);
}

export async function setLimit(c: Context<AppEnv>): Promise<Response> {
  const key = await ownActiveKey(c);
  const checked = checkForm(LimitForm, await readForm(c));
  if (!checked.ok) return limitPage(c, key, checked.form, 400);
  const { limit: monthlyTokenLimit } = checked.value;
  await changeKey(c, signedIn(c).person.id, key.id, { monthlyTokenLimit });
  return c.redirect(noticeUrl("limited"), 303);
}

export async function showRevoke(c: Context<AppEnv>): Promise<Response> {
  return revokePage(c, await ownActiveKey(c), emptyForm, 200);
}

/** A key that is revoked already stays so, with its first reason: pressing twice is no error. */
export async function revoke(c: Context<AppEnv>): Promise<Response> {
  const key = await ownKey(c);
  const checked = checkForm(RevokeForm, await readForm(c));
  if (!checked.ok) return revokePage(c, key, checked.form, 400);
  await revokeKey(c, signedIn(c).person.id, key.id, checked.value.reason || OWN_REASON);
  return c.redirect(noticeUrl("revoked"), 303);
}

function renamePage(
  c: Context<AppEnv>,
  key: OwnKey,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  const title = "Rename this key";
  return page(
    c,
    { title, current: "keys", status },
    <Confirm title={title} action={`/keys/${key.id}/rename`} verb="Rename" back="/keys">
      <Which of={key} />
      <TextField
        field="name"
        label="Name"
        form={form}
        initial={key.name}
        required
        maxlength={NAME_MAX_CHARACTERS}
        autocomplete="off"
      />
    </Confirm>,
  );
}

function limitPage(
  c: Context<AppEnv>,
  key: OwnKey,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  const title = "Set this key's limit";
  const { monthlyTokenLimit: limit, tokensThisMonth } = key;
  return page(
    c,
    { title, current: "keys", status },
    <Confirm title={title} action={`/keys/${key.id}/limit`} verb="Set limit" back="/keys">
      <Which of={key} />
      <TextField
        field="limit"
        label="Monthly limit, in tokens"
        form={form}
        initial={limit === null ? "" : count(limit)}
        inputmode="numeric"
        autocomplete="off"
        hint={`It has spent ${count(tokensThisMonth)} tokens this month (UTC). Leave it empty for no limit.`}
      />
    </Confirm>,
  );
}

function revokePage(
  c: Context<AppEnv>,
  key: OwnKey,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  const title = "Revoke this key?";
  const now = c.get("frame").startedAt;
  return page(
    c,
    { title, current: "keys", status },
    <Confirm title={title} action={`/keys/${key.id}/revoke`} verb="Revoke" danger back="/keys">
      <Which of={key} />
      <p class="text">
        Every program that uses it stops: the next request is refused, and streams that run now are
        cut. This cannot be undone.
      </p>
      <p>
        Last used: <Time at={key.lastUsedAt} now={now} />. This month: {count(key.tokensThisMonth)}{" "}
        tokens.
      </p>
      <TextField
        field="reason"
        label="Reason"
        form={form}
        hint="Told to whoever still uses the key."
        maxlength={NOTE_MAX_CHARACTERS}
        autocomplete="off"
      />
    </Confirm>,
  );
}

function Which({ of }: { of: OwnKey }): Child {
  return (
    <p>
      <Name>{of.name}</Name> <code class="quiet">{of.start}…</code>
    </p>
  );
}

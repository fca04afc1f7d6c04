// Revoking somebody's key, by an Admin: asks once, with the reason that the key's holder is told.
import type { Context } from "hono";
import { z } from "zod";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import { accountOfKeyId } from "../../auth/api-key.ts";
import { knownPerson, nothingHere } from "../../deeds/answered.ts";
import { revokeKey } from "../../deeds/keys.ts";
import type { AppEnv } from "../../environment.ts";
import { Time } from "../layout/amounts.tsx";
import { emptyForm, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { Confirm } from "../layout/parts.tsx";
import { checkForm, readForm } from "../read-form.ts";
import { signedIn } from "../session.ts";
import { personPath } from "./person-page.tsx";

const RevokeForm = z.object({
  reason: z
    .string()
    .trim()
    .min(1, "Write why: whoever holds the key is told.")
    .max(NOTE_MAX_CHARACTERS),
});

/** `GET /admin/keys/:id/revoke`. */
export function askToRevoke(c: Context<AppEnv>): Promise<Response> {
  return revokePage(c, emptyForm, 200);
}

/** `POST /admin/keys/:id/revoke`: the first reason is kept. */
export async function revoke(c: Context<AppEnv>): Promise<Response> {
  const { owner, key } = await keyAsked(c);
  const checked = checkForm(RevokeForm, await readForm(c));
  if (!checked.ok) return revokePage(c, checked.form, 400);
  await revokeKey(c, signedIn(c).person.id, key.id, checked.value.reason);
  return c.redirect(`${personPath(owner.id)}?notice=revoked#keys`, 303);
}

async function revokePage(c: Context<AppEnv>, form: FormState, status: number): Promise<Response> {
  const { owner, key } = await keyAsked(c);
  return page(
    c,
    { title: "Revoke a key", current: "people", status },
    <Confirm
      title={`Revoke “${key.name}”?`}
      action={`/admin/keys/${key.id}/revoke`}
      verb="Revoke"
      danger
      back={personPath(owner.id)}
    >
      <p>
        It is a key of {owner.email} and begins with <code>{key.start}</code>. Whatever uses it is
        refused from its next request on, and streams that run are cut off within half a minute.
        Last used: <Time at={key.lastUsedAt} now={c.get("frame").startedAt} />. This cannot be
        undone.
      </p>
      <TextField
        field="reason"
        label="Why"
        form={form}
        required
        maxlength={NOTE_MAX_CHARACTERS}
        hint="Whoever holds the key reads it in the error."
      />
    </Confirm>,
  );
}

/** Throws `Refused` 404. */
async function keyAsked(c: Context<AppEnv>) {
  const keyId = c.req.param("id") ?? "";
  const ownerId = accountOfKeyId(keyId);
  if (ownerId === null) throw nothingHere();
  const owner = await knownPerson(c, ownerId);
  const key = (await accountOf(c.env, owner.id).keys()).find(({ id }) => id === keyId);
  if (key === undefined) throw nothingHere();
  return { owner, key };
}

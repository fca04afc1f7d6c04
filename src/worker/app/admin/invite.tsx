// The door that lets more people in.
import type { Context } from "hono";
import { z } from "zod";
import { INVITE_DAYS, NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { addPerson } from "../../deeds/people.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { Choose, emptyForm, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { Heading } from "../layout/parts.tsx";
import { checkForm, readForm } from "../read-form.ts";
import { signedIn } from "../session.ts";
import { PEOPLE_PATH } from "./people-page.tsx";
import { roles } from "./roles.ts";

const InviteForm = z.object({
  email: z
    .string()
    .trim()
    .max(NAME_MAX_CHARACTERS, `Write at most ${NAME_MAX_CHARACTERS} characters.`)
    .pipe(z.email("Write an e-mail address, such as name@example.org."))
    .transform((email) => email.toLowerCase()),
  role: z.enum(["member", "admin"], "Choose a role."),
});

/** `GET /admin/people/invite`. */
export function showInvite(c: Context<AppEnv>): Response | Promise<Response> {
  return invitePage(c, emptyForm, 200);
}

/** `POST /admin/people`: repeatable by the address. */
export async function invite(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const checked = checkForm(InviteForm, values);
  if (!checked.ok) return invitePage(c, checked.form, 400);
  try {
    const person = await addPerson(c, signedIn(c).person.id, checked.value);
    return c.redirect(`${PEOPLE_PATH}/${person.id}?notice=invited`, 303);
  } catch (failure) {
    if (!(failure instanceof Refused) || failure.error.code !== "idempotency_conflict")
      throw failure;
    const email = "This address is there already, with the other role. Change that on its page.";
    return invitePage(c, { values, errors: { email } }, 409);
  }
}

function invitePage(
  c: Context<AppEnv>,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  return page(
    c,
    { title: "Invite somebody", current: "people", status },
    <>
      <Heading title="Invite somebody" />
      <form method="post" action={PEOPLE_PATH} class="form">
        <TextField
          field="email"
          label="E-mail address"
          type="email"
          form={form}
          required
          maxlength={NAME_MAX_CHARACTERS}
          autocomplete="off"
          hint={`The address that the sign-in provider knows. It may be used to sign in for ${INVITE_DAYS} days. Tell the person yourself: no mail is sent.`}
        />
        <Choose field="role" label="Role" form={form} options={roles} initial="member" required />
        <div class="actions">
          <button type="submit" class="button">
            Invite
          </button>
          <a href={PEOPLE_PATH}>Cancel</a>
        </div>
      </form>
    </>,
  );
}

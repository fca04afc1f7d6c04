// What the forms of a person's page do. An Admin cannot take the App from themselves: with one Admin
// left, nobody could give it back without the operator.
import type { Context } from "hono";
import { z } from "zod";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { knownPerson } from "../../deeds/answered.ts";
import { grantTokens } from "../../deeds/grants.ts";
import { changePerson, invitePerson, type PersonChange } from "../../deeds/people.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { page } from "../layout/page.tsx";
import { Confirm } from "../layout/parts.tsx";
import { checkForm, readForm, tokenAmount, wholeNumber } from "../read-form.ts";
import { RepeatId, readRepeatId, sentBefore } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { personPage, personPath } from "./person-page.tsx";

const DAY_MS = 86_400_000;

function GrantFormOf(now: number) {
  return z.object({
    tokens: tokenAmount,
    note: z.string().trim().max(NOTE_MAX_CHARACTERS).default(""),
    /** Tokens are good to the end of that day. */
    lastDay: z
      .union([z.literal(""), z.iso.date("Write a day, such as 2027-01-31.")])
      .default("")
      .transform((day) => (day === "" ? null : Date.parse(day) + DAY_MS))
      .refine((end) => end === null || end > now, "This day is over already."),
  });
}

/** `POST /admin/people/:id/grants`. */
export async function grant(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const id = readRepeatId(values);
  const checked = checkForm(GrantFormOf(c.get("frame").startedAt), values);
  if (!checked.ok) return personPage(c, { grant: checked.form }, 400);
  const { tokens, note, lastDay: expiresAt } = checked.value;
  try {
    await grantTokens(c, signedIn(c).person.id, whom(c), { id, tokens, note, expiresAt });
  } catch (failure) {
    return personPage(c, { grant: sentBefore(failure, values, "tokens") }, 409);
  }
  return done(c, "granted");
}

const limit = wholeNumber.pipe(
  z.number().min(1, "Write at least 1.").max(1_000_000, "Write at most 1,000,000."),
);
const LimitsForm = z.object({ running: limit, waiting: limit, startsPerMinute: limit });

/** `POST /admin/people/:id/limits`. */
export async function setLimits(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const id = readRepeatId(values);
  const checked = checkForm(LimitsForm, values);
  if (!checked.ok) return personPage(c, { limits: checked.form }, 400);
  try {
    await changePerson(c, signedIn(c).person.id, whom(c), { id, limits: checked.value });
  } catch (failure) {
    return personPage(c, { limits: sentBefore(failure, values, "running") }, 409);
  }
  return done(c, "limits");
}

const Role = z.enum(["member", "admin"]);

/** `POST /admin/people/:id/role`. */
export async function changeRole(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const role = Role.safeParse(values.role);
  if (!role.success) {
    const message = "Choose a role: Member or Admin.";
    throw new Refused({ code: "invalid_request", message, param: "role" });
  }
  await changeAnother(c, { id: readRepeatId(values), role: role.data });
  return done(c, "role");
}

/** `GET /admin/people/:id/disable`: asks once, and says what it means. */
export async function askToDisable(c: Context<AppEnv>): Promise<Response> {
  const person = await knownPerson(c, whom(c));
  refuseOneself(c);
  const path = personPath(person.id);
  return page(
    c,
    { title: "Disable a person", current: "people" },
    <Confirm
      title={`Disable ${person.email}?`}
      action={`${path}/disable`}
      verb="Disable"
      danger
      back={path}
    >
      <RepeatId />
      <p>
        Their keys are refused from the next request on, streams that run are cut off within half a
        minute, and they are signed out everywhere. Keys and tokens are kept, for when somebody
        enables them again.
      </p>
    </Confirm>,
  );
}

/** `POST /admin/people/:id/disable`. */
export async function disable(c: Context<AppEnv>): Promise<Response> {
  await changeAnother(c, { id: readRepeatId(await readForm(c)), disabled: true });
  return done(c, "disabled");
}

/** `POST /admin/people/:id/enable`. */
export async function enable(c: Context<AppEnv>): Promise<Response> {
  await changeAnother(c, { id: readRepeatId(await readForm(c)), disabled: false });
  return done(c, "enabled");
}

/** `POST /admin/people/:id/invite`. */
export async function extendInvite(c: Context<AppEnv>): Promise<Response> {
  const id = readRepeatId(await readForm(c));
  await invitePerson(c, signedIn(c).person.id, whom(c), { id });
  return done(c, "invited");
}

async function changeAnother(c: Context<AppEnv>, change: PersonChange): Promise<void> {
  refuseOneself(c);
  await changePerson(c, signedIn(c).person.id, whom(c), change);
}

function refuseOneself(c: Context<AppEnv>): void {
  if (whom(c) !== signedIn(c).person.id) return;
  const message = "You cannot change your own role or disable yourself. Ask another Admin.";
  throw new Refused({ code: "conflict", message });
}

function whom(c: Context<AppEnv>): string {
  return c.req.param("id") ?? "";
}

function done(c: Context<AppEnv>, notice: string): Response {
  return c.redirect(`${personPath(whom(c))}?notice=${notice}`, 303);
}

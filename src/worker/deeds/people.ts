// What is done to people. Each deed is repeatable, and has its row in the audit log.
import type { Context } from "hono";
import type {
  AccountLimits,
  AccountSnapshot,
  ProfileChange,
  Role,
} from "../../contract/account.ts";
import type { Person } from "../../contract/directory.ts";
import { accountOf, directoryOf, webhooksOf } from "../../durable-objects/objects.ts";
import { newAccountId } from "../auth/api-key.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { answered, knownPerson } from "./answered.ts";
import { type Deed, record, recordedBefore } from "./audit-row.ts";
import { requireAdminDoer } from "./doer.ts";
import { openAccount } from "./open-account.ts";
import { tellJobs } from "./tell-jobs.ts";

export interface PersonChange {
  /** Makes the change repeatable. */
  id?: string | undefined;
  role?: Role | undefined;
  disabled?: boolean | undefined;
  limits?: Partial<AccountLimits> | undefined;
  /** Of what a webhook asked for: who sent it, and why. For the audit log. */
  because?: { source: string; reason: string; subject?: string; asOf?: string } | undefined;
}

/** Invites them, too: for INVITE_DAYS the address may sign in. Repeatable by the address. */
export async function addPerson(
  c: Context<AppEnv>,
  who: string,
  { email, role }: { email: string; role: Role },
): Promise<Person> {
  await requireAdminDoer(c, who);
  const added = await directoryOf(c.env).addPerson({ id: newAccountId(), email, role });
  const person = answered(added, "A person with this e-mail address has another role.");
  await openAccount(c, person);
  const detail = { email, role };
  await record(c, { who, what: "person.add", whom: person.id, detail, repeatId: person.id });
  return person;
}

/** A new INVITE_DAYS for an address that has not signed in yet. */
export async function invitePerson(
  c: Context<AppEnv>,
  who: string,
  whom: string,
  { id }: { id?: string | undefined } = {},
): Promise<Person> {
  await requireAdminDoer(c, who);
  const person = await knownPerson(c, whom);
  const deed: Deed = {
    ...{ who, what: "person.invite", whom, detail: { email: person.email } },
    repeatId: id && `${whom} ${id}`,
  };
  if (await recordedBefore(c, deed)) return person;
  const invited = await directoryOf(c.env).invite(whom);
  if (!invited.ok && invited.reason === "conflict") {
    const message = "This person has signed in before and needs no invite.";
    throw new Refused({ code: "conflict", message });
  }
  const answer = answered(invited, "");
  await record(c, deed);
  return answer;
}

/**
 * The Account first, since that is what refuses requests; what tells others of its events last. A repeat with the same `id` gets the person
 * as they are now and changes nothing; other content under that `id` is refused.
 */
export async function changePerson(
  c: Context<AppEnv>,
  who: string,
  whom: string,
  { id, role, disabled, limits, because }: PersonChange,
): Promise<{ person: Person; snapshot: AccountSnapshot }> {
  await requireAdminDoer(c, who);
  const known = await knownPerson(c, whom);
  const detail = {
    ...(role && { role }),
    ...(disabled !== undefined && { disabled }),
    ...limits,
    ...because,
  };
  const repeatId = id && `${whom} ${id}`;
  const deed: Deed = { who, what: "person.change", whom, detail, repeatId };
  const repeated = await recordedBefore(c, deed);
  const change = repeated ? {} : { role, disabled, limits };
  const snapshot = await changeAccount(c, known, change);
  const person = answered(await directoryOf(c.env).changePerson(whom, change), "");
  // A repeat changes nothing: the person may be enabled again meanwhile.
  if (!repeated && disabled !== undefined) await webhooksOf(c.env, whom).setSilent(disabled);
  if (!repeated && disabled === true) await tellJobs(c, whom, "cancelAll");
  if (!repeated) await record(c, deed);
  return { person, snapshot };
}

/** An invite may have broken off before it opened the Account. */
async function changeAccount(
  c: Context<AppEnv>,
  person: Person,
  change: ProfileChange,
): Promise<AccountSnapshot> {
  const account = accountOf(c.env, person.id);
  const changed = await account.change(change);
  if (changed.ok) return changed.value;
  await openAccount(c, person);
  return answered(await account.change(change), "");
}

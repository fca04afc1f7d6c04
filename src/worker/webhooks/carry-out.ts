// What an event asks for is done here, by the same deeds that an Admin's pages call, and said how it
// went. Each deed is repeatable by the webhook's id: one that broke off is finished when it comes again.
import type { Context } from "hono";
import type { AuditEntry, Person } from "../../contract/directory.ts";
import { withoutKeys } from "../../contract/key-format.ts";
import { PAGE_MAX_ROWS } from "../../contract/limits.ts";
import type { Whom, Wish } from "../../core/key-events.ts";
import { directoryOf } from "../../durable-objects/objects.ts";
import { WEBHOOK } from "../deeds/doer.ts";
import { findKey } from "../deeds/find-key.ts";
import { changePerson } from "../deeds/people.ts";
import { revokeFoundKey } from "../deeds/revoke-found-key.ts";
import type { AppEnv } from "../environment.ts";

export interface Outcome {
  /** `unknown` where there is no such key or person, `unchanged` where it was so before. */
  outcome: "revoked" | "disabled" | "enabled" | "unchanged" | "unknown" | "ignored";
  key_id?: string;
  user_id?: string;
}

type PersonWish = Extract<Wish, { wish: "disable" | "enable" }>;

export async function carryOut(c: Context<AppEnv>, wish: Wish, repeatId: string): Promise<Outcome> {
  switch (wish.wish) {
    case "nothing":
      return { outcome: "ignored" };
    case "revoke": {
      const found = await findKey(c, wish.by);
      if (found === null) return { outcome: "unknown" };
      const wasGood = await revokeFoundKey(c, found, wish.reason, "webhook");
      return { outcome: wasGood ? "revoked" : "unchanged", key_id: found.key.id };
    }
    case "disable":
    case "enable":
      return changeDisabled(c, wish, repeatId);
  }
}

async function changeDisabled(
  c: Context<AppEnv>,
  wish: PersonWish,
  repeatId: string,
): Promise<Outcome> {
  const person = await findPerson(c, wish.whom);
  if (person === null) return { outcome: "unknown" };
  const user_id = person.id;
  const disabled = wish.wish === "disable";
  const isNew = disabled && !person.disabled;
  const standing = isNew ? [] : await shutOutBy(c, user_id);
  if (!isNew && isSettled(wish, person, standing)) return { outcome: "unchanged", user_id };
  const { sender: source, at, whom } = wish;
  const because = {
    ...{ source, reason: withoutKeys(wish.reason) },
    ...("subject" in whom && { subject: whom.subject }),
    ...(at !== null && { asOf: new Date(at).toISOString() }),
  };
  await changePerson(c, WEBHOOK, user_id, { id: repeatId, disabled, because });
  if (!disabled) return { outcome: "enabled", user_id };
  // Who is shut out already is so by one more now, whose word has its row.
  return { outcome: standing.length > 0 ? "unchanged" : "disabled", user_id };
}

/**
 * Whether there is nothing to do, or another's word stands against it. What has no row yet is not
 * settled: it was cut off before that.
 */
function isSettled(
  { wish, whom, sender, at }: PersonWish,
  { disabled }: Person,
  standing: readonly AuditEntry[],
): boolean {
  // Of this user of theirs: whoever has the same address by now is another.
  const subject = "subject" in whom ? whom.subject : undefined;
  const own = standing.filter(({ detail }) => {
    return detail.source === sender && detail.subject === subject;
  });
  const asOf = at === null ? "" : new Date(at).toISOString();
  if (wish === "disable") return own.some(({ detail }) => String(detail.asOf ?? "") >= asOf);
  if (!disabled && standing.length === 0) return true;
  if (sender === "webhook") return false;
  // A provider says of every change that its user is not shut out, and some of it comes late: it lifts
  // only what it alone has imposed, and before that.
  const isLate = own.some(({ detail }) => asOf !== "" && String(detail.asOf ?? "") > asOf);
  return own.length === 0 || own.length < standing.length || isLate;
}

async function findPerson(c: Context<AppEnv>, whom: Whom): Promise<Person | null> {
  const directory = directoryOf(c.env);
  if ("personId" in whom) return directory.person(whom.personId);
  if ("subject" in whom) {
    const { OIDC_ISSUER: issuer } = c.get("services").configuration;
    const subject = { issuer: issuer ?? "", sub: whom.subject };
    const bound = issuer === undefined ? null : await directory.personOfSubject(subject);
    if (bound !== null) return bound;
  }
  if (whom.email === null) return null;
  const { rows } = await directory.people({ after: null, limit: 1, email: whom.email });
  return rows[0] ?? null;
}

/** The rows of all who have shut them out and were not overruled since, newest first. */
async function shutOutBy(c: Context<AppEnv>, personId: string): Promise<AuditEntry[]> {
  const { rows } = await directoryOf(c.env).audit({
    ...{ who: null, whom: personId, what: "person.change", after: null, limit: PAGE_MAX_ROWS },
  });
  const said = rows.filter(({ detail }) => typeof detail.disabled === "boolean");
  const lifted = said.findIndex(({ detail }) => detail.disabled === false);
  return lifted < 0 ? said : said.slice(0, lifted);
}

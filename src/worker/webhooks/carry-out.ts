// What an event asks for is done here, by the same deeds that an Admin's pages call, and said how it
// went. Each deed is repeatable by the webhook's id: one that broke off is finished when it comes again.
import type { Context } from "hono";
import type { Person } from "../../contract/directory.ts";
import { withoutKeys } from "../../contract/key-format.ts";
import { PAGE_MAX_ROWS } from "../../contract/limits.ts";
import type { Sender, Whom, Wish } from "../../core/key-events.ts";
import { directoryOf } from "../../durable-objects/objects.ts";
import { WEBHOOK } from "../deeds/doer.ts";
import { findKey } from "../deeds/find-key.ts";
import { revokeKey } from "../deeds/keys.ts";
import { changePerson } from "../deeds/people.ts";
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
      const key = await findKey(c, wish.by);
      if (key === null) return { outcome: "unknown" };
      const key_id = key.id;
      const reason = withoutKeys(wish.reason);
      const isNew = key.revokedAt === null;
      // The first reason stays; with the same one, what a crash left out is made up.
      if (isNew || key.revokedWhy === reason)
        await revokeKey(c, WEBHOOK, key_id, reason, "webhook");
      return { outcome: isNew ? "revoked" : "unchanged", key_id };
    }
    case "disable":
    case "enable":
      return changeDisabled(c, wish, repeatId);
  }
}

async function changeDisabled(
  c: Context<AppEnv>,
  { wish, whom, sender, reason }: PersonWish,
  repeatId: string,
): Promise<Outcome> {
  const person = await findPerson(c, whom);
  if (person === null) return { outcome: "unknown" };
  const user_id = person.id;
  const disabled = wish === "disable";
  const done = disabled ? "disabled" : "enabled";
  if (person.disabled === disabled) return { outcome: "unchanged", user_id };
  // A provider says of every change that its user is not shut out: it lifts only what it has imposed.
  if (!disabled && sender !== "webhook" && (await disabledBy(c, user_id)) !== sender) {
    return { outcome: "unchanged", user_id };
  }
  const because = { source: sender, reason: withoutKeys(reason) };
  await changePerson(c, WEBHOOK, user_id, { id: repeatId, disabled, because });
  return { outcome: done, user_id };
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

/** Who disabled them last, as the audit log has it; null where that was no webhook. */
async function disabledBy(c: Context<AppEnv>, personId: string): Promise<Sender | null> {
  const { rows } = await directoryOf(c.env).audit({
    ...{ who: null, whom: personId, what: "person.change", after: null, limit: PAGE_MAX_ROWS },
  });
  const last = rows.find(({ detail }) => detail.disabled === true);
  return last?.who === WEBHOOK ? (String(last.detail.source) as Sender) : null;
}

import type { Context } from "hono";
import type { GrantRecord } from "../../contract/account.ts";
import { accountOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { answered, knownPerson } from "./answered.ts";
import { record } from "./audit-row.ts";
import { requireAdminDoer } from "./doer.ts";
import { expiryIsOver, isOver } from "./expiry.ts";
import { tellJobs } from "./tell-jobs.ts";

export interface NewGrant {
  /** Makes the Grant repeatable, also when its expiry has passed meanwhile. */
  id?: string | undefined;
  tokens: number;
  note: string;
  expiresAt: number | null;
}

export async function grantTokens(
  c: Context<AppEnv>,
  who: string,
  whom: string,
  { id: repeatId, tokens, note, expiresAt }: NewGrant,
): Promise<GrantRecord> {
  await requireAdminDoer(c, who);
  await knownPerson(c, whom);
  const id = `grant_${whom}_${repeatId ?? crypto.randomUUID().replaceAll("-", "")}`;
  const account = accountOf(c.env, whom);
  const { startedAt } = c.get("frame");
  if (isOver(expiresAt, startedAt) && !(await account.grants()).some((one) => one.id === id)) {
    throw expiryIsOver(startedAt);
  }
  const granted = await account.grant({ id, tokens, note, expiresAt });
  const grant = answered(granted, "A Grant with this id has other content.");
  await tellJobs(c, whom, "tokensChanged");
  await record(c, { who, what: "tokens.grant", whom, detail: { tokens, note }, repeatId: id });
  return grant;
}

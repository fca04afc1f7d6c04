// What the Directory knows of people's Accounts: one call for a page of them, some seconds old at most.
import type { Context } from "hono";
import type { RollUp } from "../../../contract/directory.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";

/** By the person's id. An Account that nothing has happened to has none. */
export async function rollUpsOf(
  c: Context<AppEnv>,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, RollUp>> {
  const rollUps = await directoryOf(c.env).rollUps(personIds);
  return new Map(rollUps.map((rollUp) => [rollUp.personId, rollUp]));
}

/** Nothing of the month that `now` is in, when the Account was last used before it. */
export function spentThisMonth(rollUp: RollUp | null, now: number): number {
  const month = new Date(now).toISOString().slice(0, 7);
  return rollUp?.month === month ? rollUp.spentThisMonth : 0;
}

import type { Context } from "hono";
import type { Person } from "../../contract/directory.ts";
import { accountOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";

/** Gives a person of the Directory their Account; one that is open stays as it is. */
export async function openAccount(c: Context<AppEnv>, person: Person): Promise<void> {
  const { id: personId, role, disabled } = person;
  await accountOf(c.env, personId).open({ personId, role, disabled, limits: {} });
}

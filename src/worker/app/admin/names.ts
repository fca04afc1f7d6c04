// Ids become addresses: what a person recognises.
import type { Context } from "hono";
import { directoryOf } from "../../../durable-objects/objects.ts";
import { WEBHOOK } from "../../deeds/doer.ts";
import type { AppEnv } from "../../environment.ts";

/** By id; whoever the Directory does not know is missing. One call for each, in parallel. */
export async function addressesOf(
  c: Context<AppEnv>,
  ids: Iterable<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const directory = directoryOf(c.env);
  const wanted = [...new Set(ids)].filter((id) => id !== null && !isNobody(id));
  const people = await Promise.all(wanted.map((id) => directory.person(id ?? "")));
  return new Map(people.flatMap((person) => (person === null ? [] : [[person.id, person.email]])));
}

/** Who acts with the configured key, and is no person. */
export const OPERATOR = "operator";

function isNobody(id: string): boolean {
  return id === OPERATOR || id === WEBHOOK;
}

/** The id of who has this address, `operator` and `webhook` themselves, or null. */
export async function idOfAddress(c: Context<AppEnv>, address: string): Promise<string | null> {
  if (isNobody(address)) return address;
  const found = await directoryOf(c.env).people({ after: null, limit: 1, email: address });
  return found.rows[0]?.id ?? null;
}

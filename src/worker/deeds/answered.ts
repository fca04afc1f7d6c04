// What an object's expected refusal means to whoever acts.
import type { Context } from "hono";
import type { Repeatable } from "../../contract/account.ts";
import type { Person } from "../../contract/directory.ts";
import { directoryOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";

/** Throws `Refused`: 404, or 409 with these words. */
export function answered<T>(answer: Repeatable<T>, conflict: string): T {
  if (answer.ok) return answer.value;
  if (answer.reason === "unknown") throw nothingHere();
  throw new Refused({ code: "idempotency_conflict", message: conflict });
}

/** The person, if the Directory knows them; so a made-up id never creates an Account. Throws 404. */
export async function knownPerson(c: Context<AppEnv>, id: string): Promise<Person> {
  const person = await directoryOf(c.env).person(id);
  if (person !== null) return person;
  throw noSuchPerson();
}

export function noSuchPerson(): Refused {
  return new Refused({ code: "not_found", message: "There is no person with this id." });
}

export function nothingHere(): Refused {
  return new Refused({ code: "not_found", message: "There is nothing with this id." });
}

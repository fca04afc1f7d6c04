import type { Context } from "hono";
import type { AccountLimits, Repeatable } from "../../../contract/account.ts";
import { AddPersonBody, ChangePersonBody, PeoplePageQuery } from "../../../contract/admin.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { accountOf, directoryOf } from "../../../durable-objects/objects.ts";
import { newAccountId } from "../../auth/api-key.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { Refused } from "../../refuse.ts";
import { parseInput } from "../parse-input.ts";
import { presentGrant, presentPerson, presentSnapshot } from "../present.ts";
import { usageOf, usageRange } from "../usage.ts";
import { type Deed, record, recordedBefore } from "./audit.ts";

/** `GET /v1/admin/people?after=&limit=&email=`, by e-mail address. */
export async function listPeople(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const page = parseInput(PeoplePageQuery, c.req.query());
  const { rows, next } = await directoryOf(c.env).people(page);
  return c.json({ object: "list", data: rows.map(presentPerson), next });
}

/** `POST /v1/admin/people`: repeatable by the e-mail address. */
export async function addPerson(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { email, role } = parseInput(
    AddPersonBody,
    await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES),
  );
  const added = await directoryOf(c.env).addPerson({ id: newAccountId(), email, role });
  const person = answered(added, "A person with this e-mail address has another role.");
  const { disabled } = person;
  await accountOf(c.env, person.id).open({ personId: person.id, role, disabled, limits: {} });
  const detail = { email, role };
  await record(c, { who, what: "person.add", whom: person.id, detail, repeatId: person.id });
  return c.json(presentPerson(person));
}

/** `GET /v1/admin/people/{id}`: with tokens, Grants and this month's usage. */
export async function showPerson(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const id = c.req.param("id") ?? "";
  const account = accountOf(c.env, await knownPerson(c, id));
  const month = `${new Date(c.get("frame").startedAt).toISOString().slice(0, 7)}-01`;
  const [person, snapshot, grants, usage] = await Promise.all([
    directoryOf(c.env).person(id),
    account.snapshot(),
    account.grants(),
    usageOf(account, usageRange({ from: month }, c.get("frame").startedAt)),
  ]);
  if (person === null || snapshot === null) throw noSuchPerson();
  return c.json({
    ...presentPerson(person),
    ...presentSnapshot(snapshot),
    grants: grants.map(presentGrant),
    usage,
  });
}

/**
 * `PATCH /v1/admin/people/{id}`: the Account first, since that is what refuses requests. A repeat with
 * the same `id` gets the person as they are now and changes nothing; other content under that `id` is
 * refused.
 */
export async function changePerson(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const whom = await knownPerson(c, c.req.param("id") ?? "");
  const body = parseInput(ChangePersonBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { id, role, disabled } = body;
  const limits = body.limits === undefined ? undefined : changedLimits(body.limits);
  const detail = { ...(role && { role }), ...(disabled !== undefined && { disabled }), ...limits };
  const repeatId = id && `${whom} ${id}`;
  const deed: Deed = { who, what: "person.change", whom, detail, repeatId };
  const repeated = await recordedBefore(c, deed);
  const change = repeated ? {} : { role, disabled, limits };
  const snapshot = answered(await accountOf(c.env, whom).change(change), "");
  const person = answered(await directoryOf(c.env).changePerson(whom, change), "");
  if (!repeated) await record(c, deed);
  return c.json({ ...presentPerson(person), ...presentSnapshot(snapshot) });
}

/** The id, if the Directory knows it; so a made-up one never creates an Account. */
export async function knownPerson(c: Context<AppEnv>, id: string): Promise<string> {
  if ((await directoryOf(c.env).person(id)) === null) throw noSuchPerson();
  return id;
}

export function answered<T>(answer: Repeatable<T>, conflict: string): T {
  if (answer.ok) return answer.value;
  if (answer.reason === "unknown") {
    throw new Refused({ code: "not_found", message: "There is nothing with this id." });
  }
  throw new Refused({ code: "idempotency_conflict", message: conflict });
}

function noSuchPerson(): Refused {
  return new Refused({ code: "not_found", message: "There is no person with this id." });
}

function changedLimits(limits: {
  running?: number | undefined;
  waiting?: number | undefined;
  starts_per_minute?: number | undefined;
}): Partial<AccountLimits> {
  const { running, waiting, starts_per_minute: startsPerMinute } = limits;
  return {
    ...(running !== undefined && { running }),
    ...(waiting !== undefined && { waiting }),
    ...(startsPerMinute !== undefined && { startsPerMinute }),
  };
}

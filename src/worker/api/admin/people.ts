import type { Context } from "hono";
import type { AccountLimits } from "../../../contract/account.ts";
import {
  AddPersonBody,
  ChangePersonBody,
  PeoplePageQuery,
  RepeatBody,
} from "../../../contract/admin.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { accountOf, directoryOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import { knownPerson, noSuchPerson } from "../../deeds/answered.ts";
import * as deeds from "../../deeds/people.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { parseInput } from "../parse-input.ts";
import { presentGrant, presentPerson, presentSnapshot } from "../present.ts";
import { usageOf, usageRange } from "../usage.ts";

/** `GET /v1/admin/people?after=&limit=&email=`, by e-mail address. */
export async function listPeople(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const page = parseInput(PeoplePageQuery, c.req.query());
  const { rows, next } = await directoryOf(c.env).people(page);
  return c.json({ object: "list", data: rows.map(presentPerson), next });
}

/** `POST /v1/admin/people`: repeatable by the e-mail address, which is invited. */
export async function addPerson(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const person = parseInput(AddPersonBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  return c.json(presentPerson(await deeds.addPerson(c, who, person)));
}

/** `GET /v1/admin/people/{id}`: with tokens, Grants and this month's usage. */
export async function showPerson(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const person = await knownPerson(c, c.req.param("id") ?? "");
  const account = accountOf(c.env, person.id);
  const month = `${new Date(c.get("frame").startedAt).toISOString().slice(0, 7)}-01`;
  const [snapshot, grants, usage] = await Promise.all([
    account.snapshot(),
    account.grants(),
    usageOf(account, usageRange({ from: month }, c.get("frame").startedAt)),
  ]);
  if (snapshot === null) throw noSuchPerson();
  return c.json({
    ...presentPerson(person),
    ...presentSnapshot(snapshot),
    grants: grants.map(presentGrant),
    usage,
  });
}

/** `PATCH /v1/admin/people/{id}`: repeatable by its `id`. */
export async function changePerson(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const body = parseInput(ChangePersonBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { id, role, disabled } = body;
  const limits = body.limits === undefined ? undefined : changedLimits(body.limits);
  const change = { id, role, disabled, limits };
  const changed = await deeds.changePerson(c, who, c.req.param("id") ?? "", change);
  return c.json({ ...presentPerson(changed.person), ...presentSnapshot(changed.snapshot) });
}

/** `POST /v1/admin/people/{id}/invite`: repeatable by its `id`. */
export async function invitePerson(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const repeat = parseInput(RepeatBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  return c.json(presentPerson(await deeds.invitePerson(c, who, c.req.param("id") ?? "", repeat)));
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

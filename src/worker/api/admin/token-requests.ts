import type { Context } from "hono";
import {
  ApproveRequestBody,
  RejectRequestBody,
  TokenRequestsPageQuery,
} from "../../../contract/admin.ts";
import type { TokenRequest } from "../../../contract/directory.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import * as deeds from "../../deeds/token-requests.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { parseInput } from "../parse-input.ts";
import { presentGrant, presentTokenRequest } from "../present.ts";

/** `GET /v1/admin/token-requests?state=&person=&after=&limit=`, newest first. */
export async function listTokenRequests(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const { person: personId, ...page } = parseInput(TokenRequestsPageQuery, c.req.query());
  const { rows, next } = await directoryOf(c.env).tokenRequests({ personId, ...page });
  return c.json({ object: "list", data: await presented(c, rows), next });
}

/** `POST /v1/admin/token-requests/{id}/approve`: repeatable as it is; the first decision counts. */
export async function approveRequest(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const approval = parseInput(ApproveRequestBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const approved = await deeds.approveRequest(c, who, c.req.param("id") ?? "", approval);
  const [request] = await presented(c, [approved.request]);
  return c.json({ ...request, grant: presentGrant(approved.grant) });
}

/** `POST /v1/admin/token-requests/{id}/reject`: the person reads its note. */
export async function rejectRequest(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const rejection = parseInput(RejectRequestBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const rejected = await deeds.rejectRequest(c, who, c.req.param("id") ?? "", rejection);
  const [request] = await presented(c, [rejected]);
  return c.json(request);
}

/** With the addresses of those who asked: an id says nothing to whoever decides. */
async function presented(c: Context<AppEnv>, requests: readonly TokenRequest[]) {
  const ids = [...new Set(requests.map(({ personId }) => personId))];
  const people = await directoryOf(c.env).peopleByIds(ids);
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  return requests.map((one) => presentTokenRequest(one, emails.get(one.personId) ?? null));
}

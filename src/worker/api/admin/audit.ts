import type { Context } from "hono";
import { AuditPageQuery } from "../../../contract/admin.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import type { AppEnv } from "../../environment.ts";
import { parseInput } from "../parse-input.ts";
import { presentAuditEntry } from "../present.ts";

/** `GET /v1/admin/audit?who=&whom=&what=&after=&limit=`: `who` and `whom` are ids, newest first. */
export async function showAudit(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const filter = parseInput(AuditPageQuery, c.req.query());
  const { rows, next } = await directoryOf(c.env).audit(filter);
  return c.json({ object: "list", data: rows.map(presentAuditEntry), next });
}

import type { Context } from "hono";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { equal } from "./api-key.ts";
import { bearer, identify, readCaller } from "./authenticate.ts";

/**
 * Who acts on the admin API: a person's id, or `operator` for whoever holds the configured
 * OPERATOR_KEY (what makes the first Admin). Throws `Refused` 401 or 403.
 */
export async function requireAdmin(c: Context<AppEnv>): Promise<string> {
  const operatorKey = c.get("services").configuration.OPERATOR_KEY;
  const token = bearer(c.req.raw);
  if (operatorKey !== undefined && token !== null && equal(token, operatorKey)) return "operator";
  const { profile, key } = await identify(c, await readCaller(c), { countsAsStart: false });
  if (key.scope !== "admin" || profile.role !== "admin") {
    throw new Refused({
      code: "admin_required",
      message: "This needs an Admin's key with the admin scope.",
    });
  }
  return profile.personId;
}

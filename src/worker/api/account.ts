import type { Context } from "hono";
import { identify, readCaller } from "../auth/authenticate.ts";
import type { AppEnv } from "../environment.ts";
import { presentKey, presentLimits } from "./present.ts";

/** `GET /v1/account`: the caller's tokens, limits, and the key it calls with. */
export async function showAccount(c: Context<AppEnv>): Promise<Response> {
  const caller = await readCaller(c);
  const { figures, limits, key } = await identify(c, caller, { countsAsStart: false });
  return c.json({ tokens: figures.tokens, limits: presentLimits(limits), key: presentKey(key) });
}

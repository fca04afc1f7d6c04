// Who calls. The Worker reads the key's format; whether it is worth anything now is the Account's to
// say, so nothing here is cached.
import type { Context } from "hono";
import type { Identity } from "../../contract/account.ts";
import { type AccountLink, accountLink } from "../../durable-objects/objects.ts";
import { settleWaiting } from "../accounting/settle-hold.ts";
import type { AppEnv } from "../environment.ts";
import { refuseShutKey } from "../guard/door.ts";
import { publicRefusal, Refused } from "../refuse.ts";

export interface Caller {
  accountId: string;
  keyHash: string;
  account: AccountLink;
}

/** The bearer token of a request, or null. */
export function bearer(request: Request): string | null {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * Reads the key without asking its Account. Throws `Refused` 401 for what we never minted, 429 for what
 * was refused too often.
 */
export async function readCaller(c: Context<AppEnv>): Promise<Caller> {
  const token = bearer(c.req.raw);
  if (token === null) {
    throw new Refused({
      code: "invalid_api_key",
      message: "No API key. Send the header Authorization: Bearer <API key>.",
    });
  }
  const read = await c.get("services").keys.read(token);
  if (read === null) {
    throw new Refused({
      code: "invalid_api_key",
      message:
        "Not an API key of this service: those begin with ctn_, and this one may be cut off.",
    });
  }
  refuseShutKey(c, read.hash);
  c.get("frame").keyHash = read.hash;
  return {
    accountId: read.accountId,
    keyHash: read.hash,
    account: accountLink(c.env, read.accountId),
  };
}

/** Asks the Account. Throws `Refused`; on the way it learns what the rate-limit headers say. */
export async function identify(
  c: Context<AppEnv>,
  caller: Caller,
  options: { countsAsStart: boolean },
): Promise<Identity> {
  // Who reads what they have and what they used finds what they have just received.
  await settleWaiting(caller.account, caller.accountId);
  const answer = await caller.account().identify(caller.keyHash, options);
  const frame = c.get("frame");
  if (answer.outcome === "refused") {
    frame.figures = answer.figures;
    throw new Refused(publicRefusal(answer.refusal));
  }
  frame.figures = answer.identity.figures;
  return answer.identity;
}

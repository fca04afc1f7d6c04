// Where the guard is asked. Whoever is right passes, whatever others behind the same address did: a
// right key, a right signature and a right sign-in ask nothing of it. Only a failure is counted, after
// it is answered; and where there were too many, the next failure is answered 429.
import type { Context } from "hono";
import type { ErrorCode } from "../../contract/errors.ts";
import { networkOf } from "../../core/network-of.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";

type Kind = "key" | "webhook" | "sign-in" | "ask";

/** The failures that are counted wherever they come from. */
const kinds: { readonly [code in ErrorCode]?: Kind } = {
  invalid_api_key: "key",
  account_disabled: "key",
  invalid_signature: "webhook",
};

/** What a failure is answered with: itself, or that there were too many. Counts it behind the answer. */
export function answerFailure(c: Context<AppEnv>, failure: Refused): Refused {
  const kind = kinds[failure.error.code];
  if (kind === undefined) return failure;
  const { keyHash } = c.get("frame");
  const who = knocker(c, kind, keyHash);
  return who === null ? failure : (countOrRefuse(c, who) ?? failure);
}

/**
 * A key that we did mint, and that its Account refuses, costs a call each time. Whoever goes on with it
 * is refused here, for a while, before its Account is asked. Throws `Refused` 429.
 */
export function refuseShutKey(c: Context<AppEnv>, keyHash: string): void {
  const { guard } = c.get("services");
  if (guard.isIdle) return;
  const who = knocker(c, "key", keyHash);
  const waitMs = who === null ? 0 : guard.waitMs(who, c.get("frame").startedAt);
  if (waitMs > 0) throw tooMany(waitMs);
}

/** Before a sign-in asks the provider and the Directory. Throws `Refused` 429. */
export function refuseShutSignIn(c: Context<AppEnv>): void {
  const who = knocker(c, "sign-in");
  const waitMs = who === null ? 0 : c.get("services").guard.waitMs(who, c.get("frame").startedAt);
  if (waitMs > 0) throw tooMany(waitMs);
}

export function countFailedSignIn(c: Context<AppEnv>): void {
  const who = knocker(c, "sign-in");
  if (who !== null) countOrRefuse(c, who);
}

/** A Token request counts whatever becomes of it: each one is written down. Throws `Refused` 429. */
export async function countAsk(c: Context<AppEnv>): Promise<void> {
  const who = knocker(c, "ask");
  if (who === null) return;
  const waitMs = await c.get("services").guard.countAsk(who, c.get("frame").startedAt);
  if (waitMs > 0) throw tooMany(waitMs);
}

function countOrRefuse(c: Context<AppEnv>, who: string): Refused | null {
  const { guard } = c.get("services");
  const { startedAt } = c.get("frame");
  const waitMs = guard.waitMs(who, startedAt);
  // While somebody is shut out nothing is counted, so that a flood of failures costs no calls either.
  if (waitMs > 0) return tooMany(waitMs);
  c.executionCtx.waitUntil(guard.countFailure(who, startedAt));
  return null;
}

/**
 * Null without an address, which Cloudflare always gives, and nobody else can in its place: without it
 * one stranger would shut out everybody.
 */
function knocker(c: Context<AppEnv>, kind: Kind, keyHash: string | null = null): string | null {
  const address = c.req.header("cf-connecting-ip") ?? "";
  if (address === "") return null;
  return `${kind} ${networkOf(address)}${keyHash === null ? "" : ` ${keyHash}`}`;
}

function tooMany(waitMs: number): Refused {
  const message =
    "Too many failures from your network. " +
    `Mend the key or the signature, and try again in ${Math.ceil(waitMs / 1_000)} s.`;
  return new Refused({ code: "rate_limited", message, retryAfterMs: waitMs });
}

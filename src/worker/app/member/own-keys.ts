// A person's own keys with what each has used this month. Nothing here can name another's.
import type { Context } from "hono";
import type { KeyRecord } from "../../../contract/account.ts";
import { accountOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { monthUsage } from "../month-usage.ts";
import { signedIn } from "../session.ts";

type KeyState = "active" | "expired" | "revoked";

export interface OwnKey extends KeyRecord {
  state: KeyState;
  /** Since the month's begin (UTC). */
  tokensThisMonth: number;
}

/** Those that work first, each group newest first. */
export async function readOwnKeys(c: Context<AppEnv>): Promise<OwnKey[]> {
  const now = c.get("frame").startedAt;
  const account = accountOf(c.env, signedIn(c).person.id);
  const [keys, { data }] = await Promise.all([account.keys(), monthUsage(account, now)]);
  const used = new Map<string, number>();
  for (const row of data) used.set(row.key.id, (used.get(row.key.id) ?? 0) + row.total_tokens);
  return keys
    .map((key) => ({
      ...key,
      state: keyState(key, now),
      tokensThisMonth: used.get(key.id) ?? 0,
    }))
    .sort((a, b) => Number(isOver(a)) - Number(isOver(b)) || b.createdAt - a.createdAt);
}

/** The key of the path, if it is the person's own; another's looks as if it were not there. */
export async function ownKey(c: Context<AppEnv>): Promise<OwnKey> {
  const found = (await readOwnKeys(c)).find(({ id }) => id === c.req.param("id"));
  if (found !== undefined) return found;
  throw new Refused({ code: "not_found", message: "You have no such key." });
}

/** One that can still be used, and so be changed. */
export async function ownActiveKey(c: Context<AppEnv>): Promise<OwnKey> {
  const key = await ownKey(c);
  if (key.state !== "revoked") return key;
  throw new Refused({ code: "conflict", message: "This key is revoked and stays as it is." });
}

function isOver({ state }: OwnKey): boolean {
  return state !== "active";
}

function keyState({ revokedAt, expiresAt }: KeyRecord, now: number): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

import type { Context } from "hono";
import { z } from "zod";
import type { AccountRpc } from "../../contract/account.ts";
import { USAGE_MAX_DAYS } from "../../contract/limits.ts";
import { identify, readCaller } from "../auth/authenticate.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { parseInput } from "./parse-input.ts";
import { presentUsage } from "./present.ts";

const DAY_MS = 86_400_000;
/** Without a range: the last thirty days, today included. */
const DEFAULT_DAYS = 30;

const UsageQuery = z.strictObject({ from: z.iso.date().optional(), to: z.iso.date().optional() });

/** `GET /v1/usage?from=2026-11-01&to=2026-11-29`: days are UTC, both ends included. */
export async function showUsage(c: Context<AppEnv>): Promise<Response> {
  const caller = await readCaller(c);
  await identify(c, caller, { countsAsStart: false });
  const range = usageRange(parseInput(UsageQuery, c.req.query()), c.get("frame").startedAt);
  return c.json(await usageOf(caller.account(), range));
}

/** An Account's usage by day, Model and key, as the API shows it. */
export async function usageOf(account: AccountRpc, range: { from: string; to: string }) {
  const [rows, keys] = await Promise.all([account.usage(range), account.keys()]);
  const names = new Map(keys.map((key) => [key.id, key.name]));
  const data = rows.map((row) => presentUsage(row, names));
  const totals = { requests: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  for (const row of data) {
    totals.requests += row.requests;
    totals.prompt_tokens += row.prompt_tokens;
    totals.completion_tokens += row.completion_tokens;
    totals.total_tokens += row.total_tokens;
  }
  return { object: "list", from: range.from, to: range.to, totals, data };
}

export function usageRange(
  query: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string; to: string } {
  const to = query.to ?? day(now);
  const from = query.from ?? day(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > USAGE_MAX_DAYS) {
    throw new Refused({
      code: "invalid_request",
      message: `from: must be at most ${USAGE_MAX_DAYS} days before to, and not after it`,
      param: "from",
    });
  }
  return { from, to };
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

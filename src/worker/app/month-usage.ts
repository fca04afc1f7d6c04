import type { AccountRpc } from "../../contract/account.ts";
import { usageOf, usageRange } from "../api/usage.ts";

/** An Account's usage from the month's begin (UTC) to now, as `/v1/usage` shows it. */
export function monthUsage(account: AccountRpc, now: number) {
  const from = `${new Date(now).toISOString().slice(0, 7)}-01`;
  return usageOf(account, usageRange({ from }, now));
}

import type { Context } from "hono";
import type { SpendChange, SpendOverview } from "../../contract/spend.ts";
import { spendLimitOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { type Deed, record, recordedBefore } from "./audit-row.ts";
import { requireAdminDoer } from "./doer.ts";

/**
 * The month's limit, or a pause by hand. A repeat with the same `id` gets the month as it is now and
 * changes nothing; other content under that `id` is refused.
 */
export async function changeSpend(
  c: Context<AppEnv>,
  who: string,
  { id: repeatId, limitUsd, pausedByHand }: SpendChange & { id?: string | undefined },
): Promise<SpendOverview> {
  await requireAdminDoer(c, who);
  const change = {
    ...(limitUsd !== undefined && { limitUsd }),
    ...(pausedByHand !== undefined && { pausedByHand }),
  };
  const deed: Deed = { who, what: "spend.change", whom: null, detail: change, repeatId };
  const repeated = await recordedBefore(c, deed);
  const overview = await spendLimitOf(c.env).change(repeated ? {} : change);
  if (!repeated) await record(c, deed);
  return overview;
}

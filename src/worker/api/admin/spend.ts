import type { Context } from "hono";
import { ChangeSpendBody } from "../../../contract/admin.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import type { SpendOverview } from "../../../contract/spend.ts";
import { spendLimitOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import * as deeds from "../../deeds/spend.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { parseInput } from "../parse-input.ts";

/** `GET /v1/admin/spend`: the month by Model and by day, the limit, and whether it pauses. */
export async function showSpend(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  return c.json(presentSpend(await spendLimitOf(c.env).overview()));
}

/** `PATCH /v1/admin/spend`: the limit, or a pause by hand; repeatable by its `id`. */
export async function changeSpend(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const body = parseInput(ChangeSpendBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { id, limit_usd: limitUsd, paused: pausedByHand } = body;
  return c.json(presentSpend(await deeds.changeSpend(c, who, { id, limitUsd, pausedByHand })));
}

function presentSpend(overview: SpendOverview) {
  const { month, verdict, models, days } = overview;
  const liftsAt = verdict.paused ? verdict.liftsAt : null;
  return {
    month,
    limit_usd: overview.limitUsd,
    spent_usd: usd(overview.spentUsd),
    wind_down_usd: usd(overview.windDownUsd),
    usd_per_hour: usd(overview.usdPerHour),
    forecast_usd: usd(overview.forecastUsd),
    paused: verdict.paused,
    paused_reason: verdict.paused ? verdict.reason : null,
    paused_by_hand: overview.pausedByHand,
    lifts_at: liftsAt === null ? null : new Date(liftsAt).toISOString(),
    models: models.map(({ model, containers, estimated, ...figures }) => {
      const { containerSeconds, usdPerHour } = figures;
      return {
        ...{ model, usd: usd(figures.usd), container_seconds: containerSeconds, containers },
        ...{ usd_per_hour: usd(usdPerHour), estimated },
      };
    }),
    days: days.map((one) => {
      return { day: one.day, usd: usd(one.usd), container_seconds: one.containerSeconds };
    }),
  };
}

/** To a millionth of a dollar: sums of fractions end in digits that mean nothing. */
function usd(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

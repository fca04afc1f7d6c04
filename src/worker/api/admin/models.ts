import type { Context } from "hono";
import { PassConformanceBody, RepeatBody } from "../../../contract/admin.ts";
import type { Model } from "../../../contract/catalogue.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import type { SpendOverview } from "../../../contract/spend.ts";
import { inferenceOf, spendLimitOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import * as deeds from "../../deeds/models.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { servedModel } from "../models.ts";
import { parseInput } from "../parse-input.ts";

/** `GET /v1/admin/models`: state, containers, starts and this month's cost of each served Model. */
export async function listModelStates(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const spend = await spendLimitOf(c.env).overview();
  const served = [...c.get("services").models.values()];
  const data = await Promise.all(served.map(({ model }) => presentState(c, model, spend)));
  return c.json({ object: "list", data });
}

/** `POST /v1/admin/models/{id}/wake`: repeatable by its `id`. */
export async function wakeModel(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { model } = servedModel(c.get("services"), c.req.param("id") ?? "");
  const repeat = parseInput(RepeatBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  await deeds.wakeModel(c, who, model.id, repeat);
  return c.json(await presentState(c, model, await spendLimitOf(c.env).overview()));
}

/**
 * `POST /v1/admin/models/{id}/conformance`: `npm run conformance -- --gate` calls it after the suite
 * has passed.
 */
export async function passConformance(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { model } = servedModel(c.get("services"), c.req.param("id") ?? "");
  const passed = parseInput(PassConformanceBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  await deeds.passConformance(c, who, model.id, passed);
  return c.json(await presentState(c, model, await spendLimitOf(c.env).overview()));
}

async function presentState(c: Context<AppEnv>, model: Model, spend: SpendOverview) {
  const { status, starts, containers, ...snapshot } = await inferenceOf(c.env, model.id).snapshot();
  const cost = spend.models.find((one) => one.model === model.id);
  return {
    id: model.id,
    state: status.state,
    starting_since: time(status.startingSince),
    expected_start_seconds: status.expectedStartMs / 1_000,
    starts_total: snapshot.startsTotal,
    starts: starts.map(({ at, durationMs }) => ({ at: time(at), seconds: durationMs / 1_000 })),
    waiting: snapshot.waiting,
    why_not_ready: snapshot.whyNotReady,
    containers: containers.map(({ container, since, lastSeen, ready }) => {
      return { container, since: time(since), last_seen: time(lastSeen), ready };
    }),
    gpu: model.gpu,
    gpu_count: model.gpu_count,
    month: {
      usd: cost?.usd ?? 0,
      container_seconds: cost?.containerSeconds ?? 0,
      estimated: cost?.estimated ?? false,
    },
  };
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

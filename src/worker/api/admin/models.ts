import type { Context } from "hono";
import { PassConformanceBody, RepeatBody } from "../../../contract/admin.ts";
import type { Model } from "../../../contract/catalogue.ts";
import { ADMIN_BODY_MAX_BYTES } from "../../../contract/limits.ts";
import type { SpendOverview } from "../../../contract/spend.ts";
import { inferenceOf, spendLimitOf } from "../../../durable-objects/objects.ts";
import { requireAdmin } from "../../auth/require-admin.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { Refused } from "../../refuse.ts";
import { servedModel } from "../models.ts";
import { parseInput } from "../parse-input.ts";
import { record, recordedBefore } from "./audit.ts";

/** `GET /v1/admin/models`: state, containers, starts and this month's cost of each served Model. */
export async function listModelStates(c: Context<AppEnv>): Promise<Response> {
  await requireAdmin(c);
  const spend = await spendLimitOf(c.env).overview();
  const served = [...c.get("services").models.values()];
  const data = await Promise.all(served.map(({ model }) => presentState(c, model, spend)));
  return c.json({ object: "list", data });
}

/** `POST /v1/admin/models/{id}/wake`: starts it though nobody waits. A Warm Model stays as it is. */
export async function wakeModel(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { model } = servedModel(c.get("services"), c.req.param("id") ?? "");
  const { id } = parseInput(RepeatBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const repeatId = id && `${model.id} ${id}`;
  const deed = { who, what: "model.wake", whom: null, detail: { model: model.id }, repeatId };
  const repeated = await recordedBefore(c, deed);
  if (!repeated) {
    const { spend } = await inferenceOf(c.env, model.id).wake();
    if (spend.paused) {
      const message = "New GPU work is paused. Raise the Spend limit or resume, then wake it.";
      throw new Refused({ code: "spend_cap", message });
    }
    await record(c, deed);
  }
  return c.json(await presentState(c, model, await spendLimitOf(c.env).overview()));
}

/**
 * `POST /v1/admin/models/{id}/conformance`: says that this revision has passed the suite, so that it
 * may be Warm. `npm run conformance -- --gate` calls it after it has.
 */
export async function passConformance(c: Context<AppEnv>): Promise<Response> {
  const who = await requireAdmin(c);
  const { model } = servedModel(c.get("services"), c.req.param("id") ?? "");
  const body = parseInput(PassConformanceBody, await readJson(c.req.raw, ADMIN_BODY_MAX_BYTES));
  const { revision, cases } = body;
  if (revision !== model.revision) {
    throw new Refused({
      code: "invalid_request",
      message: `The catalogue's revision of ${model.id} is ${model.revision}, not ${revision}.`,
      param: "revision",
    });
  }
  await inferenceOf(c.env, model.id).passConformance(revision);
  const detail = { model: model.id, revision, cases };
  await record(c, { who, what: "model.conformance", whom: null, detail });
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

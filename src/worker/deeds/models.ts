import type { Context } from "hono";
import { inferenceOf } from "../../durable-objects/objects.ts";
import { servedModel } from "../api/models.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { type Deed, record, recordedBefore } from "./audit-row.ts";
import { requireAdminDoer } from "./doer.ts";

/**
 * Starts a Model though nobody waits for it; a Warm one stays as it is. Throws `Refused`: 403 unless by
 * an Admin, since nobody's tokens pay for it, and 429 while new GPU work is paused.
 */
export async function wakeModel(
  c: Context<AppEnv>,
  who: string,
  modelId: string,
  { id }: { id?: string | undefined } = {},
): Promise<void> {
  await requireAdminDoer(c, who);
  const { model } = servedModel(c.get("services"), modelId);
  const deed: Deed = {
    ...{ who, what: "model.wake", whom: null, detail: { model: model.id } },
    repeatId: id && `${model.id} ${id}`,
  };
  if (await recordedBefore(c, deed)) return;
  const { spend } = await inferenceOf(c.env, model.id).wake();
  if (spend.paused) {
    const message = "New GPU work is paused. An Admin can raise the Spend limit or resume it.";
    throw new Refused({ code: "spend_cap", message });
  }
  await record(c, deed);
}

/** Says that this revision has passed the conformance suite, so that it may be Warm. */
export async function passConformance(
  c: Context<AppEnv>,
  who: string,
  modelId: string,
  { revision, cases }: { revision: string; cases: number },
): Promise<void> {
  await requireAdminDoer(c, who);
  const { model } = servedModel(c.get("services"), modelId);
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
}

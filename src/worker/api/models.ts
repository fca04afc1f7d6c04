import type { Context } from "hono";
import type { Model } from "../../contract/catalogue.ts";
import type { PublicError } from "../../contract/errors.ts";
import { identify, readCaller } from "../auth/authenticate.ts";
import type { AppEnv, ServedModel, Services } from "../environment.ts";
import { readStatus } from "../inference/model-status.ts";
import { Refused } from "../refuse.ts";

/** `GET /v1/models`: OpenAI's list, each with its state and its caps. */
export async function listModels(c: Context<AppEnv>): Promise<Response> {
  await identify(c, await readCaller(c), { countsAsStart: false });
  const served = [...c.get("services").models.values()];
  const data = await Promise.all(served.map(({ model }) => presentModel(c, model)));
  return c.json({ object: "list", data });
}

/** `GET /v1/models/{id}`; an id may have slashes, as repositories' names do. */
export async function showModel(c: Context<AppEnv>): Promise<Response> {
  await identify(c, await readCaller(c), { countsAsStart: false });
  const { model } = servedModel(c.get("services"), c.req.param("id") ?? "");
  return c.json(await presentModel(c, model));
}

/** Throws `Refused` 404 that lists the ids there are. */
export function servedModel(services: Services, id: string): ServedModel {
  const served = services.models.get(id);
  if (served !== undefined) return served;
  throw new Refused(noSuchModel(services));
}

export function noSuchModel(services: Pick<Services, "models">): PublicError {
  const ids = [...services.models.keys()].join(", ");
  return {
    code: "model_not_found",
    message: `No such Model. The Models are: ${ids}.`,
    param: "model",
  };
}

async function presentModel(c: Context<AppEnv>, model: Model) {
  const { state, lastStartMs } = await readStatus(c, model.id);
  return {
    id: model.id,
    object: "model",
    created: 0,
    owned_by: model.repo.split("/")[0] ?? model.repo,
    warm: state,
    last_cold_start_seconds: lastStartMs === null ? null : lastStartMs / 1_000,
    repo: model.repo,
    revision: model.revision,
    dtype: model.dtype,
    gpu: model.gpu,
    gpu_count: model.gpu_count,
    max_model_len: model.max_model_len,
    vocab_size: model.vocab_size,
    bos_id: model.bos_id,
    max_logprobs: model.max_logprobs,
    max_logprob_cells: model.max_logprob_cells,
    whole_vocabulary_tokens: model.whole_vocabulary_tokens,
    max_output_tokens: model.max_output_tokens,
  };
}

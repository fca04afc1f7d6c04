// Which Model an Inference object is for, and where its backend answers: catalogue and configuration.
import catalogueFile from "../../../infra/models.json" with { type: "json" };
import { type Model, parseCatalogue } from "../../contract/catalogue.ts";
import { type BackendConfiguration, parseConfiguration } from "../../contract/configuration.ts";
import { backendAddress } from "../../core/backend-address.ts";
import type { ContainerPrice } from "../../core/container-meter.ts";
import type { LifeRules } from "../../core/model-life.ts";
import type { ProbedBackend } from "./probe.ts";

export interface ServedHere {
  model: Model;
  backend: ProbedBackend;
  rules: LifeRules;
  price: ContainerPrice;
  conformanceRequired: boolean;
}

/** Throws for a Model that is not served: the Worker asks for no such object. */
export function servedHere(modelId: string | undefined, env: unknown): ServedHere {
  const model = parseCatalogue(catalogueFile).get(modelId ?? "");
  const configured = parseConfiguration(env).BACKENDS[modelId ?? ""];
  if (model === undefined || configured === undefined) throw new Error("no such Model is served");
  const address = backendAddress(model.id, configured);
  const idleSeconds = configured.idle_seconds ?? model.idle_seconds;
  return {
    model,
    backend: { ...address, model, fetch: reach(env, address.binding) },
    rules: {
      idleMs: idleSeconds * 1_000,
      alwaysOn: model.min_containers > 0,
      typicalStartMs: model.typical_start_seconds * 1_000,
    },
    price: { ...priceOf(model, configured), idleSeconds },
    conformanceRequired: configured.conformance_required,
  };
}

function priceOf(model: Model, { usd_per_hour }: BackendConfiguration) {
  const gpuCount = usd_per_hour === undefined ? model.gpu_count : Math.max(1, model.gpu_count);
  const ofCatalogue = model.price_per_gpu_hour;
  const usdPerGpuHour = usd_per_hour === undefined ? ofCatalogue : usd_per_hour / gpuCount;
  return { gpuCount, usdPerGpuHour, startSeconds: model.typical_start_seconds };
}

function reach(env: unknown, binding: string | null): typeof fetch {
  if (binding === null) return fetch;
  const fetcher = (env as Record<string, Fetcher | undefined>)[binding];
  if (fetcher === undefined) throw new Error(`there is no service binding ${binding}`);
  return (input, init) => fetcher.fetch(input, init);
}

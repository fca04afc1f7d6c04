// What the catalogue says of the Model that an object is for.
import catalogueFile from "../../infra/models.json" with { type: "json" };
import { type Model, parseCatalogue } from "../contract/catalogue.ts";
import { parseConfiguration } from "../contract/configuration.ts";

/** Null where it is in the catalogue no more, or has no backend: who had Jobs there has them still. */
export function servedModel(modelId: string | undefined, env: unknown): Model | null {
  const model = parseCatalogue(catalogueFile).get(modelId ?? "");
  const isServed = Object.hasOwn(parseConfiguration(env).BACKENDS, modelId ?? "");
  return model !== undefined && isServed ? model : null;
}

// What the catalogue says of the Model that an object is for.
import catalogueFile from "../../infra/models.json" with { type: "json" };
import { type Model, parseCatalogue } from "../contract/catalogue.ts";

/** Throws for a Model that is not in the catalogue: the Worker asks for no such object. */
export function servedModel(modelId: string | undefined): Model {
  const model = parseCatalogue(catalogueFile).get(modelId ?? "");
  if (model === undefined) throw new Error("no such Model is in the catalogue");
  return model;
}

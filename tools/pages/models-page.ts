// docs/reference/models.md, from the catalogue.
import type { Model } from "../../src/contract/catalogue.ts";
import { commentsOf } from "../source-comments.ts";
import { code, grouped, head, table } from "./markdown.ts";

const CATALOGUE_SCHEMA = "src/contract/catalogue.ts";

/** What a person chooses a Model by; the rest of an entry is for whoever serves it. */
const caps = [
  "max_model_len",
  "vocab_size",
  "bos_id",
  "max_logprobs",
  "max_logprob_cells",
  "whole_vocabulary_tokens",
  "max_output_tokens",
] as const satisfies readonly (keyof Model)[];

export function modelsPage(models: readonly Model[], read: (file: string) => string): string {
  const means = commentsOf(read(CATALOGUE_SCHEMA));
  return `${head("infra/models.json", "context length, vocabulary size, GPU, price, llama, olmo, revision, weights, bos")}
# Models

What the catalogue has. A deployment serves those of them that it has a backend for: \`GET /v1/models\`
and [Models](http://127.0.0.1:8787/models) in the App list them, with their state.

${table(
  ["Model", "Weights", "Numbers", "GPUs", "GPUs' price an hour", "Typical start"],
  models.map((model) => [
    code(model.id),
    `${model.repo} at ${code(model.revision.slice(0, 12))}`,
    model.dtype,
    model.gpu_count === 0 ? "none" : `${model.gpu_count} × ${model.gpu}`,
    `$${(model.gpu_count * model.price_per_gpu_hour).toFixed(2)}`,
    `${grouped(model.typical_start_seconds)} s`,
  ]),
)}

## Caps

${table(
  ["Model", ...caps.map(code)],
  models.map((model) => [code(model.id), ...caps.map((cap) => grouped(model[cap]))]),
)}

${caps.map((cap) => `- ${code(cap)}: ${lowered(means.get(cap) ?? "")}`).join("\n")}

The price is that of the GPUs alone, in US dollars. You pay in tokens, not in dollars
([What a Completion costs](../explanations/what-a-completion-costs.md)).
`;
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

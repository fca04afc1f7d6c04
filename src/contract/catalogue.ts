// The catalogue: one truth about every Model, read by the Worker and by each script in infra/.
// No addresses and no secrets stand here; where a Model runs is configuration.
import { z } from "zod";

const count = z.int().positive();

const ModelEntry = z.strictObject({
  /** What clients put in `model`, and vLLM's `--served-model-name`. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/),
  /** Where the weights come from, `owner/name`. */
  repo: z.string().min(1),
  /** The full commit the weights are pinned to; returned in `x-model-revision`. */
  revision: z.string().regex(/^[0-9a-f]{40}$/, "revision is a full commit sha, 40 hex digits"),
  dtype: z.enum(["bfloat16", "float16", "float32", "fp8"]),
  gpu: z.string().min(1),
  gpu_count: z.int().nonnegative(),
  price_per_gpu_hour: z.number().nonnegative(),
  tensor_parallel: count,
  /** Prompt plus completion, in tokens. */
  max_model_len: count,
  vocab_size: count,
  bos_id: z.int().nonnegative(),
  /** True when a text never has more tokens than UTF-8 bytes + 2 (every byte-level tokenizer). */
  byte_bound: z.boolean(),
  /** The largest `logprobs` and `prompt_logprobs` that is a number. */
  max_logprobs: count,
  /** Logprob rows × (k + 1) over all choices of one request. */
  max_logprob_cells: count,
  /** The longest prompt that may ask for the whole vocabulary, in tokens. */
  whole_vocabulary_tokens: count,
  /** Prompts × n × max_tokens of one request. */
  max_output_tokens: count,
  idle_seconds: count,
  min_containers: z.int().nonnegative(),
  max_containers: count,
  typical_start_seconds: count,
  job_concurrency: count,
});

export type Model = z.infer<typeof ModelEntry>;

const CatalogueFile = z.strictObject({ models: z.array(ModelEntry).min(1) });

/** Parses infra/models.json. Throws an Error that names the entry and the field that is wrong. */
export function parseCatalogue(file: unknown): ReadonlyMap<string, Model> {
  const parsed = CatalogueFile.safeParse(file);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const [, index, ...field] = issue.path;
      const entries = (file as { models?: { id?: unknown }[] } | null)?.models;
      const id = typeof index === "number" ? entries?.[index]?.id : undefined;
      return `${id === undefined ? issue.path.join(".") : `${id}: ${field.join(".")}`}: ${issue.message}`;
    });
    throw new Error(`infra/models.json: ${problems.join("; ")}`);
  }
  const models = new Map<string, Model>();
  for (const model of parsed.data.models) {
    if (models.has(model.id)) throw new Error(`infra/models.json: ${model.id} stands there twice`);
    models.set(model.id, model);
  }
  return models;
}

// The catalogue: one truth about every Model, read by the Worker and by each script in infra/.
// No addresses and no secrets stand here; where a Model runs is configuration.
import { z } from "zod";
import { requestLimits } from "./request-limits.ts";

const count = z.int().positive();

/** As Modal names them, in the order of their price. A GPU of your own joins the list here. */
const gpuNames = [
  "T4",
  "L4",
  "A10",
  "L40S",
  "A100-40GB",
  "A100-80GB",
  "RTX-PRO-6000",
  "H100",
  "H100!",
  "H200",
  "B200",
  "B300",
] as const;

/** What `gpu` says of a Model that runs without one. */
const NO_GPU = "none";

const GPU_PROBLEM = `is none of ${gpuNames.join(", ")}, nor "${NO_GPU}"`;

const ModelFields = z.strictObject({
  /** What clients put in `model`, and vLLM's `--served-model-name`. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/),
  /** Where the weights come from, `owner/name`. */
  repo: z.string().min(1),
  /** The full commit the weights are pinned to; returned in `x-model-revision`. */
  revision: z.string().regex(/^[0-9a-f]{40}$/, "revision is a full commit sha, 40 hex digits"),
  dtype: z.enum(["bfloat16", "float16", "float32", "fp8"]),
  gpu: z.enum([NO_GPU, ...gpuNames], GPU_PROBLEM),
  gpu_count: z.int().nonnegative(),
  /** US dollars. */
  price_per_gpu_hour: z.number().nonnegative(),
  tensor_parallel: count,
  /** Prompt plus completion, in tokens. */
  max_model_len: count,
  /** The width of the logits, which is more than the tokenizer has where it was padded. */
  vocab_size: count,
  /** What a prompt of one token samples from nothing with. */
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
  /** A container ends after so long without a request. */
  idle_seconds: count,
  min_containers: z.int().nonnegative(),
  max_containers: count,
  /** From nothing to the first token, until the first starts were measured. */
  typical_start_seconds: count,
  /** Calls that Jobs have at once at this Model, over all containers; live Completions come before. */
  job_concurrency: count,
  /** Slower, and repeats: vLLM's batch-invariant kernels, few sequences, no prefix cache. */
  batch_invariant: z.boolean().optional(),
});

export type Model = z.infer<typeof ModelFields>;

interface CrossRule {
  field: keyof Model;
  holds(model: Model): boolean;
  /** Follows the field's name and value. */
  message(model: Model): string;
}

/** What must hold between the fields of one entry; each names the field to mend. */
const crossRules: readonly CrossRule[] = [
  {
    field: "gpu_count",
    holds: ({ gpu, gpu_count }) => (gpu === NO_GPU) === (gpu_count === 0),
    message: ({ gpu }) => `does not go with gpu "${gpu}": 0 and "${NO_GPU}" come together`,
  },
  {
    field: "price_per_gpu_hour",
    holds: ({ price_per_gpu_hour, gpu_count }) => price_per_gpu_hour === 0 || gpu_count > 0,
    message: () => "is a price for no GPU",
  },
  {
    field: "tensor_parallel",
    holds: ({ tensor_parallel, gpu_count }) => tensor_parallel <= Math.max(gpu_count, 1),
    message: ({ gpu_count }) => `is more than gpu_count, ${gpu_count}`,
  },
  {
    field: "bos_id",
    holds: ({ bos_id, vocab_size }) => bos_id < vocab_size,
    message: ({ vocab_size }) => `is outside the vocabulary: vocab_size is ${vocab_size}`,
  },
  {
    field: "max_logprobs",
    holds: ({ max_logprobs, vocab_size }) => max_logprobs <= vocab_size,
    message: ({ vocab_size }) => `is more than vocab_size, ${vocab_size}`,
  },
  {
    field: "max_logprob_cells",
    holds: ({ max_logprob_cells, vocab_size }) => max_logprob_cells > vocab_size,
    message: ({ vocab_size }) =>
      `leaves no room for \`logprobs: -1\` of one token, which takes ${vocab_size + 1}`,
  },
  {
    field: "whole_vocabulary_tokens",
    holds: ({ whole_vocabulary_tokens, max_model_len }) => whole_vocabulary_tokens <= max_model_len,
    message: ({ max_model_len }) => `is more than max_model_len, ${max_model_len}`,
  },
  {
    field: "max_output_tokens",
    holds: ({ max_output_tokens, max_model_len }) => max_output_tokens >= max_model_len,
    message: ({ max_model_len }) =>
      `refuses one choice that max_model_len, ${max_model_len}, has room for`,
  },
  {
    field: "max_output_tokens",
    holds: ({ max_output_tokens, max_model_len }) =>
      max_output_tokens <= max_model_len * requestLimits.choices,
    message: ({ max_model_len }) =>
      `bounds nothing: ${requestLimits.choices} choices of max_model_len, ${max_model_len}, are fewer`,
  },
  {
    field: "min_containers",
    holds: ({ min_containers, max_containers }) => min_containers <= max_containers,
    message: ({ max_containers }) => `is more than max_containers, ${max_containers}`,
  },
];

const ModelEntry = ModelFields.check(({ value, issues }) => {
  for (const { field, holds, message } of crossRules) {
    if (holds(value)) continue;
    const said = `${value[field]} ${message(value)}`;
    issues.push({ code: "custom", input: value, path: [field], message: said });
  }
});

const CatalogueFile = z.strictObject({ models: z.array(ModelEntry).min(1) });

/** Parses infra/models.json. Throws an Error that names the entry and the field that is wrong. */
export function parseCatalogue(file: unknown): ReadonlyMap<string, Model> {
  const parsed = CatalogueFile.safeParse(file);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const [, index, ...field] = issue.path;
      const entries = (file as { models?: { id?: unknown }[] } | null)?.models;
      const id = typeof index === "number" ? entries?.[index]?.id : undefined;
      const where = id === undefined ? issue.path : [id, ...field];
      return [...where, issue.message].join(": ");
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

// Random bodies of `POST /v1/completions` that are valid by themselves and for `testModel`.
import fc from "fast-check";
import type { ModelRules } from "../../src/core/vocabulary-rules.ts";

export const testModel: ModelRules = {
  id: "test-model",
  max_model_len: 4096,
  vocab_size: 1000,
  byte_bound: true,
  max_logprobs: 20,
  max_logprob_cells: 500_000,
  whole_vocabulary_tokens: 16,
  max_output_tokens: 20_000,
};

export type Body = Record<string, unknown>;

const id = fc.integer({ min: 0, max: testModel.vocab_size - 1 });
const ids = (minLength: number, maxLength: number) => fc.array(id, { minLength, maxLength });
const word = fc.string({ minLength: 1, maxLength: 12, unit: "binary" });

const anyPrompt: fc.Arbitrary<unknown> = fc.oneof(
  word,
  fc.array(word, { minLength: 1, maxLength: 4 }),
  ids(1, 12),
  fc.array(ids(1, 12), { minLength: 1, maxLength: 4 }),
);

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const penalty = fc.double({ min: -2, max: 2, noNaN: true });

/** Fields that no combination rule touches, each present or not. */
const independent = fc.record(
  {
    top_p: fc.double({ min: 0, minExcluded: true, max: 1, noNaN: true }),
    top_k: fc.integer({ min: -1, max: testModel.vocab_size }),
    min_p: fraction,
    presence_penalty: penalty,
    frequency_penalty: penalty,
    repetition_penalty: fc.double({ min: 0, minExcluded: true, max: 10, noNaN: true }),
    temperature: fc.double({ min: 0.01, max: 2, noNaN: true }),
    n: fc.integer({ min: 1, max: 4 }),
    max_tokens: fc.integer({ min: 16, max: 64 }),
    min_tokens: fc.integer({ min: 0, max: 16 }),
    seed: fc.maxSafeNat(),
    stop: fc.oneof(word, fc.array(word, { maxLength: 4 })),
    stop_token_ids: ids(0, 64),
    logit_bias: fc.dictionary(id.map(String), fc.double({ min: -100, max: 100, noNaN: true })),
    allowed_token_ids: ids(1, 50),
    bad_words: fc.array(word, { maxLength: 32 }),
    include_stop_str_in_output: fc.boolean(),
    ignore_eos: fc.boolean(),
    skip_special_tokens: fc.boolean(),
    spaces_between_special_tokens: fc.boolean(),
    add_special_tokens: fc.boolean(),
    return_token_ids: fc.boolean(),
    return_tokens_as_token_ids: fc.boolean(),
    echo: fc.boolean(),
    user: fc.string({ maxLength: 256 }),
  },
  { requiredKeys: [] },
);

const logprobs = fc.integer({ min: 0, max: testModel.max_logprobs });
const scores = fc.oneof(
  fc.record({ logprobs, prompt_logprobs: logprobs }, { requiredKeys: [] }),
  fc.record({ logprobs, logprob_token_ids: ids(1, 128) }),
);
const streamed = fc.record(
  {
    stream: fc.constant(true),
    logprobs,
    stream_options: fc.record(
      { include_usage: fc.boolean(), continuous_usage_stats: fc.boolean() },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["stream"] },
);

export const validBody: fc.Arbitrary<Body> = fc
  .tuple(anyPrompt, independent, fc.oneof(scores, streamed))
  .map(([prompt, fields, form]) => ({ model: "test-model", prompt, ...fields, ...form }));

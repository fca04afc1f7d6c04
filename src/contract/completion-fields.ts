// The field table of `POST /v1/completions`: the words and defaults that the parser's messages,
// docs/reference/fields.md and OpenAPI share. The types and ranges are in completion-request.ts.
import { requestLimits as limits } from "./request-limits.ts";

export const fieldGroups = [
  "What to continue",
  "How to sample",
  "When to stop",
  "Log-probabilities",
  "What may be said",
  "The answer's form",
  "Yours",
] as const;

interface FieldRow {
  readonly group: (typeof fieldGroups)[number];
  /** Reads after "must be". */
  readonly accepts: string;
  /** What the backend gets. */
  readonly sent: string;
  /** What an absent or null field means; null when it means that nothing is asked for. */
  readonly default: string | number | boolean | null;
  readonly notes: string;
}

const toggle = (group: FieldRow["group"], initial: boolean, notes: string) =>
  ({ group, accepts: "true or false", sent: "when given", default: initial, notes }) as const;

export const completionFields = {
  model: {
    group: "What to continue",
    accepts: "the id of a Model, as `GET /v1/models` lists it",
    sent: "the served name",
    default: null,
    notes: "Required. An id that does not exist is a 404 `model_not_found` that lists the ids.",
  },
  prompt: {
    group: "What to continue",
    accepts: "a string, a list of strings, a list of token ids, or a list of such lists",
    sent: "as it is",
    default: null,
    notes: `Required. At most ${limits.prompts} prompts, none empty, no mix. Ids are below the Model's \`vocab_size\`. To sample from nothing, send the Model's BOS id.`,
  },
  max_tokens: {
    group: "When to stop",
    accepts: "a whole number of at least 1 (0 only with `echo: true`)",
    sent: "always",
    default: 16,
    notes:
      "For each choice. Prompts × n × max_tokens is at most the Model's `max_output_tokens`. Lowered near the end of your tokens; `x-max-tokens-lowered` says so.",
  },
  temperature: {
    group: "How to sample",
    accepts: `0, or a number from ${limits.temperatureLeast} to ${limits.temperatureMost}`,
    sent: "always",
    default: 1,
    notes: "0 is greedy. Values between are refused: vLLM would raise them in silence.",
  },
  top_p: {
    group: "How to sample",
    accepts: "a number above 0 and up to 1",
    sent: "always",
    default: 1,
    notes: "Samples from the fewest tokens that have this probability together.",
  },
  top_k: {
    group: "How to sample",
    accepts: "-1, 0, or a whole number up to the Model's `vocab_size`",
    sent: "always; -1 as 0",
    default: 0,
    notes: "Samples from the k likeliest tokens. -1 and 0 are off.",
  },
  min_p: {
    group: "How to sample",
    accepts: "a number from 0 to 1",
    sent: "always",
    default: 0,
    notes: "Drops tokens less likely than this share of the likeliest one's probability.",
  },
  presence_penalty: {
    group: "How to sample",
    accepts: `a number from -${limits.penaltyMost} to ${limits.penaltyMost}`,
    sent: "always",
    default: 0,
    notes: "Subtracted from the logit of each token that the completion has already.",
  },
  frequency_penalty: {
    group: "How to sample",
    accepts: `a number from -${limits.penaltyMost} to ${limits.penaltyMost}`,
    sent: "always",
    default: 0,
    notes: "Subtracted as often as the completion has the token already.",
  },
  repetition_penalty: {
    group: "How to sample",
    accepts: `a number above 0 and up to ${limits.repetitionPenaltyMost}`,
    sent: "always",
    default: 1,
    notes: "Divides the logit of tokens that prompt or completion have. 1 is off.",
  },
  n: {
    group: "How to sample",
    accepts: `a whole number from 1 to ${limits.n}`,
    sent: "always",
    default: 1,
    notes: `Choices for each prompt. Prompts × n is at most ${limits.choices}. Only 1 at temperature 0, where all would be the same.`,
  },
  stop: {
    group: "When to stop",
    accepts: `a string or a list of up to ${limits.stopStrings}, none empty, of at most ${limits.stopCharacters} characters each`,
    sent: "when given",
    default: null,
    notes: "Ends a choice where the text has one of them.",
  },
  stop_token_ids: {
    group: "When to stop",
    accepts: `a list of up to ${limits.stopTokenIds} token ids`,
    sent: "when given",
    default: null,
    notes: "Ends a choice at one of these tokens.",
  },
  include_stop_str_in_output: toggle("When to stop", false, "Keeps the stop string in the text."),
  ignore_eos: toggle("When to stop", false, "Goes on past the Model's end-of-text token."),
  skip_special_tokens: toggle("The answer's form", true, "Leaves special tokens out of the text."),
  spaces_between_special_tokens: toggle(
    "The answer's form",
    true,
    "Puts spaces between special tokens, where the text has them.",
  ),
  add_special_tokens: toggle(
    "What to continue",
    true,
    "Whether the tokenizer puts its BOS token before a text prompt. Token ids are taken as they are.",
  ),
  return_token_ids: toggle("The answer's form", false, "Adds the ids of prompt and completion."),
  return_tokens_as_token_ids: toggle(
    "The answer's form",
    false,
    'Names tokens `token_id:N` in `logprobs`. The only exact form: texts such as "\\ufffd" stand for several tokens.',
  ),
  echo: toggle("What to continue", false, "Returns the prompt before its completion."),
  stream: toggle("The answer's form", false, "Sends each token as it comes, as SSE events."),
  min_tokens: {
    group: "When to stop",
    accepts: "a whole number from 0 to `max_tokens`",
    sent: "when given; follows a lowered `max_tokens` down",
    default: 0,
    notes: "No end before so many tokens.",
  },
  seed: {
    group: "How to sample",
    accepts: "a whole number from 0 to 2^53 - 1",
    sent: "always",
    default: null,
    notes: "Absent: one is drawn. Either way `x-seed` has it, so every sample can be repeated.",
  },
  logprobs: {
    group: "Log-probabilities",
    accepts: "a whole number from 0 to the Model's `max_logprobs`, or -1 for the whole vocabulary",
    sent: "when given; -1 as the size of the vocabulary",
    default: null,
    notes:
      "The likeliest tokens at each place of the completion, beside the one chosen; with `echo` of the prompt too. -1 needs `return_tokens_as_token_ids: true`, one prompt, `n` 1 and no stream.",
  },
  prompt_logprobs: {
    group: "Log-probabilities",
    accepts: "a whole number from 0 to the Model's `max_logprobs`, or -1 for the whole vocabulary",
    sent: "when given",
    default: null,
    notes:
      "The same for each token of the prompt. Never with `stream`. -1 needs one prompt of at most the Model's `whole_vocabulary_tokens`, and `n` 1.",
  },
  logprob_token_ids: {
    group: "Log-probabilities",
    accepts: `a list of 1 to ${limits.logprobTokenIds} token ids`,
    sent: "when given",
    default: null,
    notes:
      "Reports these tokens in place of the likeliest: cheap scoring of labels. Needs `logprobs`, and `max_tokens` above 0.",
  },
  logit_bias: {
    group: "What may be said",
    accepts: `an object of up to ${limits.logitBiasEntries} token ids, each with a number from -${limits.logitBiasMost} to ${limits.logitBiasMost}`,
    sent: "when given",
    default: null,
    notes: "Added to the logits of these tokens.",
  },
  allowed_token_ids: {
    group: "What may be said",
    accepts: `a list of 1 to ${limits.allowedTokenIds} token ids`,
    sent: "when given",
    default: null,
    notes: "No other token can be chosen.",
  },
  bad_words: {
    group: "What may be said",
    accepts: `a list of up to ${limits.badWords} strings, none empty, of at most ${limits.badWordCharacters} characters each`,
    sent: "when given",
    default: null,
    notes: "None of them is ever completed: the token that would do so cannot be chosen.",
  },
  stream_options: {
    group: "The answer's form",
    accepts: "an object with `include_usage` and `continuous_usage_stats`, each true or false",
    sent: "with `stream`, both always true; what was not asked for is stripped again",
    default: null,
    notes:
      "Needs `stream: true`. `include_usage` adds a last chunk with the usage; with it `continuous_usage_stats` adds the usage so far to each chunk.",
  },
  user: {
    group: "Yours",
    accepts: `a string of at most ${limits.userCharacters} characters`,
    sent: "never",
    default: null,
    notes: "Accepted because SDKs send it.",
  },
} as const satisfies Record<string, FieldRow>;

export type FieldName = keyof typeof completionFields;

export const fieldNames = Object.keys(completionFields) as readonly FieldName[];

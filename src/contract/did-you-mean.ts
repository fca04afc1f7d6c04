// What a person most likely meant by a field that does not exist: first names that other APIs use
// for the same thing, then the nearest name by edit distance.

const chat = "base models have no chat template; send the text to continue in `prompt`";
const sdkOnly =
  "it is an argument of the SDK, which puts its members beside the other fields; without that SDK, put them there yourself";

/** Names of other APIs: the field that does the same here, or a sentence where none does. */
const otherNames: Readonly<Record<string, { field: string } | { hint: string }>> = {
  max_completion_tokens: { field: "max_tokens" },
  max_output_tokens: { field: "max_tokens" },
  max_new_tokens: { field: "max_tokens" },
  max_length: { field: "max_tokens" },
  max_tokens_to_sample: { field: "max_tokens" },
  n_predict: { field: "max_tokens" },
  num_predict: { field: "max_tokens" },
  min_new_tokens: { field: "min_tokens" },
  min_length: { field: "min_tokens" },
  top_logprobs: { field: "logprobs" },
  num_logprobs: { field: "logprobs" },
  n_probs: { field: "logprobs" },
  stop_sequences: { field: "stop" },
  stop_sequence: { field: "stop" },
  stop_strings: { field: "stop" },
  stop_words: { field: "stop" },
  eos_token_id: { field: "stop_token_ids" },
  num_return_sequences: { field: "n" },
  num_completions: { field: "n" },
  num_samples: { field: "n" },
  repeat_penalty: { field: "repetition_penalty" },
  rep_pen: { field: "repetition_penalty" },
  random_seed: { field: "seed" },
  model_id: { field: "model" },
  engine: { field: "model" },
  input: { field: "prompt" },
  inputs: { field: "prompt" },
  text: { field: "prompt" },
  prompts: { field: "prompt" },
  prompt_token_ids: { field: "prompt" },
  input_ids: { field: "prompt" },
  token_ids: { field: "prompt" },
  bad_words_ids: { field: "bad_words" },
  echo_prompt: { field: "echo" },
  return_full_text: { field: "echo" },
  include_usage: { field: "stream_options" },
  continuous_usage_stats: { field: "stream_options" },
  add_bos_token: { field: "add_special_tokens" },
  do_sample: { hint: "`temperature: 0` is greedy, anything above it samples" },
  greedy: { hint: "`temperature: 0` is greedy" },
  messages: { hint: chat },
  system: { hint: chat },
  instructions: { hint: chat },
  tools: { hint: chat },
  tool_choice: { hint: chat },
  chat_template: { hint: chat },
  add_generation_prompt: { hint: chat },
  extra_body: { hint: sdkOnly },
  extra_headers: { hint: sdkOnly },
  extra_query: { hint: sdkOnly },
  timeout: { hint: "set it in the client; it is no field of the request" },
};

/** Insertions, deletions, replacements and swaps of neighbours that turn `from` into `to`. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) {
        least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

/** `maxTokens` and `Max-Tokens` are `max_tokens` to this comparison. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

/**
 * The rest of a sentence for an unknown field: `did you mean …`, a reason, or null when nothing is
 * near. `known` are the fields that are accepted.
 */
export function didYouMean(unknown: string, known: readonly string[]): string | null {
  const name = snakeCase(unknown);
  const alias = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  if (alias !== undefined) {
    return "field" in alias ? `did you mean \`${alias.field}\`?` : `${alias.hint}.`;
  }
  // A third of the name may be wrong, at most 3 letters: beyond that every short name is near.
  let nearest = Math.min(3, Math.floor(name.length / 3)) + 1;
  let found: string | null = null;
  for (const field of known) {
    if (Math.abs(field.length - name.length) >= nearest) continue;
    const distance = editDistance(name, field);
    if (distance < nearest) [nearest, found] = [distance, field];
  }
  return found === null ? null : `did you mean \`${found}\`?`;
}

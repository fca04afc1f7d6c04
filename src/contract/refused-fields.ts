// Fields that clients of OpenAI's API or of vLLM know, and that are refused by name with the
// reason. vLLM would ignore or obey them; both would change an answer, or a neighbour's, in silence.

interface RefusedField {
  readonly why: string;
  /** Old OpenAI SDKs send these as null in every request. */
  readonly nullPasses?: true;
}

const structure =
  "the grammar compiler can stall the engine for everybody; to constrain the output, use `allowed_token_ids`, `logit_bias` or `stop`";
const gateway = "the gateway sets it, so that no client can act on another's requests";
const deployment = "it steers the backend's own deployment, which no request may do";

export const refusedFields: Readonly<Record<string, RefusedField>> = {
  suffix: { why: "the Models continue text, they do not fill in between", nullPasses: true },
  best_of: {
    why: "the engine ranks no choices any more; ask for `n` choices with `logprobs` and rank them yourself",
    nullPasses: true,
  },
  use_beam_search: { why: "beam search is not offered; sample `n` choices instead" },
  length_penalty: { why: "it belongs to beam search, which is not offered" },
  truncate_prompt_tokens: {
    why: "a prompt is never cut in silence; shorten it yourself, with `POST /v1/tokenize`",
  },
  response_format: { why: structure },
  structured_outputs: { why: structure },
  guided_json: { why: structure },
  guided_regex: { why: structure },
  guided_choice: { why: structure },
  guided_grammar: { why: structure },
  guided_decoding_backend: { why: structure },
  guided_whitespace_pattern: { why: structure },
  watermarking: { why: "it changes the distribution that is sampled from" },
  repetition_detection: {
    why: "it ends text early by a rule that no field of the answer shows; use `stop` or the penalties",
  },
  cache_salt: { why: `${gateway}: each account has a prefix cache of its own` },
  kv_transfer_params: { why: deployment },
  ec_transfer_params: { why: deployment },
  vllm_xargs: { why: deployment },
  priority: { why: `${gateway}: live requests go before Jobs` },
  request_id: { why: `${gateway}; the answer's \`x-request-id\` has it` },
  session_id: { why: deployment },
  prompt_embeds: {
    why: "embeddings run unchecked tensors in the engine; send text or token ids in `prompt`",
  },
  logits_processors: {
    why: "it runs code by name in the engine; use `logit_bias`, `allowed_token_ids` or `bad_words`",
  },
  stream_interval: { why: "each token is streamed as it comes" },
};

/** Why a field is refused by name, or null when it is not on the list. */
export function refusalOfField(name: string): RefusedField | null {
  if (Object.hasOwn(refusedFields, name)) return refusedFields[name] ?? null;
  return name.startsWith("guided_") ? { why: structure } : null;
}

// The JSON body that the backend gets, built from nothing: a field is in it because it is written
// here. What vLLM would fill in from its own or the Model's generation config is always explicit.
// Pure: no I/O, no clock, no randomness; the seed is drawn by the caller.
import type { CompletionRequest } from "../contract/completion-request.ts";

export interface UpstreamSettings {
  /** The Model's name at the backend. */
  readonly servedName: string;
  /** The client's seed, or the one drawn for this request. */
  readonly seed: number;
  readonly requestId: string;
  /** A hex HMAC of the account: one tenant's prefix cache cannot be timed by another. */
  readonly cacheSalt: string;
  /** 0 for live requests, 10 for Jobs. */
  readonly priority: number;
  /** As asked, or lowered to what the tokens allow. */
  readonly maxTokens: number;
  readonly vocabSize: number;
}

export type UpstreamBody = Record<string, unknown>;

export function buildUpstreamBody(
  request: CompletionRequest,
  settings: UpstreamSettings,
): UpstreamBody {
  const { minTokens, logprobs } = request;
  const { maxTokens, vocabSize } = settings;
  return {
    model: settings.servedName,
    prompt: promptAsWritten(request),
    max_tokens: maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    min_p: request.minP,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    repetition_penalty: request.repetitionPenalty,
    n: request.n,
    seed: settings.seed,
    ...given({
      stop: request.stop,
      stop_token_ids: request.stopTokenIds,
      min_tokens: minTokens === undefined ? undefined : Math.min(minTokens, maxTokens),
      // vLLM answers -1 with empty maps; its number for the same is the vocabulary's size.
      logprobs: logprobs === -1 ? vocabSize : logprobs,
      prompt_logprobs: request.promptLogprobs,
      logprob_token_ids: request.logprobTokenIds,
      logit_bias: request.logitBias,
      allowed_token_ids: request.allowedTokenIds,
      bad_words: request.badWords,
    }),
    ...request.flags,
    // Always asked for: the tokens that were delivered are what a hang-up is charged by.
    ...(request.stream && {
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    }),
    cache_salt: settings.cacheSalt,
    priority: settings.priority,
    request_id: settings.requestId,
  };
}

function given(fields: UpstreamBody): UpstreamBody {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function promptAsWritten({ prompts, promptShape }: CompletionRequest): unknown {
  const list = prompts.kind === "ids" ? prompts.ids : prompts.texts;
  return promptShape === "string" || promptShape === "ids" ? list[0] : list;
}

// What `/v1` answers, as far as the pages read it. Always asked for with `return_token_ids` and
// `return_tokens_as_token_ids`: texts collide and are cut inside characters, ids are exact.

export interface Logprobs {
  /** `token_id:N`. */
  tokens: string[];
  token_logprobs: (number | null)[];
  top_logprobs: (Record<string, number> | null)[];
}

/** By the token's id in digits. */
export type PromptRow = Record<string, { logprob: number; rank: number | null }> | null;

export interface Choice {
  index: number;
  text: string;
  finish_reason: string | null;
  logprobs?: Logprobs | null;
  token_ids?: number[] | null;
  /** With the first chunk of a choice, or the plain answer. */
  prompt_token_ids?: number[] | null;
  prompt_logprobs?: PromptRow[] | null;
}

export interface Completion {
  choices: Choice[];
}

export interface ErrorBody {
  error: { message: string; code: string | null };
}

// Bodies of `/v1/tokenize` and `/v1/detokenize`, and what the backend's own tokenizer answers.
import { z } from "zod";

/** Its ids as JSON take up to 8 bytes a byte of text; more would not fit beside them in memory. */
const TOKENIZE_MAX_CHARACTERS = 1_000_000;
const DETOKENIZE_MAX_IDS = 1_000_000;

const tokenId = z.int().nonnegative();

export const TokenizeBody = z.strictObject({
  model: z.string(),
  prompt: z.string().max(TOKENIZE_MAX_CHARACTERS),
  add_special_tokens: z.boolean().optional(),
  /** Also the text of each token. */
  return_token_strs: z.boolean().optional(),
});
export type TokenizeBody = z.infer<typeof TokenizeBody>;

export const DetokenizeBody = z.strictObject({
  model: z.string(),
  tokens: z.array(tokenId).max(DETOKENIZE_MAX_IDS),
});
export type DetokenizeBody = z.infer<typeof DetokenizeBody>;

/** Members that are not named here are the engine's own and dropped. */
export const TokenizeAnswer = z.object({
  count: z.int().nonnegative(),
  max_model_len: z.int().positive(),
  tokens: z.array(tokenId),
  token_strs: z.array(z.string()).nullish(),
});
export type TokenizeAnswer = z.infer<typeof TokenizeAnswer>;

export const DetokenizeAnswer = z.object({ prompt: z.string() });
export type DetokenizeAnswer = z.infer<typeof DetokenizeAnswer>;

// How large a request is: choices, tokens to generate, and the most tokens its prompts can have
// without a tokenizer. Pure: no I/O, no clock.
import type { CompletionRequest } from "../contract/completion-request.ts";

/** What a tokenizer adds around a text: begin and end of text. */
const specialTokens = 2;

/** The text's length in UTF-8 bytes. A lone surrogate counts 3, as the U+FFFD it becomes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
      continue;
    }
    bytes += 2;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    // Two units, four bytes: the first was counted as three, the second as one.
    if (isPair) at++;
  }
  return bytes;
}

export interface PromptTokenBound {
  readonly perPrompt: readonly number[];
  /** Ids are counted; text is bounded by its bytes, which holds where the Model says `byte_bound`. */
  readonly exact: boolean;
}

export function promptTokenBound(request: Pick<CompletionRequest, "prompts">): PromptTokenBound {
  const { prompts } = request;
  return prompts.kind === "ids"
    ? { perPrompt: prompts.ids.map((ids) => ids.length), exact: true }
    : { perPrompt: prompts.texts.map((text) => utf8Length(text) + specialTokens), exact: false };
}

/** Prompts × n. */
export function countChoices(request: Pick<CompletionRequest, "prompts" | "n">): number {
  const { prompts } = request;
  return (prompts.kind === "ids" ? prompts.ids : prompts.texts).length * request.n;
}

/** Tokens that a choice generates at most: with `max_tokens: 0` the engine still makes one. */
export function generatedTokens(request: Pick<CompletionRequest, "maxTokens">): number {
  return Math.max(request.maxTokens, 1);
}

// The text vLLM shows for a token in a logprob. A token that ends in a piece of a character is
// shown together with the pieces before it once the character is complete, and as "" until then.
// So different tokens share a text: maps keyed by text lose entries, on a real vLLM too.
import { decodeTokens, tokenText, VOCABULARY_SIZE } from "./tokenizer.ts";

const REPLACEMENT = "\ufffd";
const CONTEXT_TOKENS = 4;

const looksUnfinished: readonly boolean[] = Array.from({ length: VOCABULARY_SIZE }, (_, id) =>
  tokenText(id).endsWith(REPLACEMENT),
);

/** Tokens whose text depends on what stands before them. */
export const unfinishedTokens: readonly number[] = looksUnfinished.flatMap((unfinished, id) =>
  unfinished ? [id] : [],
);

/** Whether the token before leaves a character open, so that texts after it differ. */
export function leavesOpen(context: readonly number[]): boolean {
  const last = context.at(-1);
  return last !== undefined && looksUnfinished[last] === true;
}

/** A token's text after the tokens in `context` (those whose logprobs were given before it). */
export function shownText(id: number, context: readonly number[]): string {
  if (looksUnfinished[id] !== true) return tokenText(id);
  if (!leavesOpen(context)) return "";
  for (let size = 1; size <= Math.min(context.length, CONTEXT_TOKENS); size++) {
    const before = context.slice(-size);
    const whole = decodeTokens([...before, id]);
    if (whole.endsWith(REPLACEMENT)) continue;
    let clean = before.length;
    while (clean > 0 && looksUnfinished[before[clean - 1] as number] === true) clean--;
    const prefix = decodeTokens(before.slice(0, clean));
    return whole.startsWith(prefix) ? whole.slice(prefix.length) : whole;
  }
  return "";
}

// Whether a Model can serve a well-formed request: vocabulary, caps, context, log-probability
// cells. Pure: no I/O, no clock; the exact count of a text's tokens is passed in by who has it.
import type { CompletionRequest } from "../contract/completion-request.ts";
import type { CodedProblem } from "../contract/problems.ts";
import {
  countChoices,
  generatedTokens,
  type PromptTokenBound,
  promptTokenBound,
} from "./request-size.ts";
import { tokenRules } from "./token-rules.ts";
import { type ModelRules, vocabularyProblems } from "./vocabulary-rules.ts";

export type ModelVerdict =
  | { readonly kind: "fits" }
  /** The bound by bytes fails; call again with the exact count of each prompt's tokens. */
  | { readonly kind: "count-tokens-first" }
  | { readonly kind: "refused"; readonly problems: readonly CodedProblem[] };

/**
 * All that this Model refuses about the request. `promptTokens` is the exact count for each prompt,
 * from the backend's tokenizer; with it the answer is final.
 */
export function checkAgainstModel(
  request: CompletionRequest,
  model: ModelRules,
  promptTokens?: readonly number[],
): ModelVerdict {
  const problems = vocabularyProblems(request, model);
  const outputTokens = countChoices(request) * generatedTokens(request);
  if (outputTokens > model.max_output_tokens) {
    const message = `Prompts × \`n\` × \`max_tokens\` is ${outputTokens}; \`${model.id}\` gives at most ${model.max_output_tokens} tokens to one request.`;
    problems.push({ code: "invalid_request", param: "max_tokens", message });
  }
  const { least, most } = tokenRange(request, model, promptTokens);
  let uncertain = most === null;
  for (const rule of tokenRules) {
    const certain = rule(request, model, least);
    if (certain !== null) problems.push(certain);
    else if (most !== null && rule(request, model, most) !== null) uncertain = true;
  }
  if (problems.length > 0) return { kind: "refused", problems };
  return uncertain ? { kind: "count-tokens-first" } : { kind: "fits" };
}

/** For each prompt the fewest and the most tokens it can have; `most` is null without a bound. */
function tokenRange(
  request: CompletionRequest,
  model: ModelRules,
  promptTokens: readonly number[] | undefined,
): { least: PromptTokenBound; most: PromptTokenBound | null } {
  const bound = promptTokenBound(request);
  if (bound.exact) return { least: bound, most: bound };
  if (promptTokens === undefined) {
    const least = { perPrompt: bound.perPrompt.map(() => 1), exact: false };
    return { least, most: model.byte_bound ? bound : null };
  }
  if (promptTokens.length !== bound.perPrompt.length) {
    throw new Error("promptTokens needs one count for each prompt");
  }
  const counted = { perPrompt: promptTokens, exact: true };
  return { least: counted, most: counted };
}

// Rules of a Model that depend on how many tokens the prompts have. Each is monotone in them: what
// holds for the most a prompt can have holds for fewer, and what fails for the fewest fails.
import type { CompletionRequest } from "../contract/completion-request.ts";
import type { CodedProblem } from "../contract/problems.ts";
import { generatedTokens, type PromptTokenBound } from "./request-size.ts";
import type { ModelRules } from "./vocabulary-rules.ts";

type TokenRule = (
  request: CompletionRequest,
  model: ModelRules,
  tokens: PromptTokenBound,
) => CodedProblem | null;

/** What each place of the prompt reports: vLLM takes `logprobs` for it too when it echoes. */
function askedOfPrompt(request: CompletionRequest): {
  param: "prompt_logprobs" | "logprobs";
  count: number | undefined;
} {
  return request.promptLogprobs === undefined && request.echo
    ? { param: "logprobs", count: request.logprobs }
    : { param: "prompt_logprobs", count: request.promptLogprobs };
}

const wholeVocabularyRule: TokenRule = (request, model, { perPrompt }) => {
  const { param, count } = askedOfPrompt(request);
  const tokens = perPrompt.reduce((sum, each) => sum + each, 0);
  if (count !== -1 || tokens <= model.whole_vocabulary_tokens) return null;
  const asked = param === "logprobs" ? "`logprobs: -1` with `echo`" : "`prompt_logprobs: -1`";
  const message = `${asked} takes a prompt of at most ${model.whole_vocabulary_tokens} tokens on \`${model.id}\`; this one has ${tokens}. Split it, or ask for a number of log-probabilities.`;
  return { code: "whole_vocabulary_too_large", param, message };
};

/**
 * Rows × (k + 1) over all choices. A prompt's whole vocabulary is not counted here: the Model's
 * `whole_vocabulary_tokens` bounds it, and that cap is its own error.
 */
function logprobCells(
  request: CompletionRequest,
  vocabSize: number,
  perPrompt: readonly number[],
): number {
  const { logprobs, logprobTokenIds } = request;
  const ofPrompt = askedOfPrompt(request).count;
  const promptRow = ofPrompt === undefined || ofPrompt === -1 ? 0 : ofPrompt + 1;
  let choiceRow = 0;
  if (logprobTokenIds !== undefined) choiceRow = logprobTokenIds.length + 1;
  else if (logprobs !== undefined) choiceRow = (logprobs === -1 ? vocabSize : logprobs) + 1;
  const ofChoice = generatedTokens(request) * choiceRow;
  return perPrompt.reduce((sum, tokens) => sum + request.n * (tokens * promptRow + ofChoice), 0);
}

const cellRule: TokenRule = (request, model, { perPrompt, exact }) => {
  const cells = logprobCells(request, model.vocab_size, perPrompt);
  if (cells <= model.max_logprob_cells) return null;
  const param = request.promptLogprobs === undefined ? "logprobs" : "prompt_logprobs";
  const message = `${exact ? "" : "At least "}${cells} log-probabilities are asked for (tokens × (k + 1), over all choices); \`${model.id}\` gives at most ${model.max_logprob_cells} to one request. Ask for fewer, or split the request.`;
  return { code: "invalid_request", param, message };
};

const contextRule: TokenRule = (request, model, { perPrompt }) => {
  const most = model.max_model_len;
  const at = perPrompt.findIndex((tokens) => tokens + generatedTokens(request) > most);
  const tokens = perPrompt[at];
  if (tokens === undefined) return null;
  const rule = `\`${model.id}\` takes at most ${most} tokens, prompt and \`max_tokens\` together`;
  const refusal = (param: string, message: string): CodedProblem => {
    return { code: "context_length_exceeded", param, message: `${rule}; ${message}.` };
  };
  if (generatedTokens(request) >= most) {
    return refusal("max_tokens", `\`max_tokens\` is ${request.maxTokens}, which leaves no room`);
  }
  const which = perPrompt.length === 1 ? "the prompt" : `prompt ${at + 1}`;
  const left = most - tokens;
  return left < 1
    ? refusal("prompt", `${which} has ${tokens} by itself`)
    : refusal(
        "max_tokens",
        `${which} has ${tokens} and \`max_tokens\` is ${request.maxTokens}: lower it to ${left}, or shorten the prompt`,
      );
};

/** In the order of their problems. */
export const tokenRules: readonly TokenRule[] = [wholeVocabularyRule, cellRule, contextRule];

// Rules of a Model that need no count of tokens: ids that exist, and caps on what is asked for.
import type { Model } from "../contract/catalogue.ts";
import type { CompletionRequest } from "../contract/completion-request.ts";
import type { CodedProblem } from "../contract/problems.ts";

/** What of the catalogue's entry decides over a request. */
export type ModelRules = Pick<
  Model,
  | "id"
  | "max_model_len"
  | "vocab_size"
  | "byte_bound"
  | "max_logprobs"
  | "max_logprob_cells"
  | "whole_vocabulary_tokens"
  | "max_output_tokens"
>;

/** Where an id outside the vocabulary stands, from 1; 0 when there is none. */
function firstOutside(ids: readonly number[], vocabSize: number): number {
  for (let at = 0; at < ids.length; at++) if ((ids[at] ?? 0) >= vocabSize) return at + 1;
  return 0;
}

/** The place only: an id of a prompt is part of the prompt, which no message repeats. */
function promptProblem(request: CompletionRequest, vocabSize: number): string | null {
  const { prompts, promptShape } = request;
  if (prompts.kind === "text") return null;
  for (const [index, ids] of prompts.ids.entries()) {
    const at = firstOutside(ids, vocabSize);
    if (at !== 0) return promptShape === "ids" ? `id ${at}` : `in member ${index + 1}, id ${at}`;
  }
  return null;
}

export function vocabularyProblems(request: CompletionRequest, model: ModelRules): CodedProblem[] {
  const problems: CodedProblem[] = [];
  const add = (param: string, message: string) => {
    problems.push({ code: "invalid_request", param, message });
  };
  const ids = `\`${model.id}\` has ids from 0 to ${model.vocab_size - 1}`;

  const outside = promptProblem(request, model.vocab_size);
  if (outside !== null) add("prompt", `\`prompt\`: ${outside} is outside the vocabulary; ${ids}.`);
  if (request.topK > model.vocab_size) {
    add("top_k", `\`top_k\` is ${request.topK}; \`${model.id}\` has ${model.vocab_size} tokens.`);
  }
  const lists = [
    ["stop_token_ids", request.stopTokenIds],
    ["logprob_token_ids", request.logprobTokenIds],
    ["logit_bias", Object.keys(request.logitBias ?? {}).map(Number)],
    ["allowed_token_ids", request.allowedTokenIds],
  ] as const;
  for (const [param, list] of lists) {
    const at = firstOutside(list ?? [], model.vocab_size);
    const id = list?.[at - 1];
    if (id !== undefined) add(param, `\`${param}\`: ${id} is outside the vocabulary; ${ids}.`);
  }
  const counts = [
    ["logprobs", request.logprobs],
    ["prompt_logprobs", request.promptLogprobs],
  ] as const;
  for (const [param, count] of counts) {
    if ((count ?? 0) <= model.max_logprobs) continue;
    const most = `\`${model.id}\` gives at most ${model.max_logprobs}, or with -1 the whole vocabulary`;
    add(param, `\`${param}\` is ${count}; ${most}.`);
  }
  return problems;
}

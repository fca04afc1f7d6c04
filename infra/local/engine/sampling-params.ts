// What vLLM checks in two steps. The first (`samplingParams`) is answered with a status. The second
// (`checkInEngine`) happens when the engine takes the request: by then a stream has its 200, so
// these errors appear only inside it.
import { refused } from "./errors.ts";
import type { CompletionRequest } from "./request.ts";
import { END_OF_TEXT, tokenize, VOCABULARY_SIZE } from "./tokenizer.ts";

const LEAST_TEMPERATURE = 0.01;
const MOST_SEQUENCES = 16_384;
const MOST_LOGPROB_TOKEN_IDS = 128;

export interface SamplingParams {
  readonly n: number;
  readonly maxTokens: number;
  readonly minTokens: number;
  readonly seed: number | undefined;
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  readonly repetitionPenalty: number;
  readonly stop: readonly string[];
  readonly stopTokenIds: ReadonlySet<number>;
  readonly includeStop: boolean;
  readonly ignoreEos: boolean;
  readonly skipSpecialTokens: boolean;
  readonly logitBias: ReadonlyMap<number, number>;
  readonly allowedTokenIds: readonly number[] | undefined;
  readonly badWordIds: readonly (readonly number[])[];
  /** Tokens that would end the text: not to be sampled before `minTokens`. */
  readonly endingIds: readonly number[];
}

/** The parameters of one prompt; throws a RequestError for a value out of its range. */
export function samplingParams(request: CompletionRequest): SamplingParams {
  checkRanges(request);
  const greedy = request.temperature < 1e-5;
  if (greedy && request.n > 1) {
    throw refused(`n must be 1 when using greedy sampling, got ${request.n}.`);
  }
  const stopTokenIds = new Set(request.stopTokenIds);
  return {
    n: request.n,
    maxTokens: request.echo && request.maxTokens === 0 ? 1 : request.maxTokens,
    minTokens: request.minTokens,
    seed: request.seed === -1 ? undefined : request.seed,
    temperature: greedy ? 0 : Math.max(request.temperature, LEAST_TEMPERATURE),
    topP: greedy ? 1 : request.topP,
    topK: greedy ? 0 : Math.min(request.topK, VOCABULARY_SIZE),
    minP: greedy ? 0 : request.minP,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    repetitionPenalty: request.repetitionPenalty,
    stop: request.stop,
    stopTokenIds,
    includeStop: request.includeStop,
    ignoreEos: request.ignoreEos,
    skipSpecialTokens: request.skipSpecialTokens,
    logitBias: request.logitBias,
    allowedTokenIds: request.allowedTokenIds,
    badWordIds: request.badWords.flatMap(badWordForms),
    endingIds: [...stopTokenIds, END_OF_TEXT],
  };
}

/** A bad word is banned at a text's start and, where that is another token, after a space. */
function badWordForms(word: string): number[][] {
  const bare = tokenize(word.trimStart());
  const spaced = tokenize(` ${word.trimStart()}`);
  return spaced[0] !== bare[0] && spaced.length === bare.length ? [bare, spaced] : [bare];
}

function checkRanges(request: CompletionRequest): void {
  const within = (value: number, low: number, high: number, message: string, param?: string) => {
    if (value >= low && value <= high) return;
    throw refused(`${message}, got ${value}.`, param ?? null, param && value);
  };
  const unlimited = Number.POSITIVE_INFINITY;
  const { n, maxTokens, minTokens } = request;
  within(n, 1, unlimited, "n must be at least 1");
  within(n, 1, MOST_SEQUENCES, `n must be at most ${MOST_SEQUENCES}`);
  within(request.presencePenalty, -2, 2, "presence_penalty must be in [-2, 2]");
  within(request.frequencyPenalty, -2, 2, "frequency_penalty must be in [-2, 2]");
  within(
    request.repetitionPenalty,
    Number.MIN_VALUE,
    Number.MAX_VALUE,
    "repetition_penalty must be greater than zero",
  );
  within(request.temperature, 0, unlimited, "temperature must be non-negative", "temperature");
  within(request.temperature, 0, 2, "temperature must be in [0, 2]", "temperature");
  within(request.topP, Number.MIN_VALUE, 1, "top_p must be in (0, 1]", "top_p");
  within(request.topK, -1, unlimited, "top_k must be 0 (disable), or at least 1");
  within(request.minP, 0, 1, "min_p must be in [0, 1]");
  if (!(request.echo && maxTokens === 0)) {
    within(maxTokens, 1, unlimited, "max_tokens must be at least 1", "max_tokens");
  }
  within(minTokens, 0, unlimited, "min_tokens must be greater than or equal to 0");
  const most = Math.max(maxTokens, 1);
  within(minTokens, 0, most, `min_tokens must be less than or equal to max_tokens=${most}`);
  if (request.stop.includes("")) throw refused("stop cannot contain an empty string.");
  if (request.badWords.includes("")) throw refused("bad_words cannot contain an empty string.");
}

/** Checks that vLLM makes after it has answered a stream with 200. */
export function checkInEngine(request: CompletionRequest, prompts: readonly number[][]): void {
  checkLogprobs(request);
  checkIds(request.logitBias.keys(), "logit_bias");
  checkIds(request.stopTokenIds, "stop_token_ids");
  const allowed = request.allowedTokenIds;
  if (allowed?.length === 0) {
    throw refused("allowed_token_ids is not None and empty!", "allowed_token_ids", allowed);
  }
  if (allowed?.some(isUnknown)) {
    throw refused(
      "allowed_token_ids contains out-of-vocab token id!",
      "allowed_token_ids",
      allowed.filter(isUnknown),
    );
  }
  for (const ids of prompts) {
    if (ids.length === 0) throw refused("The decoder prompt cannot be empty");
    const unknown = ids.filter(isUnknown);
    if (unknown.length > 0) {
      throw refused(`Token id ${Math.max(...unknown)} is out of vocabulary`);
    }
  }
}

function checkLogprobs(request: CompletionRequest): void {
  const chosen = request.logprobTokenIds;
  const asked = [
    [chosen === undefined ? request.logprobs : undefined, "sample", "logprobs"],
    [request.promptLogprobs, "prompt", "prompt_logprobs"],
  ] as const;
  for (const [count, kind, param] of asked) {
    if (count === undefined || count <= VOCABULARY_SIZE) continue;
    const message = `Requested ${kind} logprobs of ${count}, which is greater than max allowed: `;
    throw refused(message + VOCABULARY_SIZE, param, count);
  }
  if (chosen === undefined) return;
  if (chosen.length > MOST_LOGPROB_TOKEN_IDS) {
    const message = `Requested logprob_token_ids of length ${chosen.length}, which is greater `;
    throw refused(`${message}than max allowed: ${MOST_LOGPROB_TOKEN_IDS}`, "logprob_token_ids");
  }
  checkIds(chosen, "logprob_token_ids");
}

function checkIds(ids: Iterable<number>, param: string): void {
  const unknown = [...ids].filter(isUnknown);
  if (unknown.length === 0) return;
  const message = `token_id(s) ${JSON.stringify(unknown)} in ${param} contain out-of-vocab token ids.`;
  throw refused(`${message} Vocabulary size: ${VOCABULARY_SIZE}`, param, unknown);
}

function isUnknown(id: number): boolean {
  return id < 0 || id >= VOCABULARY_SIZE;
}

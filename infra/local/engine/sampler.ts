// Chooses the next token from a distribution, in vLLM's order: allowed and bad words, minimum
// length, bias, penalties, temperature, min_p, top_k, top_p.
import { type Distribution, drawFrom, type LanguageModel } from "./distribution.ts";
import type { Random } from "./random.ts";
import type { SamplingParams } from "./sampling-params.ts";
import { Scores } from "./scores.ts";
import { Weights } from "./weights.ts";

const GREEDY_BELOW = 1e-5;
/** Entries of each of the sampler's caches. */
const REMEMBERED = 20_000;
const NUCLEUS_FIRST_TRY = 64;

/** What of a sequence's past the parameters look at. */
export interface Past {
  readonly prompt: readonly number[];
  readonly output: readonly number[];
}

export class Sampler {
  readonly #model: LanguageModel;
  readonly #scores: Scores;
  readonly #greedyChoices = new Map<string, number>();
  readonly #totals = new Map<string, number>();
  readonly #baseTotals = new Map<number, number>();

  constructor(model: LanguageModel) {
    this.#model = model;
    this.#scores = new Scores(model.base);
  }

  choose(distribution: Distribution, params: SamplingParams, past: Past, random: Random): number {
    const changes = changesScores(params, past);
    const greedy = params.temperature < GREEDY_BELOW;
    if (greedy && !changes) return this.#greedy(distribution);
    if (!changes && params.temperature === 1 && !isFiltered(params)) {
      return drawFrom(this.#model.base, distribution, random.next());
    }
    const scores = this.#scores.fill(distribution);
    if (changes) changeScores(scores, params, past);
    if (greedy) return scores.best(1)[0] ?? 0;
    const weights = new Weights(scores, params.temperature);
    const total = () =>
      changes ? this.#total(weights) : this.#rememberedTotal(contextKey(distribution), weights);
    return isFiltered(params)
      ? drawFiltered(weights, params, total, random.next())
      : drawAny(weights, total(), random.next());
  }

  #greedy(distribution: Distribution): number {
    const key = contextKey(distribution);
    const known = this.#greedyChoices.get(key);
    if (known !== undefined) return known;
    const choice = this.#scores.fill(distribution).best(1)[0] ?? 0;
    remember(this.#greedyChoices, key, choice);
    return choice;
  }

  /** All tokens' weight. The followers are walked; the base's share is known per temperature. */
  #total(weights: Weights): number {
    return weights.total(this.#baseTotal(weights.temperature));
  }

  #rememberedTotal(context: string, weights: Weights): number {
    if (weights.temperature === 1) return weights.of(1);
    const key = `${weights.temperature}:${context}`;
    const known = this.#totals.get(key);
    if (known !== undefined) return known;
    const total = this.#total(weights);
    remember(this.#totals, key, total);
    return total;
  }

  #baseTotal(temperature: number): number {
    const known = this.#baseTotals.get(temperature);
    if (known !== undefined) return known;
    let total = 0;
    for (const log of this.#model.base.logProbability) total += Math.exp(log / temperature);
    remember(this.#baseTotals, temperature, total);
    return total;
  }
}

/** The longest layer's place names the context, and with it the whole distribution. */
function contextKey({ layers }: Distribution): string {
  return `${layers.length}:${layers.at(-1)?.followers.start ?? 0}`;
}

function remember<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size >= REMEMBERED) map.clear();
  map.set(key, value);
}

/** Draws over the whole vocabulary at any temperature. */
function drawAny(weights: Weights, total: number, uniform: number): number {
  const { scores } = weights;
  let rest = uniform * total;
  for (let i = 0; i < scores.count; i++) {
    const id = scores.ids[i] as number;
    rest -= weights.ofToken(id);
    if (rest < 0) return id;
  }
  for (const id of scores.base.order) {
    if (scores.isTouched(id)) continue;
    rest -= weights.ofToken(id);
    if (rest < 0) return id;
  }
  return scores.best(1)[0] ?? 0;
}

function drawFiltered(
  weights: Weights,
  params: SamplingParams,
  total: () => number,
  uniform: number,
): number {
  const kept = keptIds(weights, params);
  const all = kept === undefined ? total() : kept.reduce((sum, id) => sum + weights.ofToken(id), 0);
  const nucleus =
    kept === undefined
      ? nucleusOfAll(weights, all * params.topP)
      : nucleusOf(kept, weights, all * params.topP);
  let rest = uniform * nucleus.weight;
  for (const id of nucleus.ids) {
    rest -= weights.ofToken(id);
    if (rest < 0) return id;
  }
  return nucleus.ids.at(-1) ?? 0;
}

/** What min_p and top_k leave; undefined if neither is on. */
function keptIds(weights: Weights, { topK, minP }: SamplingParams): number[] | undefined {
  const { scores } = weights;
  if (topK > 0) return scores.best(topK).filter((id) => weights.ofToken(id) >= minP);
  if (minP > 0) return scores.best(scores.countAtLeast(weights.scoreWithWeight(minP)));
  return undefined;
}

interface Nucleus {
  readonly ids: number[];
  readonly weight: number;
}

/** The fewest best tokens that weigh at least `enough`. */
function nucleusOf(ranked: Iterable<number>, weights: Weights, enough: number): Nucleus {
  const ids: number[] = [];
  let weight = 0;
  for (const id of ranked) {
    ids.push(id);
    weight += weights.ofToken(id);
    if (weight >= enough) break;
  }
  return { ids, weight };
}

/** Tries a few first: sorting all followers of a common word is dear. */
function nucleusOfAll(weights: Weights, enough: number): Nucleus {
  const few = nucleusOf(weights.scores.best(NUCLEUS_FIRST_TRY), weights, enough);
  return few.weight >= enough ? few : nucleusOf(weights.scores.ranked(), weights, enough);
}

function isFiltered({ topK, topP, minP }: SamplingParams): boolean {
  return topK > 0 || topP < 1 || minP > 0;
}

function changesScores(params: SamplingParams, past: Past): boolean {
  return (
    params.allowedTokenIds !== undefined ||
    params.badWordIds.length > 0 ||
    past.output.length < params.minTokens ||
    params.logitBias.size > 0 ||
    params.repetitionPenalty !== 1 ||
    params.frequencyPenalty !== 0 ||
    params.presencePenalty !== 0
  );
}

function changeScores(scores: Scores, params: SamplingParams, past: Past): void {
  scores.toLogarithms();
  if (params.allowedTokenIds !== undefined) scores.restrictTo(params.allowedTokenIds);
  for (const word of params.badWordIds) {
    if (!endsWith(past.output, word)) continue;
    scores.set(word.at(-1) as number, Number.NEGATIVE_INFINITY);
  }
  if (past.output.length < params.minTokens) {
    for (const id of params.endingIds) scores.set(id, Number.NEGATIVE_INFINITY);
  }
  for (const [id, bias] of params.logitBias) scores.set(id, scores.score(id) + bias);
  applyPenalties(scores, params, past);
}

/** Whether the output so far ends with all of the word but its last token. */
function endsWith(output: readonly number[], word: readonly number[]): boolean {
  const length = word.length - 1;
  if (output.length < length) return false;
  for (let i = 0; i < length; i++) {
    if (output[output.length - length + i] !== word[i]) return false;
  }
  return true;
}

function applyPenalties(scores: Scores, params: SamplingParams, past: Past): void {
  if (params.repetitionPenalty !== 1) {
    for (const id of new Set([...past.prompt, ...past.output])) {
      const score = scores.score(id);
      const factor = score > 0 ? 1 / params.repetitionPenalty : params.repetitionPenalty;
      scores.set(id, score * factor);
    }
  }
  if (params.frequencyPenalty === 0 && params.presencePenalty === 0) return;
  const times = new Map<number, number>();
  for (const id of past.output) times.set(id, (times.get(id) ?? 0) + 1);
  for (const [id, count] of times) {
    const penalty = count * params.frequencyPenalty + params.presencePenalty;
    scores.set(id, scores.score(id) - penalty);
  }
}

// Chooses the next token from a distribution, in vLLM's order: allowed and bad words, minimum
// length, bias, penalties, temperature, min_p, top_k, top_p.
import { type Distribution, drawFrom, type LanguageModel } from "./distribution.ts";
import type { Random } from "./random.ts";
import type { SamplingParams } from "./sampling-params.ts";
import { Scores } from "./scores.ts";

const GREEDY_BELOW = 1e-5;
const REMEMBERED_CHOICES = 20_000;
const REMEMBERED_TEMPERATURES = 64;

/** What of a sequence's past the parameters look at. */
export interface Past {
  readonly prompt: readonly number[];
  readonly output: readonly number[];
}

export class Sampler {
  readonly #model: LanguageModel;
  readonly #scores: Scores;
  readonly #greedyChoices = new Map<string, number>();
  readonly #tailTotals = new Map<number, number>();

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
    scores.toLogarithms();
    if (changes) changeScores(scores, params, past);
    if (greedy) return scores.best(1)[0] ?? 0;
    return isFiltered(params)
      ? this.#drawFiltered(params, random.next())
      : this.#drawAny(params.temperature, random.next());
  }

  /** The context alone decides a greedy choice, and the longest layer's place names the context. */
  #greedy(distribution: Distribution): number {
    const key = `${distribution.layers.length}:${distribution.layers.at(-1)?.followers.start}`;
    const known = this.#greedyChoices.get(key);
    if (known !== undefined) return known;
    const choice = this.#scores.fill(distribution).best(1)[0] ?? 0;
    if (this.#greedyChoices.size >= REMEMBERED_CHOICES) this.#greedyChoices.clear();
    this.#greedyChoices.set(key, choice);
    return choice;
  }

  /** Draws over the whole vocabulary at any temperature. */
  #drawAny(temperature: number, uniform: number): number {
    const scores = this.#scores;
    const top = scores.score(scores.best(1)[0] ?? 0);
    const weights = this.#standingWeights(temperature, top);
    let rest = uniform * (weights.standing + weights.tail);
    for (let i = 0; i < scores.count; i++) {
      const id = scores.ids[i] as number;
      rest -= Math.exp((scores.score(id) - top) / temperature);
      if (rest < 0) return id;
    }
    for (const id of scores.base.order) {
      if (scores.isTouched(id)) continue;
      rest -= Math.exp((scores.score(id) - top) / temperature);
      if (rest < 0) return id;
    }
    return scores.best(1)[0] ?? 0;
  }

  #standingWeights(temperature: number, top: number): { standing: number; tail: number } {
    const scores = this.#scores;
    let standing = 0;
    let untouchedBase = this.#tailTotal(temperature);
    for (let i = 0; i < scores.count; i++) {
      const id = scores.ids[i] as number;
      standing += Math.exp((scores.score(id) - top) / temperature);
      untouchedBase -= Math.exp((scores.base.logProbability[id] as number) / temperature);
    }
    const factor = Math.exp((scores.tail - top) / temperature);
    return { standing, tail: factor === 0 ? 0 : factor * Math.max(untouchedBase, 0) };
  }

  /** The base distribution's whole weight at a temperature: one walk, then remembered. */
  #tailTotal(temperature: number): number {
    const known = this.#tailTotals.get(temperature);
    if (known !== undefined) return known;
    let total = 0;
    for (const log of this.#model.base.logProbability) total += Math.exp(log / temperature);
    if (this.#tailTotals.size >= REMEMBERED_TEMPERATURES) this.#tailTotals.clear();
    this.#tailTotals.set(temperature, total);
    return total;
  }

  #drawFiltered(params: SamplingParams, uniform: number): number {
    const scores = this.#scores;
    const { temperature, topP } = params;
    const top = scores.score(scores.best(1)[0] ?? 0);
    const weigh = (id: number) => Math.exp((scores.score(id) - top) / temperature);
    const kept = this.#keptIds(params, top);
    let total: number;
    if (kept === undefined) {
      const weights = this.#standingWeights(temperature, top);
      total = weights.standing + weights.tail;
    } else {
      total = kept.reduce((sum, id) => sum + weigh(id), 0);
    }
    const nucleus = nucleusOf(kept ?? ((limit) => scores.best(limit)), weigh, total * topP);
    let rest = uniform * nucleus.weight;
    for (const id of nucleus.ids) {
      rest -= weigh(id);
      if (rest < 0) return id;
    }
    return nucleus.ids.at(-1) ?? 0;
  }

  /** What min_p and top_k leave; undefined if neither is on. */
  #keptIds({ topK, minP, temperature }: SamplingParams, top: number): number[] | undefined {
    if (topK <= 0 && minP <= 0) return undefined;
    const least = minP > 0 ? top + temperature * Math.log(minP) : Number.NEGATIVE_INFINITY;
    if (topK > 0) return this.#scores.best(topK).filter((id) => this.#scores.score(id) >= least);
    return this.#scores.best(this.#scores.countAtLeast(least));
  }
}

/** The fewest best tokens that weigh at least `enough`. */
function nucleusOf(
  source: number[] | ((limit: number) => number[]),
  weigh: (id: number) => number,
  enough: number,
): { ids: number[]; weight: number } {
  for (let limit = 64; ; limit *= 8) {
    const candidates = Array.isArray(source) ? source : source(limit);
    const ids: number[] = [];
    let weight = 0;
    for (const id of candidates) {
      ids.push(id);
      weight += weigh(id);
      if (weight >= enough) return { ids, weight };
    }
    if (Array.isArray(source) || candidates.length < limit) return { ids, weight };
  }
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

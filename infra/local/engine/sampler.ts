// Chooses the next token from a distribution, in vLLM's order: allowed and bad words, minimum
// length, bias, penalties, temperature, min_p, top_k, top_p.
import { type Distribution, drawFrom, type LanguageModel } from "./distribution.ts";
import { drawFromNucleus, isFiltered, type Nucleus, nucleusOf } from "./nucleus.ts";
import type { Random } from "./random.ts";
import type { SamplingParams } from "./sampling-params.ts";
import { Scores } from "./scores.ts";
import { Weights } from "./weights.ts";

const GREEDY_BELOW = 1e-5;
/** Entries of each of the sampler's caches. */
const REMEMBERED = 20_000;
/** Bounds the memory of remembered nuclei: 16 bytes a token. */
const REMEMBERED_NUCLEUS_TOKENS = 2_000_000;

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
  readonly #nuclei = new Map<string, Nucleus>();
  #nucleusTokens = 0;

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
    const key = changes ? undefined : contextKey(distribution);
    const known = key === undefined ? undefined : this.#nuclei.get(nucleusKey(key, params));
    if (known !== undefined) return drawFromNucleus(known, random.next());
    const scores = this.#scores.fill(distribution);
    if (changes) changeScores(scores, params, past);
    if (greedy) return scores.best(1)[0] ?? 0;
    const weights = new Weights(scores, params.temperature);
    if (!isFiltered(params)) return drawAny(weights, this.#total(key, weights), random.next());
    const nucleus = nucleusOf(weights, params, () => this.#total(key, weights));
    if (key !== undefined) this.#rememberNucleus(nucleusKey(key, params), nucleus);
    return drawFromNucleus(nucleus, random.next());
  }

  #greedy(distribution: Distribution): number {
    const key = contextKey(distribution);
    const known = this.#greedyChoices.get(key);
    if (known !== undefined) return known;
    const choice = this.#scores.fill(distribution).best(1)[0] ?? 0;
    remember(this.#greedyChoices, key, choice);
    return choice;
  }

  #rememberNucleus(key: string, nucleus: Nucleus): void {
    this.#nucleusTokens += nucleus.ids.length;
    if (this.#nucleusTokens > REMEMBERED_NUCLEUS_TOKENS) {
      this.#nuclei.clear();
      this.#nucleusTokens = nucleus.ids.length;
    }
    this.#nuclei.set(key, nucleus);
  }

  /** All tokens' weight. The followers are walked; the base's share is known per temperature. */
  #total(context: string | undefined, weights: Weights): number {
    if (context === undefined) return weights.total(this.#baseTotal(weights.temperature));
    if (weights.temperature === 1) return weights.of(1);
    const key = `${weights.temperature}:${context}`;
    const known = this.#totals.get(key);
    if (known !== undefined) return known;
    const total = weights.total(this.#baseTotal(weights.temperature));
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

function nucleusKey(context: string, { temperature, topP, topK, minP }: SamplingParams): string {
  return `${temperature}:${topP}:${topK}:${minP}:${context}`;
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

// The model's distribution over the next token: absolute discounting, interpolated from the longest
// context seen down to single tokens and a uniform floor. Every one of the 50,257 tokens has a
// probability above zero, and they sum to 1.
//
// With D the discount, C the times a context was seen and T the different tokens that followed it:
//   p(token | context) = (count - D) / C + (D * T / C) * p(token | context without its first token)
// Tokens that never followed differ only in the last term, so a distribution is kept as the few
// followers plus one factor on the base distribution. Nothing here walks the vocabulary to sample.
import { type Followers, followersOf, type Ngrams } from "./ngram.ts";
import { VOCABULARY_SIZE } from "./tokenizer.ts";

const DISCOUNT = 0.75;
/** Added to every token's count in the base distribution: the uniform floor. */
const FLOOR_COUNT = 0.1;

/** The distribution without context; fixed for a model. */
export interface Base {
  readonly probability: Float64Array;
  readonly logProbability: Float64Array;
  /** Ids by falling probability, then rising id. */
  readonly order: Uint16Array;
  /** Running sums by id, for drawing. */
  readonly cumulative: Float64Array;
}

function baseOf(ngrams: Ngrams): Base {
  const counts = ngrams.levels[0]?.counts ?? new Uint32Array(VOCABULARY_SIZE + 1);
  const total = (counts[VOCABULARY_SIZE] as number) + FLOOR_COUNT * VOCABULARY_SIZE;
  const probability = new Float64Array(VOCABULARY_SIZE);
  const cumulative = new Float64Array(VOCABULARY_SIZE);
  let sum = 0;
  for (let id = 0; id < VOCABULARY_SIZE; id++) {
    const count = (counts[id + 1] as number) - (counts[id] as number);
    probability[id] = (count + FLOOR_COUNT) / total;
    sum += probability[id] as number;
    cumulative[id] = sum;
  }
  const order = Uint16Array.from({ length: VOCABULARY_SIZE }, (_, id) => id).sort(
    (a, b) => (probability[b] as number) - (probability[a] as number) || a - b,
  );
  return {
    probability,
    logProbability: probability.map(Math.log),
    order,
    cumulative,
  };
}

/** One context's followers, with what its level weighs in the whole. */
interface Layer {
  readonly followers: Followers;
  /** Weight of one count: the product of the longer contexts' leftovers, over this total. */
  readonly countWeight: number;
}

export interface Distribution {
  /** Shortest context first. */
  readonly layers: readonly Layer[];
  /** What the base distribution is multiplied with. */
  readonly baseWeight: number;
}

export class LanguageModel {
  readonly base: Base;
  readonly #ngrams: Ngrams;

  constructor(ngrams: Ngrams) {
    this.#ngrams = ngrams;
    this.base = baseOf(ngrams);
  }

  /** The distribution after a context; only its last three tokens matter. */
  after(context: readonly number[]): Distribution {
    const found = followersOf(this.#ngrams, context);
    const layers: Layer[] = [];
    let weight = 1;
    for (let i = found.length - 1; i >= 0; i--) {
      const followers = found[i] as Followers;
      const { level, start, end } = followers;
      const total = (level.counts[end] as number) - (level.counts[start] as number);
      layers.unshift({ followers, countWeight: weight / total });
      weight *= (DISCOUNT * (end - start)) / total;
    }
    return { layers, baseWeight: weight };
  }
}

/** The discounted count of a node, times its layer's weight, is what the layer adds. */
export function addedByNode(layer: Layer, node: number): number {
  const { counts } = layer.followers.level;
  return ((counts[node + 1] as number) - (counts[node] as number) - DISCOUNT) * layer.countWeight;
}

/** Draws a token with one uniform number in [0, 1): pick a layer by its weight, then a node. */
export function drawFrom(base: Base, distribution: Distribution, uniform: number): number {
  let rest = uniform;
  for (let i = distribution.layers.length - 1; i >= 0; i--) {
    const layer = distribution.layers[i] as Layer;
    const { level, start, end } = layer.followers;
    const total = (level.counts[end] as number) - (level.counts[start] as number);
    const mass = (total - DISCOUNT * (end - start)) * layer.countWeight;
    if (rest < mass) return drawFromLayer(layer.followers, rest / layer.countWeight);
    rest -= mass;
  }
  return searchCumulative(base.cumulative, Math.max(rest, 0) / distribution.baseWeight);
}

function drawFromLayer({ level, start, end }: Followers, amount: number): number {
  const before = level.counts[start] as number;
  let low = start;
  let high = end - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const upTo = (level.counts[middle + 1] as number) - before - DISCOUNT * (middle + 1 - start);
    if (amount < upTo) high = middle;
    else low = middle + 1;
  }
  return level.tokens[low] as number;
}

function searchCumulative(cumulative: Float64Array, amount: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (amount < (cumulative[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** One token's probability, without looking at any other. */
export function probabilityOf(base: Base, distribution: Distribution, id: number): number {
  let sum = (base.probability[id] as number) * distribution.baseWeight;
  for (const layer of distribution.layers) {
    const { level, start, end } = layer.followers;
    let low = start;
    let high = end - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const there = level.tokens[middle] as number;
      if (there === id) {
        sum += addedByNode(layer, middle);
        break;
      }
      if (there < id) low = middle + 1;
      else high = middle - 1;
    }
  }
  return sum;
}

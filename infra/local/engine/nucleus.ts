// The tokens that min_p, top_k and top_p leave, with their running weights to draw from.
import type { SamplingParams } from "./sampling-params.ts";
import type { Weights } from "./weights.ts";

const FIRST_TRY = 64;

export interface Nucleus {
  /** Best first. */
  readonly ids: readonly number[];
  readonly cumulative: readonly number[];
}

export function isFiltered({ topK, topP, minP }: SamplingParams): boolean {
  return topK > 0 || topP < 1 || minP > 0;
}

/** `total` is asked for the weight of all tokens only if top_p alone decides. */
export function nucleusOf(weights: Weights, params: SamplingParams, total: () => number): Nucleus {
  const kept = keptIds(weights, params);
  if (kept !== undefined) {
    const all = kept.reduce((sum, id) => sum + weights.ofToken(id), 0);
    return upTo(kept, weights, all * params.topP);
  }
  // Tries a few first: sorting all followers of a common word is dear.
  const enough = total() * params.topP;
  const few = upTo(weights.scores.best(FIRST_TRY), weights, enough);
  const reached = (few.cumulative.at(-1) ?? 0) >= enough;
  return reached ? few : upTo(weights.scores.ranked(), weights, enough);
}

/** What min_p and top_k leave; undefined if neither is on. */
function keptIds(weights: Weights, { topK, minP }: SamplingParams): number[] | undefined {
  const { scores } = weights;
  if (topK > 0) return scores.best(topK).filter((id) => weights.ofToken(id) >= minP);
  if (minP > 0) return scores.best(scores.countAtLeast(weights.scoreWithWeight(minP)));
  return undefined;
}

/** The fewest best tokens that weigh at least `enough`. */
function upTo(ranked: Iterable<number>, weights: Weights, enough: number): Nucleus {
  const ids: number[] = [];
  const cumulative: number[] = [];
  let weight = 0;
  for (const id of ranked) {
    weight += weights.ofToken(id);
    ids.push(id);
    cumulative.push(weight);
    if (weight >= enough) break;
  }
  return { ids, cumulative };
}

export function drawFromNucleus({ ids, cumulative }: Nucleus, uniform: number): number {
  const amount = uniform * (cumulative.at(-1) ?? 0);
  let low = 0;
  let high = ids.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (amount < (cumulative[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return ids[low] ?? 0;
}

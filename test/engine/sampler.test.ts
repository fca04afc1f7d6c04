// The sampler against a slow one that looks at every token.
import { beforeAll, describe, expect, test } from "vitest";
import { LanguageModel, probabilityOf } from "../../infra/local/engine/distribution.ts";
import { loadOrTrain } from "../../infra/local/engine/model-file.ts";
import type { Random } from "../../infra/local/engine/random.ts";
import { Sampler } from "../../infra/local/engine/sampler.ts";
import type { SamplingParams } from "../../infra/local/engine/sampling-params.ts";
import { tokenize, VOCABULARY_SIZE } from "../../infra/local/engine/tokenizer.ts";
import { DATA_FOLDER } from "./calling.ts";

let model: LanguageModel;
beforeAll(() => {
  model = new LanguageModel(loadOrTrain(DATA_FOLDER, () => undefined));
});

const neutral: SamplingParams = {
  n: 1,
  maxTokens: 16,
  minTokens: 0,
  seed: 1,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  presencePenalty: 0,
  frequencyPenalty: 0,
  repetitionPenalty: 1,
  stop: [],
  stopTokenIds: new Set(),
  includeStop: false,
  ignoreEos: false,
  skipSpecialTokens: true,
  logitBias: new Map(),
  allowedTokenIds: undefined,
  badWordIds: [],
  endingIds: [50_256],
};

const past = { prompt: tokenize("It was the best of the"), output: tokenize(" whale of the") };
const context = past.output.slice(-3);

/** Every token's probability of being sampled, straight from vLLM's order of operations. */
function slowly(params: SamplingParams): Float64Array {
  const distribution = model.after(context);
  const logits = Float64Array.from({ length: VOCABULARY_SIZE }, (_, id) =>
    Math.log(probabilityOf(model.base, distribution, id)),
  );
  const at = (id: number) => logits[id] as number;
  const allowed = params.allowedTokenIds;
  if (allowed !== undefined) {
    for (let id = 0; id < VOCABULARY_SIZE; id++) {
      if (!allowed.includes(id)) logits[id] = Number.NEGATIVE_INFINITY;
    }
  }
  for (const [id, bias] of params.logitBias) logits[id] = at(id) + bias;
  for (const id of new Set([...past.prompt, ...past.output])) {
    logits[id] = at(id) * (at(id) > 0 ? 1 / params.repetitionPenalty : params.repetitionPenalty);
  }
  for (const id of past.output) logits[id] = at(id) - params.frequencyPenalty;
  for (const id of new Set(past.output)) logits[id] = at(id) - params.presencePenalty;
  const top = logits.reduce((a, b) => Math.max(a, b));
  const weights = logits.map((logit) => Math.exp((logit - top) / params.temperature));
  return normalized(filtered(weights, params));
}

function filtered(weights: Float64Array, { topK, topP, minP }: SamplingParams): Float64Array {
  const ranked = Array.from(weights.keys()).sort(
    (a, b) => (weights[b] as number) - (weights[a] as number) || a - b,
  );
  let kept = ranked.filter((id) => (weights[id] as number) >= minP);
  if (topK > 0) kept = kept.slice(0, topK);
  const total = kept.reduce((sum, id) => sum + (weights[id] as number), 0);
  let sum = 0;
  const nucleus = kept.filter((id) => {
    const within = sum < topP * total;
    sum += weights[id] as number;
    return within;
  });
  const result = new Float64Array(VOCABULARY_SIZE);
  for (const id of nucleus) result[id] = weights[id] as number;
  return result;
}

function normalized(weights: Float64Array): Float64Array {
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / total);
}

describe.each<[string, Partial<SamplingParams>]>([
  ["as it is", {}],
  ["a low temperature", { temperature: 0.6 }],
  ["a high temperature", { temperature: 1.5 }],
  ["top_p", { topP: 0.7 }],
  ["top_p close to 1", { topP: 0.97, temperature: 0.8 }],
  ["top_k", { topK: 7 }],
  ["top_k and top_p", { topK: 40, topP: 0.5, temperature: 1.2 }],
  ["min_p", { minP: 0.05 }],
  ["min_p with a temperature", { minP: 0.1, temperature: 0.7 }],
  ["penalties", { repetitionPenalty: 1.4, frequencyPenalty: 0.8, presencePenalty: -0.5 }],
  [
    "a bias",
    {
      logitBias: new Map([
        [31_337, 12],
        [262, -50],
      ]),
      temperature: 0.9,
    },
  ],
  ["allowed tokens", { allowedTokenIds: [13, 11, 262, 31_337] }],
])("sampling with %s", (_name, changed) => {
  test("covers the unit interval by each token's true probability", () => {
    const params = { ...neutral, ...changed };
    const expected = slowly(params);
    const sampler = new Sampler(model);
    const points = 3_000;
    const seen = new Float64Array(VOCABULARY_SIZE);
    for (let i = 0; i < points; i++) {
      // Evenly spaced numbers instead of random ones: a token's share is then exact to a point.
      const even = { next: () => (i + 0.5) / points } as Random;
      const id = sampler.choose(model.after(context), params, past, even);
      seen[id] = (seen[id] as number) + 1;
    }
    let distance = 0;
    for (let id = 0; id < VOCABULARY_SIZE; id++) {
      const share = (seen[id] as number) / points;
      // A layered draw can reach a token in several pieces, each exact to one point.
      if (share > 0 || (expected[id] as number) > 5 / points) {
        expect(Math.abs(share - (expected[id] as number))).toBeLessThan(6 / points);
      }
      if (share > 0 && expected[id] === 0) distance++;
    }
    expect(distance).toBe(0);
  });
});

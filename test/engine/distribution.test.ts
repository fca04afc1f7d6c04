import { beforeAll, describe, expect, test } from "vitest";
import { drawFrom, LanguageModel, probabilityOf } from "../../infra/local/engine/distribution.ts";
import { loadOrTrain } from "../../infra/local/engine/model-file.ts";
import { Random } from "../../infra/local/engine/random.ts";
import { Scores } from "../../infra/local/engine/scores.ts";
import { tokenize, VOCABULARY_SIZE } from "../../infra/local/engine/tokenizer.ts";
import { Weights } from "../../infra/local/engine/weights.ts";
import { DATA_FOLDER } from "./calling.ts";

let model: LanguageModel;

beforeAll(() => {
  model = new LanguageModel(loadOrTrain(DATA_FOLDER, () => undefined));
});

const contexts = {
  none: [],
  "the end of a text": [50_256],
  "one common word": tokenize(" the"),
  "a known phrase": tokenize("Call me Ishmael. Some"),
  "a known pair after an unknown word": tokenize(" zebra of the"),
  "what was never written": tokenize("☃☃☃"),
};

describe.each(Object.entries(contexts))("after %s", (_name, context) => {
  test("the probabilities of all 50,257 tokens are above zero and sum to 1", () => {
    const distribution = model.after(context);
    const scores = new Scores(model.base).fill(distribution);
    let sum = 0;
    for (let id = 0; id < VOCABULARY_SIZE; id++) {
      const probability = scores.score(id);
      expect(probability).toBeGreaterThan(0);
      sum += probability;
    }
    expect(sum).toBeCloseTo(1, 10);
  });

  test("one token's probability is the same alone and among all", () => {
    const distribution = model.after(context);
    const scores = new Scores(model.base).fill(distribution);
    for (const id of [0, 11, 13, 262, 1000, 31_337, 50_256, ...scores.best(50)]) {
      expect(probabilityOf(model.base, distribution, id)).toBeCloseTo(scores.score(id), 12);
    }
  });

  test("the best tokens come in falling order and the whole vocabulary has each once", () => {
    const scores = new Scores(model.base).fill(model.after(context));
    const all = scores.best(VOCABULARY_SIZE);
    expect(new Set(all).size).toBe(VOCABULARY_SIZE);
    expect(all.slice(0, 20)).toEqual(scores.best(20));
    expect(all.slice(0, 200)).toEqual(scores.best(200));
    const values = all.map((id) => scores.score(id));
    expect(values).toEqual([...values].sort((a, b) => b - a));
  });

  test("a token's rank counts the tokens at least as likely", () => {
    const scores = new Scores(model.base).fill(model.after(context));
    for (const id of [262, 13, 31_337]) {
      let atLeast = 0;
      for (let other = 0; other < VOCABULARY_SIZE; other++) {
        if (scores.score(other) >= scores.score(id)) atLeast++;
      }
      expect(scores.countAtLeast(scores.score(id))).toBe(atLeast);
    }
  });

  test.each([0.3, 1, 1.7])("the total weight at temperature %d is that of every token", (heat) => {
    const scores = new Scores(model.base).fill(model.after(context));
    let base = 0;
    for (const log of model.base.logProbability) base += Math.exp(log / heat);
    const weights = new Weights(scores, heat);
    let total = 0;
    for (let id = 0; id < VOCABULARY_SIZE; id++) total += weights.ofToken(id);
    expect(weights.total(base) / total).toBeCloseTo(1, 9);
  });

  test("tokens are drawn as often as their probability says", () => {
    const distribution = model.after(context);
    const scores = new Scores(model.base).fill(distribution);
    const random = new Random(42);
    const draws = 20_000;
    const seen = new Map<number, number>();
    for (let i = 0; i < draws; i++) {
      const id = drawFrom(model.base, distribution, random.next());
      seen.set(id, (seen.get(id) ?? 0) + 1);
    }
    for (const id of scores.best(5)) {
      const expected = scores.score(id) * draws;
      const deviations = ((seen.get(id) ?? 0) - expected) / Math.sqrt(expected + 1);
      expect(Math.abs(deviations)).toBeLessThan(5);
    }
  });
});

// What scores weigh at a temperature, relative to the best token, whose weight is 1. Works on
// probabilities as they are, so that the common case takes no logarithm of thousands of followers.
import type { Scores } from "./scores.ts";

export class Weights {
  readonly scores: Scores;
  readonly temperature: number;
  readonly #top: number;
  readonly #exponent: number;

  constructor(scores: Scores, temperature: number) {
    this.scores = scores;
    this.temperature = temperature;
    this.#exponent = 1 / temperature;
    this.#top = scores.score(scores.best(1)[0] ?? 0);
  }

  of(score: number): number {
    if (this.scores.logarithms) return Math.exp((score - this.#top) * this.#exponent);
    const relative = score / this.#top;
    return this.temperature === 1 ? relative : relative ** this.#exponent;
  }

  ofToken(id: number): number {
    return this.of(this.scores.score(id));
  }

  /** The inverse of `of`. */
  scoreWithWeight(weight: number): number {
    if (this.scores.logarithms) return this.#top + Math.log(weight) * this.temperature;
    return this.#top * weight ** this.temperature;
  }

  /**
   * The weight of all tokens: those that stand out one by one, the others as the base's total at
   * this temperature without them. Tail and base differ by one factor, at any temperature.
   */
  total(baseTotal: number): number {
    const { scores } = this;
    let standing = 0;
    let others = baseTotal;
    for (let i = 0; i < scores.count; i++) {
      const id = scores.ids[i] as number;
      standing += this.ofToken(id);
      others -= Math.exp((scores.base.logProbability[id] as number) * this.#exponent);
    }
    return standing + this.of(scores.tail) * Math.max(others, 0);
  }
}

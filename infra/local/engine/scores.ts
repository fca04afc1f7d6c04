// A distribution laid out for ranking and for changing: the scores of the tokens that stand out
// (those that followed the context, or that a parameter touches), and one factor on the base
// distribution for all others. One object serves every sequence, a step at a time.
import { addedByNode, type Base, type Distribution } from "./distribution.ts";
import { sortByScore } from "./sort-by-score.ts";
import { VOCABULARY_SIZE } from "./tokenizer.ts";

/** Up to this many, the best are kept by insertion while scanning; above, the scores are sorted. */
const INSERTION_LIMIT = 64;

export class Scores {
  readonly base: Base;
  /** Ids of the tokens that stand out; the first `count` are valid. */
  readonly ids = new Uint16Array(VOCABULARY_SIZE);
  count = 0;
  /** What the base is multiplied with, or in logarithms, what is added to it. */
  tail = 1;
  readonly #values = new Float64Array(VOCABULARY_SIZE);
  readonly #stamps = new Uint32Array(VOCABULARY_SIZE);
  #stamp = 0;
  /** Whether scores are logits; else they are probabilities. */
  logarithms = false;

  constructor(base: Base) {
    this.base = base;
  }

  /** Loads a distribution, as probabilities. */
  fill(distribution: Distribution): this {
    this.#clear();
    this.logarithms = false;
    this.tail = distribution.baseWeight;
    for (const layer of distribution.layers) {
      const { level, start, end } = layer.followers;
      for (let node = start; node < end; node++) {
        const id = level.tokens[node] as number;
        this.touch(id);
        this.#values[id] = (this.#values[id] as number) + addedByNode(layer, node);
      }
    }
    return this;
  }

  #clear(): void {
    this.count = 0;
    this.#stamp = (this.#stamp + 1) >>> 0;
    if (this.#stamp === 0) {
      this.#stamps.fill(0);
      this.#stamp = 1;
    }
  }

  /** From here on scores are log-probabilities, up to a constant: logits. */
  toLogarithms(): void {
    if (this.logarithms) return;
    for (let i = 0; i < this.count; i++) {
      const id = this.ids[i] as number;
      this.#values[id] = Math.log(this.#values[id] as number);
    }
    this.tail = Math.log(this.tail);
    this.logarithms = true;
  }

  isTouched(id: number): boolean {
    return this.#stamps[id] === this.#stamp;
  }

  score(id: number): number {
    return this.isTouched(id) ? (this.#values[id] as number) : this.#tailScore(id);
  }

  #tailScore(id: number): number {
    return this.logarithms
      ? this.tail + (this.base.logProbability[id] as number)
      : this.tail * (this.base.probability[id] as number);
  }

  /** Makes a token stand out, with the score it has. */
  touch(id: number): void {
    if (this.#stamps[id] === this.#stamp) return;
    this.#values[id] = this.#tailScore(id);
    this.#stamps[id] = this.#stamp;
    this.ids[this.count++] = id;
  }

  set(id: number, value: number): void {
    this.touch(id);
    this.#values[id] = value;
  }

  /** Leaves only these tokens possible. Scores must be logarithms. */
  restrictTo(allowed: Iterable<number>): void {
    const kept = Array.from(new Set(allowed), (id) => [id, this.score(id)] as const);
    this.#clear();
    this.tail = Number.NEGATIVE_INFINITY;
    for (const [id, value] of kept) this.set(id, value);
  }

  /** Tokens with at least this score: a token's rank, as vLLM counts it. */
  countAtLeast(value: number): number {
    let low = 0;
    let high = VOCABULARY_SIZE;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#tailScore(this.base.order[middle] as number) >= value) low = middle + 1;
      else high = middle;
    }
    let found = low;
    for (let i = 0; i < this.count; i++) {
      const id = this.ids[i] as number;
      if ((this.#values[id] as number) >= value) found++;
      if (this.#tailScore(id) >= value) found--;
    }
    return found;
  }

  /** The `limit` best tokens, best first, equal ones by id. Impossible tokens are left out. */
  best(limit: number): number[] {
    const standing = limit <= INSERTION_LIMIT ? this.#bestByInsertion(limit) : this.#sorted();
    const merged: number[] = [];
    for (const id of this.#merge(standing)) {
      if (merged.length >= limit) break;
      merged.push(id);
    }
    return merged;
  }

  /** All tokens, best first, as far as the reader takes them. */
  ranked(): Iterable<number> {
    return this.#merge(this.#sorted());
  }

  *#merge(standing: ArrayLike<number>): Generator<number> {
    const { order } = this.base;
    const hasTail = this.tail > (this.logarithms ? Number.NEGATIVE_INFINITY : 0);
    let next = 0;
    let position = hasTail ? 0 : VOCABULARY_SIZE;
    for (;;) {
      while (position < VOCABULARY_SIZE && this.isTouched(order[position] as number)) position++;
      const standsOut = standing[next];
      const fromTail = order[position];
      if (
        standsOut !== undefined &&
        (fromTail === undefined || this.#before(standsOut, fromTail))
      ) {
        next++;
        yield standsOut;
      } else if (fromTail !== undefined) {
        position++;
        yield fromTail;
      } else return;
    }
  }

  #before(a: number, b: number): boolean {
    const difference = this.score(a) - this.score(b);
    return difference > 0 || (difference === 0 && a < b);
  }

  #bestByInsertion(limit: number): number[] {
    const values = this.#values;
    const best: number[] = [];
    // What a token must reach to be looked at again: nearly all fall to this one comparison.
    let least = this.logarithms ? -Number.MAX_VALUE : Number.MIN_VALUE;
    for (let i = 0; i < this.count; i++) {
      const id = this.ids[i] as number;
      const value = values[id] as number;
      if (value < least) continue;
      let place = best.length;
      while (place > 0) {
        const other = best[place - 1] as number;
        const there = values[other] as number;
        if (there > value || (there === value && other < id)) break;
        place--;
      }
      if (place === limit) continue;
      best.splice(place, 0, id);
      if (best.length > limit) best.pop();
      if (best.length === limit) least = values[best[limit - 1] as number] as number;
    }
    return best;
  }

  #sorted(): Uint16Array {
    const possible = this.ids
      .subarray(0, this.count)
      .filter((id) => this.#values[id] !== Number.NEGATIVE_INFINITY);
    return sortByScore(possible, this.#values);
  }
}

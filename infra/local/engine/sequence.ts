// One choice being written: its own random generator, text and end. Logprobs are not computed here;
// the distribution of each step is kept, it is small, and rows are written from it when they leave.
import { Detokenizer } from "./detokenizer.ts";
import type { Distribution } from "./distribution.ts";
import type { Random } from "./random.ts";
import type { SamplingParams } from "./sampling-params.ts";
import { END_OF_TEXT } from "./tokenizer.ts";

export type FinishReason = "stop" | "length" | "abort";

/** What chooses tokens: the learned model, or the fixed answer of `--fast`. */
export interface TokenSource {
  /** The true distribution after the last tokens of a context. */
  after(context: readonly number[]): Distribution;
  choose(
    distribution: Distribution,
    params: SamplingParams,
    past: { prompt: readonly number[]; output: readonly number[] },
    random: Random,
  ): number;
}

export interface SequenceStart {
  readonly source: TokenSource;
  readonly params: SamplingParams;
  readonly prompt: readonly number[];
  readonly maxModelLen: number;
  readonly random: Random;
  /** Keep each step's distribution, for logprobs. */
  readonly keepDistributions: boolean;
  /** The choice's index in the answer. */
  readonly index: number;
}

export class Sequence {
  readonly index: number;
  readonly prompt: readonly number[];
  readonly output: number[] = [];
  readonly distributions: Distribution[] = [];
  finishReason: FinishReason | null = null;
  /** The stop string or stop token that ended it; null for the end-of-text token. */
  stopReason: number | string | null = null;
  readonly #start: SequenceStart;
  readonly #detokenizer: Detokenizer;

  constructor(start: SequenceStart) {
    this.#start = start;
    this.index = start.index;
    this.prompt = start.prompt;
    this.#detokenizer = new Detokenizer(start.prompt, start.params);
  }

  get text(): string {
    return this.#detokenizer.text;
  }

  /** Writes one token. */
  step(): void {
    const { source, params, random } = this.#start;
    const distribution = source.after(this.#context());
    const id = source.choose(distribution, params, this, random);
    if (this.#start.keepDistributions) this.distributions.push(distribution);
    this.output.push(id);
    this.#checkEnd(id);
    // A token that ends the text is counted, but its text is not part of the answer.
    const silent = this.finishReason === "stop" && !params.includeStop;
    if (silent) return;
    const stop = this.#detokenizer.add(id, this.output.length);
    if (stop === undefined) return;
    this.finishReason = "stop";
    this.stopReason = stop;
  }

  #context(): readonly number[] {
    const { output, prompt } = this;
    if (output.length >= 3) return output.slice(-3);
    return [...prompt.slice(-3), ...output].slice(-3);
  }

  #checkEnd(id: number): void {
    const { params, maxModelLen } = this.#start;
    const length = this.output.length;
    if (length >= params.minTokens) {
      if (id === END_OF_TEXT && !params.ignoreEos) {
        this.finishReason = "stop";
        return;
      }
      if (params.stopTokenIds.has(id)) {
        this.finishReason = "stop";
        this.stopReason = id;
        return;
      }
    }
    if (length >= params.maxTokens || this.prompt.length + length >= maxModelLen) {
      this.finishReason = "length";
    }
  }

  abort(): void {
    this.finishReason ??= "abort";
  }

  /** Text that has become certain since the last call. */
  takeDelta(): string {
    return this.#detokenizer.takeDelta(this.finishReason !== null);
  }
}

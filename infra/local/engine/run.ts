// One completion request at work: its prompts and sequences, stepped together as a batch engine
// steps them, from arrival to the last token or to the client's leaving.
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "./engine.ts";
import { Random } from "./random.ts";
import type { CompletionRequest } from "./request.ts";
import type { SamplingParams } from "./sampling-params.ts";
import type { Place } from "./scheduler.ts";
import { Sequence } from "./sequence.ts";

/** Longest stretch of work before other requests get a turn. */
const TURN_MS = 3;

export class Run {
  readonly sequences: readonly Sequence[];
  /** The request's prompts as ids. */
  readonly prompts: readonly number[][];
  readonly #engine: Engine;
  readonly #priority: number;
  readonly #places = new Map<Sequence, Place>();
  #active: Sequence[] = [];
  #unfinished: number;
  #wake: (() => void) | undefined;
  #turnBegan = performance.now();

  constructor(
    engine: Engine,
    request: CompletionRequest,
    params: SamplingParams,
    prompts: readonly number[][],
  ) {
    this.#engine = engine;
    this.#priority = request.priority;
    this.prompts = prompts;
    this.sequences = prompts.flatMap((prompt, promptIndex) =>
      Array.from({ length: params.n }, (_, sample) => {
        const index = promptIndex * params.n + sample;
        return new Sequence({
          source: engine.source,
          params,
          prompt,
          maxModelLen: engine.entry.max_model_len,
          // Every prompt of a list has the request's own seed, every sample the next one.
          random: params.seed === undefined ? engine.unseeded : new Random(params.seed + sample),
          keepDistributions: request.logprobs !== undefined,
          index,
        });
      }),
    );
    this.#unfinished = this.sequences.length;
    engine.metrics.promptTokens += this.promptTokens;
    for (const sequence of this.sequences) this.#enter(sequence);
  }

  #enter(sequence: Sequence): void {
    const place = this.#engine.scheduler.enter(this.#priority, () => {
      this.#active.push(sequence);
      this.#wake?.();
    });
    this.#places.set(sequence, place);
  }

  get promptTokens(): number {
    return this.prompts.reduce((sum, prompt) => sum + prompt.length, 0);
  }

  get completionTokens(): number {
    return this.sequences.reduce((sum, sequence) => sum + sequence.output.length, 0);
  }

  get finished(): boolean {
    return this.#unfinished === 0;
  }

  /** One token for every sequence that has a place; returns those sequences. */
  step(): readonly Sequence[] {
    const stepped = this.#active;
    for (const sequence of stepped) {
      sequence.step();
      if (sequence.finishReason !== null) this.#finish(sequence);
    }
    this.#engine.metrics.generationTokens += stepped.length;
    this.#active = this.#active.filter((sequence) => sequence.finishReason === null);
    return stepped;
  }

  #finish(sequence: Sequence): void {
    const place = this.#places.get(sequence);
    if (place === undefined) return;
    this.#places.delete(sequence);
    this.#unfinished--;
    this.#engine.metrics.finished[sequence.finishReason ?? "abort"]++;
    place.leave();
  }

  /**
   * Waits for the next step: for a place, for the token delay, or for the other requests' turn.
   * A stream gives that turn after every step, so that each token leaves when it is written.
   */
  async untilNextStep(turnEveryStep = false): Promise<void> {
    if (this.#active.length === 0 && !this.finished) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    } else if (this.#engine.tokenDelayMs > 0) {
      await sleep(this.#engine.tokenDelayMs);
    } else if (turnEveryStep || performance.now() - this.#turnBegan > TURN_MS) {
      await this.#engine.turns.next(this.#priority);
    } else {
      return;
    }
    this.#turnBegan = performance.now();
  }

  /** Ends every sequence now: the client left, or a fault says so. */
  abort(): void {
    for (const sequence of this.sequences) {
      sequence.abort();
      this.#finish(sequence);
    }
    this.#active = [];
    this.#wake?.();
  }
}

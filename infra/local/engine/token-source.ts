// The two ways to choose tokens.
import type { Distribution, LanguageModel } from "./distribution.ts";
import type { Random } from "./random.ts";
import { Sampler } from "./sampler.ts";
import type { SamplingParams } from "./sampling-params.ts";
import type { TokenSource } from "./sequence.ts";
import { tokenize } from "./tokenizer.ts";

export function learnedSource(model: LanguageModel): TokenSource {
  const sampler = new Sampler(model);
  return {
    after: (context) => model.after(context),
    choose: (distribution, params, past, random) =>
      sampler.choose(distribution, params, past, random),
  };
}

/** The same sentence over and over, one distribution for every context: for load, not for meaning. */
export function fixedSource(): TokenSource {
  const sentence = tokenize(" The quick brown fox jumps over the lazy dog.");
  const always: Distribution = { layers: [], baseWeight: 1 };
  return {
    after: () => always,
    choose: (
      _distribution: Distribution,
      _params: SamplingParams,
      past: { output: readonly number[] },
      _random: Random,
    ) => sentence[past.output.length % sentence.length] as number,
  };
}

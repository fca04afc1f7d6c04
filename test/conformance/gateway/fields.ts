// Each field of the contract, one at a time, answered as the engine answers it.
import type { Case } from "../case.ts";
import type { Body } from "../target.ts";
import { ISHMAEL } from "../url/prompts.ts";
import { checkBothForms, checkSame, type Pair } from "./same-answer.ts";

const always: Body = { prompt: `${ISHMAEL} the the`, max_tokens: 12, logprobs: 1 };

const fieldBodies = (eosId: number): Readonly<Record<string, Body>> => ({
  "temperature 0": { temperature: 0 },
  "temperature 0.01": { temperature: 0.01 },
  "temperature 2": { temperature: 2 },
  top_p: { top_p: 0.4 },
  "top_k 5": { top_k: 5 },
  "top_k -1": { top_k: -1 },
  min_p: { min_p: 0.2 },
  presence_penalty: { presence_penalty: -1.5 },
  frequency_penalty: { frequency_penalty: 2 },
  repetition_penalty: { repetition_penalty: 1.7 },
  "max_tokens 5.0": { max_tokens: 5.0 },
  "one stop string": { stop: "e" },
  "four stop strings": { stop: ["zzz", "whale", " a", "\n"] },
  include_stop_str_in_output: { stop: ["e"], include_stop_str_in_output: true },
  stop_token_ids: { stop_token_ids: [11, 13, 262] },
  "end of text": { logit_bias: { [eosId]: 12 } },
  ignore_eos: { logit_bias: { [eosId]: 12 }, ignore_eos: true },
  min_tokens: { logit_bias: { [eosId]: 100 }, min_tokens: 7 },
  "special tokens shown": {
    logit_bias: { [eosId]: 12 },
    ignore_eos: true,
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
  },
  "special tokens spaced": {
    logit_bias: { [eosId]: 12 },
    ignore_eos: true,
    skip_special_tokens: false,
    spaces_between_special_tokens: true,
  },
  "add_special_tokens false": { add_special_tokens: false, echo: true },
  "add_special_tokens true": { add_special_tokens: true, echo: true },
  return_token_ids: { return_token_ids: true },
  "return_token_ids and echo": { return_token_ids: true, echo: true },
  return_tokens_as_token_ids: { return_tokens_as_token_ids: true },
  "seed 0": { seed: 0 },
  "seed 2^53-1": { seed: 2 ** 53 - 1 },
  "logprobs 100": { logprobs: 100 },
  logprob_token_ids: { logprobs: 0, logprob_token_ids: [11, 13, 262, eosId] },
  logit_bias: { logit_bias: { 11: -100, 13: 5.5, 262: 3 } },
  allowed_token_ids: { allowed_token_ids: [11, 13, 262, 290] },
  bad_words: { bad_words: ["the", "a", "."] },
  user: { user: "someone" },
  nulls: { top_p: null, stop: null, suffix: null, best_of: null, n: null, user: null },
});

export const fieldCases = (pair: Pair): Case[] => [
  {
    name: "every field reaches the engine as it was written",
    compares: "choices and usage of each field alone, plain and streamed",
    quick: true,
    async run(check) {
      const bodies = Object.entries(fieldBodies(pair.engine.eosId));
      await Promise.all(
        bodies.map(([at, body]) =>
          checkBothForms(check, pair, { seed: 77, ...always, ...body }, at),
        ),
      );
    },
  },
  {
    name: "large answers are the engine's too",
    compares: "1,000 tokens; 128 prompts; n 128; a prompt near the context",
    quick: false,
    async run(check) {
      const { maxModelLen } = pair.gateway;
      const seed = 78;
      const largest = Math.min(1000, maxModelLen - 100);
      const long = "whale ".repeat(Math.floor(maxModelLen * 0.9));
      await checkBothForms(check, pair, { ...always, max_tokens: largest, seed }, "long");
      const many = Array.from({ length: 128 }, (_, index) => `${ISHMAEL} ${index}`);
      const short = { max_tokens: 3, logprobs: 1, seed };
      await checkBothForms(check, pair, { ...short, prompt: many, n: 2 }, "128 prompts × 2");
      await checkBothForms(check, pair, { ...short, prompt: ISHMAEL, n: 128 }, "n 128");
      const scored = { ...short, prompt: long, echo: true };
      await checkBothForms(check, pair, scored, "long prompt");
      await checkSame(check, pair, { ...scored, prompt_logprobs: 5 }, "long prompt, scored");
    },
  },
  {
    name: "whole vocabularies arrive byte for byte",
    compares: "choices of prompt_logprobs -1 and logprobs -1",
    quick: false,
    async run(check) {
      const body = { seed: 79, prompt: "🎉 The whale", max_tokens: 2, ignore_eos: true };
      const asIds = { return_tokens_as_token_ids: true };
      await checkSame(check, pair, { ...body, prompt_logprobs: -1 }, "prompt_logprobs -1");
      await checkSame(check, pair, { ...body, ...asIds, logprobs: -1 }, "logprobs -1");
      const both = { ...body, ...asIds, logprobs: -1, prompt_logprobs: -1, echo: true };
      await checkSame(check, pair, both, "both, with echo");
      const echoed = { ...body, ...asIds, logprobs: -1, echo: true, max_tokens: 0 };
      await checkSame(check, pair, echoed, "logprobs -1 of an echoed prompt");
    },
  },
];

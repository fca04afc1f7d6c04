// The outside of an answer: keys, counts, the order of choices.

import type { Case } from "../case.ts";
import { membersOf } from "../json-members.ts";
import type { Target } from "../target.ts";
import { caller, ISHMAEL } from "./prompts.ts";

/** vLLM's order; versions differ in which of them they have, not in how they stand. */
const ANSWER_KEYS = [
  "id",
  "object",
  "created",
  "model",
  "choices",
  "service_tier",
  "system_fingerprint",
  "usage",
];
const NEEDED_ANSWER_KEYS = ["id", "object", "created", "model", "choices", "usage"];
const CHOICE_KEYS = [
  "index",
  "text",
  "logprobs",
  "finish_reason",
  "stop_reason",
  "token_ids",
  "prompt_logprobs",
  "prompt_token_ids",
];
const NEEDED_CHOICE_KEYS = ["index", "text", "logprobs", "finish_reason", "stop_reason"];

export const shapeCases = (target: Target): Case[] => [
  {
    name: "an answer has vLLM's keys in vLLM's order",
    compares: "keys of the answer and of a choice",
    quick: true,
    async run(check) {
      const { members } = await target.complete({ prompt: ISHMAEL, max_tokens: 2, seed: 1 });
      const keys = [...members.keys()];
      const known = keys.filter((key) => ANSWER_KEYS.includes(key));
      check.same(
        known,
        ANSWER_KEYS.filter((key) => keys.includes(key)),
        "order of the answer",
      );
      for (const key of NEEDED_ANSWER_KEYS) check.holds(members.has(key), key, "is missing");
      check.same(members.get("object")?.toString(), '"text_completion"', "object");
      check.same(members.get("model")?.toString(), JSON.stringify(target.model), "model");
      check.holds(/^\d+$/.test(String(members.get("created"))), "created", "is no whole number");
      const choices = members.get("choices") ?? Buffer.alloc(0);
      const ofChoice = [...membersOf(choices.subarray(1, -1)).keys()];
      const knownOfChoice = ofChoice.filter((key) => CHOICE_KEYS.includes(key));
      const expected = CHOICE_KEYS.filter((key) => ofChoice.includes(key));
      check.same(knownOfChoice, expected, "order of a choice");
      for (const key of NEEDED_CHOICE_KEYS) check.holds(ofChoice.includes(key), key, "is missing");
    },
  },
  {
    name: "usage counts each prompt once and sums the tokens of all choices",
    compares: "usage, 2 prompts × n 3 × 4 tokens; echo alone",
    quick: true,
    async run(check) {
      const prompt = [
        [464, 3290, 318],
        [32, 3797],
      ];
      const body = { prompt, n: 3, max_tokens: 4, ignore_eos: true, seed: 5 };
      const { usage } = await target.complete(body);
      check.same(usage.prompt_tokens, 5, "prompt_tokens");
      check.same(usage.completion_tokens, 24, "completion_tokens");
      check.same(usage.total_tokens, 29, "total_tokens");
      const echoed = await target.complete({ prompt, n: 2, max_tokens: 0, echo: true });
      check.same(echoed.usage.prompt_tokens, 5, "prompt_tokens of echo alone");
      check.same(echoed.usage.completion_tokens, 4, "one completion token for each echoed choice");
    },
  },
  {
    name: "choices come in the order prompt × n + j",
    compares: "index and prompt_token_ids of 3 prompts × n 2",
    quick: true,
    async run(check) {
      const prompt = [
        [464, 3290],
        [32, 3797],
        [2061, 318, 340],
      ];
      const body = { prompt, n: 2, max_tokens: 1, return_token_ids: true, seed: 3 };
      const { choices } = await target.complete(body);
      check.same(
        choices.map(({ index }) => index),
        [0, 1, 2, 3, 4, 5],
        "index",
      );
      const ofPrompts = choices.map((choice) => choice.prompt_token_ids);
      check.same(
        ofPrompts,
        prompt.flatMap((ids) => [ids, ids]),
        "prompt_token_ids",
      );
    },
  },
  {
    name: "finish reasons say why a choice ended",
    compares: "finish_reason and stop_reason at a length, the end of text, a stop",
    quick: true,
    async run(check) {
      const ask = caller(target, { prompt: ISHMAEL, seed: 1 });
      const long = await ask({ max_tokens: 3, ignore_eos: true });
      check.same([long.finish_reason, long.stop_reason], ["length", null], "at max_tokens");
      const ended = await ask({ max_tokens: 3, allowed_token_ids: [target.eosId] });
      check.same([ended.finish_reason, ended.stop_reason], ["stop", null], "at the end of text");
      const [id = 0] = await target.tokenize(" whale");
      const stopped = await ask({ max_tokens: 3, allowed_token_ids: [id], stop_token_ids: [id] });
      check.same([stopped.finish_reason, stopped.stop_reason], ["stop", id], "at a stop token");
    },
  },
];

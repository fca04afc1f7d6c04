// Token ids in and out, and the tokenizer's own routes.
import type { Case } from "../case.ts";
import type { Target } from "../target.ts";
import { hostileTexts, ISHMAEL } from "./prompts.ts";

export const tokenCases = (target: Target): Case[] => [
  {
    name: "tokenize and detokenize are each other's inverse",
    compares: "hostile texts there and back",
    quick: true,
    async run(check) {
      for (const [name, text] of Object.entries(hostileTexts)) {
        await check.tries(name, async () => {
          check.same(await target.detokenize(await target.tokenize(text)), text, name);
        });
      }
    },
  },
  {
    name: "return_token_ids gives the prompt's tokens and the sampled ones",
    compares: "prompt_token_ids, token_ids and text with the tokenizer's",
    quick: true,
    async run(check) {
      const body = { prompt: ISHMAEL, max_tokens: 8, seed: 41, ignore_eos: true };
      const choice = await target.one({
        ...body,
        return_token_ids: true,
        skip_special_tokens: false,
      });
      check.same(choice.prompt_token_ids, await target.tokenize(ISHMAEL, true), "prompt_token_ids");
      check.same(choice.token_ids?.length, 8, "token_ids");
      check.same(await target.detokenize(choice.token_ids ?? []), choice.text, "text");
      const without = await target.one(body);
      check.same(without.token_ids ?? null, null, "token_ids that nobody asked for");
    },
  },
  {
    name: "a prompt of ids is the prompt of their text",
    compares: "text and usage of both, for a list too",
    quick: true,
    async run(check) {
      const other = "It was the best";
      const ids = await Promise.all([ISHMAEL, other].map((text) => target.tokenize(text, true)));
      const ask = (prompt: unknown) => target.complete({ prompt, max_tokens: 8, seed: 42 });
      const pairs = [
        [ISHMAEL, ids[0]],
        [[ISHMAEL, other], ids],
      ];
      for (const [text, asIds] of pairs) {
        const [byText, byIds] = await Promise.all([ask(text), ask(asIds)]);
        check.same(byIds.choices, byText.choices, "choices");
        check.same(byIds.usage, byText.usage, "usage");
      }
    },
  },
  {
    name: "return_tokens_as_token_ids names each token by its id",
    compares: "tokens and alternatives with token_ids",
    quick: true,
    async run(check) {
      const choice = await target.one({
        prompt: ISHMAEL,
        max_tokens: 8,
        seed: 43,
        logprobs: 2,
        return_token_ids: true,
        return_tokens_as_token_ids: true,
      });
      const names = (choice.token_ids ?? []).map((id) => `token_id:${id}`);
      check.same(choice.logprobs?.tokens, names, "tokens");
      const keys = (choice.logprobs?.top_logprobs ?? []).flatMap((top) => Object.keys(top ?? {}));
      check.holds(
        keys.every((key) => /^token_id:\d+$/.test(key)),
        "alternatives",
        "not by id",
      );
    },
  },
];

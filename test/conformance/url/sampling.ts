// Seeds, greedy choices, and the fields that say what may be sampled.
import type { Choice } from "../answers.ts";
import type { Case } from "../case.ts";
import type { Target } from "../target.ts";
import { caller, ISHMAEL } from "./prompts.ts";

/** Below it an engine's batches may turn two tokens around. */
const NEAR_TIE = 0.05;

/** Whether two greedy answers agree up to a place where the best two were all but equal. */
function agreeButForTies(one: Choice, other: Choice): boolean {
  const [ours, theirs] = [one.token_ids ?? [], other.token_ids ?? []];
  const at = ours.findIndex((id, index) => theirs[index] !== id);
  if (at < 0) return ours.length === theirs.length;
  const values = Object.values(one.logprobs?.top_logprobs[at] ?? {}).sort((a, b) => b - a);
  return (values[0] ?? 0) - (values[1] ?? Number.NEGATIVE_INFINITY) < NEAR_TIE;
}

export const samplingCases = (target: Target): Case[] => [
  {
    name: "the same seed gives the same answer, others give others",
    compares: "texts of 6 seeds, each twice",
    quick: true,
    async run(check) {
      const ask = caller(target, { prompt: ISHMAEL, max_tokens: 12, ignore_eos: true });
      const texts = new Set<string>();
      for (const seed of [0, 1, 2, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1]) {
        const [first, again] = await Promise.all([ask({ seed }), ask({ seed })]);
        check.same(again.text, first.text, `seed ${seed}`);
        texts.add(first.text);
      }
      check.holds(texts.size > 3, "different seeds", `${texts.size} different texts`);
    },
  },
  {
    name: "greedy takes the likeliest token and repeats",
    compares: "token ids of two answers, but for near ties; the best logprob",
    quick: true,
    async run(check) {
      const ask = caller(target, {
        prompt: ISHMAEL,
        max_tokens: 24,
        temperature: 0,
        logprobs: 2,
        return_token_ids: true,
        return_tokens_as_token_ids: true,
      });
      const first = await ask({ seed: 1 });
      for (const seed of [1, 2, 3]) {
        check.holds(agreeButForTies(first, await ask({ seed })), `again ${seed}`, "differs");
      }
      first.logprobs?.top_logprobs.forEach((top, index) => {
        const best = Math.max(...Object.values(top ?? {}));
        check.same(first.logprobs?.token_logprobs[index], best, `token ${index}`);
      });
    },
  },
  {
    name: "top_k 1 and a tiny top_p are greedy",
    compares: "token ids with those of temperature 0, but for near ties",
    quick: false,
    async run(check) {
      const ask = caller(target, {
        prompt: ISHMAEL,
        max_tokens: 12,
        logprobs: 2,
        return_token_ids: true,
      });
      const greedy = await ask({ temperature: 0 });
      for (const filter of [{ top_k: 1 }, { top_p: 1e-6 }, { min_p: 1 }]) {
        const choice = await ask({ ...filter, seed: 9 });
        check.holds(agreeButForTies(greedy, choice), JSON.stringify(filter), "differs");
      }
    },
  },
  {
    name: "logit_bias, allowed_token_ids and bad_words are obeyed",
    compares: "sampled token ids and text",
    quick: true,
    async run(check) {
      const ask = caller(target, {
        prompt: ISHMAEL,
        max_tokens: 10,
        seed: 8,
        return_token_ids: true,
        ignore_eos: true,
      });
      const [whale = 0] = await target.tokenize(" whale");
      const pushed = await ask({ logit_bias: { [whale]: 100 } });
      check.same(pushed.token_ids, Array(10).fill(whale), "logit_bias 100");
      const [first = 0] = (await ask({ temperature: 0, max_tokens: 1 })).token_ids ?? [];
      const away = await ask({ temperature: 0, logit_bias: { [first]: -100 } });
      check.holds(away.token_ids?.[0] !== first, "logit_bias -100", "the token came");
      const allowed = [whale, first, 11];
      const within = (await ask({ allowed_token_ids: allowed })).token_ids ?? [];
      check.holds(
        within.every((id) => allowed.includes(id)),
        "allowed_token_ids",
        "others came",
      );
      const text = await target.detokenize([first]);
      const without = await ask({ temperature: 0, bad_words: [text.trim()] });
      check.holds(without.token_ids?.[0] !== first, "bad_words", "the word came");
    },
  },
  {
    name: "penalties and temperature change what is sampled",
    compares: "texts of one seed with and without each",
    quick: false,
    async run(check) {
      const ask = caller(target, { prompt: `${ISHMAEL} the the the`, max_tokens: 40, seed: 21 });
      const plain = await ask({});
      for (const change of [
        { temperature: 0.3 },
        { frequency_penalty: 2 },
        { presence_penalty: 2 },
        { repetition_penalty: 3 },
        { top_p: 0.2 },
        { top_k: 3 },
        { min_p: 0.3 },
      ]) {
        const { text } = await ask(change);
        check.holds(text !== plain.text, JSON.stringify(change), "changed nothing");
      }
    },
  },
];

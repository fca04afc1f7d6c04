// Where a choice ends: stop strings, stop tokens, min_tokens, the end of text.
import type { Case } from "../case.ts";
import type { Target } from "../target.ts";
import { caller, ISHMAEL } from "./prompts.ts";

/** A stop string may begin within a token and end within another. */
const CUTS = [
  [1, 3],
  [4, 9],
  [10, 11],
  [12, 30],
] as const;

export const endingCases = (target: Target): Case[] => [
  {
    name: "a stop string ends the text before it, or behind it when asked",
    compares: "text, finish_reason and stop_reason at 4 places, alone and in a list",
    quick: true,
    async run(check) {
      const ask = caller(target, { prompt: ISHMAEL, max_tokens: 24, seed: 31, ignore_eos: true });
      const { text: whole } = await ask({});
      for (const [from, to] of CUTS) {
        const stop = whole.slice(from, to);
        const at = whole.indexOf(stop);
        const [before, behind] = await Promise.all([
          ask({ stop }),
          ask({ stop: ["\u{10ffff}", stop], include_stop_str_in_output: true }),
        ]);
        const where = `${from}..${to}`;
        check.same(before.text, whole.slice(0, at), `text before ${where}`);
        check.same(behind.text, whole.slice(0, at + stop.length), `text with ${where}`);
        for (const choice of [before, behind]) {
          check.same([choice.finish_reason, choice.stop_reason], ["stop", stop], where);
        }
      }
    },
  },
  {
    name: "a stop token ends the text and is counted",
    compares: "text, token_ids, usage, stop_reason",
    quick: true,
    async run(check) {
      const asked = { prompt: ISHMAEL, max_tokens: 12, seed: 32, return_token_ids: true };
      const whole = await target.one({ ...asked, ignore_eos: true });
      const ids = whole.token_ids ?? [];
      const stop = ids[3] ?? 0;
      const at = ids.indexOf(stop);
      const answer = await target.complete({ ...asked, stop_token_ids: [stop], ignore_eos: true });
      const [choice] = answer.choices;
      check.same(choice?.token_ids, ids.slice(0, at + 1), "token_ids");
      check.same(answer.usage.completion_tokens, at + 1, "completion_tokens");
      check.same([choice?.finish_reason, choice?.stop_reason], ["stop", stop], "reasons");
      check.holds(whole.text.startsWith(choice?.text ?? "-"), "text", "is not the text before it");
    },
  },
  {
    name: "min_tokens keeps the end away, ignore_eos goes past it",
    compares: "token counts with the end of text made likely",
    quick: true,
    async run(check) {
      const { eosId } = target;
      const count = async (body: object) => {
        const asked = { prompt: ISHMAEL, max_tokens: 8, seed: 33, return_token_ids: true };
        return (await target.one({ ...asked, logit_bias: { [eosId]: 100 }, ...body })).token_ids;
      };
      check.same(await count({}), [eosId], "the end of text at once");
      const late = await count({ min_tokens: 5 });
      check.same(late?.length, 6, "min_tokens 5, then the end of text");
      check.holds(late?.indexOf(eosId) === 5, "min_tokens 5", "the end of text came before");
      check.same(await count({ ignore_eos: true }), Array(8).fill(eosId), "ignore_eos");
    },
  },
  {
    name: "special tokens are left out of the text unless asked for",
    compares: "text of sampled end-of-text tokens",
    quick: true,
    async run(check) {
      const ask = caller(target, {
        prompt: ISHMAEL,
        max_tokens: 3,
        allowed_token_ids: [target.eosId],
        ignore_eos: true,
      });
      check.same((await ask({})).text, "", "by default");
      const name = await target.detokenize([target.eosId]);
      const shown = (
        await ask({ skip_special_tokens: false, spaces_between_special_tokens: false })
      ).text;
      check.same(shown.replaceAll(name, ""), "", "the text is nothing else");
      check.same(shown.split(name).length, 4, "three of them");
    },
  },
];

// `echo`: the prompt before its completion, and its log-probabilities.
import type { Case } from "../case.ts";
import type { Target } from "../target.ts";
import { caller, hostileTexts, ISHMAEL } from "./prompts.ts";

export const echoCases = (target: Target): Case[] => [
  {
    name: "echo puts the prompt before the text, byte for byte",
    compares: "text with and without echo; hostile prompts with max_tokens 0",
    quick: true,
    async run(check) {
      const ask = caller(target, { prompt: ISHMAEL, max_tokens: 6, seed: 11 });
      const [bare, echoed] = [await ask({}), await ask({ echo: true })];
      check.same(echoed.text, ISHMAEL + bare.text, "text");
      const { choices } = await target.complete({
        prompt: Object.values(hostileTexts),
        max_tokens: 0,
        echo: true,
      });
      Object.entries(hostileTexts).forEach(([name, text], index) => {
        check.same(choices[index]?.text, text, name);
      });
    },
  },
  {
    name: "echo of token ids is their text",
    compares: "text with the detokenized prompt",
    quick: true,
    async run(check) {
      const prompt = await target.tokenize(ISHMAEL);
      const { text } = await target.one({ prompt, max_tokens: 0, echo: true });
      check.same(text, await target.detokenize(prompt), "text");
    },
  },
  {
    name: "echo with logprobs has a row for each token of the prompt too",
    compares: "tokens, text_offset, the first token's null",
    quick: true,
    async run(check) {
      const prompt = await target.tokenize(ISHMAEL);
      const body = { prompt, max_tokens: 4, echo: true, logprobs: 1, seed: 2 };
      const { text, logprobs } = await target.one({
        ...body,
        ignore_eos: true,
        skip_special_tokens: false,
      });
      check.same(logprobs?.tokens.length, prompt.length + 4, "rows");
      check.same(logprobs?.tokens.join(""), text, "tokens together are the text");
      check.same(logprobs?.token_logprobs[0], null, "logprob of the first token");
      check.same(logprobs?.top_logprobs[0], null, "alternatives of the first token");
      let offset = 0;
      logprobs?.tokens.forEach((token, index) => {
        check.same(logprobs.text_offset[index], offset, `text_offset ${index}`);
        offset += [...token].length;
      });
    },
  },
  {
    name: "echoed logprobs and prompt_logprobs say the same",
    compares: "both forms of one answer, token for token",
    quick: true,
    async run(check) {
      const ids = await target.tokenize(ISHMAEL);
      const body = { prompt: ids, max_tokens: 0, echo: true, logprobs: 1, prompt_logprobs: 1 };
      const choice = await target.one(body);
      ids.forEach((id, index) => {
        const echoed = choice.logprobs?.token_logprobs[index];
        const ofPrompt = choice.prompt_logprobs?.[index]?.[String(id)]?.logprob ?? null;
        check.same(echoed, ofPrompt, `token ${index}`);
      });
    },
  },
];

// Text that looks like the answer around it must pass as any other text.
import type { Case, Check } from "../case.ts";
import { hostileTexts } from "../url/prompts.ts";
import { checkBothForms, type Pair } from "./same-answer.ts";

/** Echoed, and then continued with its own tokens only, so that they are sampled and become keys. */
async function checkHostile(check: Check, pair: Pair, text: string, at: string): Promise<void> {
  const allowed_token_ids = [...new Set(await pair.engine.tokenize(text))];
  const body = { prompt: text, max_tokens: 24, seed: 61, ignore_eos: true, allowed_token_ids };
  await Promise.all([
    checkBothForms(check, pair, { ...body, echo: true, logprobs: 5, n: 2 }, `${at}, echoed`),
    checkBothForms(check, pair, { ...body, logprobs: 100, prompt: [text, text] }, `${at}, twice`),
    checkBothForms(check, pair, { ...body, stop: [...text].slice(0, 4) }, `${at}, as stop`),
  ]);
}

export const hostileCases = (pair: Pair): Case[] => [
  {
    name: "hostile text is passed on as it is",
    compares: "choices and usage with it as prompt, as tokens, as keys and as stop",
    quick: true,
    async run(check) {
      const texts = Object.entries(hostileTexts);
      await Promise.all(texts.map(([at, text]) => checkHostile(check, pair, text, at)));
    },
  },
  {
    name: "half a surrogate pair is refused, as the engine does",
    compares: "status with a lone surrogate in a prompt, plain and streamed",
    quick: true,
    async run(check) {
      for (const text of ["\\ud83d", "a\\udc00b"]) {
        for (const stream of [false, true]) {
          const body = `{"model":"${pair.gateway.model}","prompt":"${text}","stream":${stream}}`;
          const { status } = await pair.gateway.raw("/completions", body);
          check.same(status, 400, `${text}, stream ${stream}`);
        }
      }
    },
  },
  {
    name: "the tokenizer routes give what the engine's give",
    compares: "ids, texts of tokens and detokenized text of hostile texts",
    quick: true,
    async run(check) {
      const { gateway, engine } = pair;
      for (const [at, prompt] of Object.entries(hostileTexts)) {
        const asked = { prompt, return_token_strs: true };
        const [ours, theirs] = await Promise.all(
          [gateway, engine].map(async (target) => {
            const { bytes } = await target.raw("/tokenize", asked);
            return JSON.parse(bytes.toString()) as { tokens: number[]; token_strs: string[] };
          }),
        );
        check.same(ours?.tokens, theirs?.tokens, `${at}: tokens`);
        check.same(ours?.token_strs, theirs?.token_strs, `${at}: texts of tokens`);
      }
    },
  },
];

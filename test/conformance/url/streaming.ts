// A stream says what the plain answer says, in pieces.
import { joinChunks } from "../answers.ts";
import type { Case, Check } from "../case.ts";
import type { Body, Target } from "../target.ts";
import { hostileTexts, ISHMAEL } from "./prompts.ts";

const REPLACEMENT = "\ufffd";

async function checkBoth(check: Check, target: Target, body: Body, at: string): Promise<void> {
  await check.tries(at, async () => {
    const [plain, stream] = await Promise.all([target.complete(body), target.stream(body)]);
    const joined = joinChunks(stream);
    check.same(joined.length, plain.choices.length, `${at}: choices`);
    for (const [index, choice] of plain.choices.entries()) {
      const ours = joined[index];
      const where = `${at}, choice ${index}`;
      check.same(ours?.text, choice.text, `${where}: text`);
      check.same(ours?.finish_reason, choice.finish_reason, `${where}: finish_reason`);
      check.same(ours?.stop_reason, choice.stop_reason, `${where}: stop_reason`);
      check.same(ours?.logprobs?.tokens, choice.logprobs?.tokens, `${where}: tokens`);
      check.same(ours?.token_ids ?? null, choice.token_ids ?? null, `${where}: token_ids`);
    }
  });
}

const joinedBodies: Readonly<Record<string, Body>> = {
  plainly: {},
  "with three choices": { n: 3 },
  "with logprobs": { logprobs: 2 },
  "with echo": { echo: true },
  "with echo and logprobs": { echo: true, logprobs: 1 },
  "with echo alone": { echo: true, max_tokens: 0 },
  "with a stop string": { stop: ["e", "th"] },
  "with token ids": { return_token_ids: true },
  "with tokens as ids": { logprobs: 1, return_tokens_as_token_ids: true },
  "with special tokens": { skip_special_tokens: false },
  greedily: { temperature: 0 },
};

export const streamingCases = (target: Target): Case[] => [
  {
    name: "a stream's pieces together are the plain answer",
    compares: "text, reasons, tokens and ids of one seed, 11 ways of asking",
    quick: true,
    async run(check) {
      const always = { prompt: ISHMAEL, max_tokens: 16, seed: 51 };
      for (const [name, body] of Object.entries(joinedBodies)) {
        await checkBoth(check, target, { ...always, ...body }, name);
      }
      const prompt = [ISHMAEL, "It was the best of times"];
      await checkBoth(check, target, { ...always, prompt, n: 2 }, "with two prompts");
    },
  },
  {
    name: "no piece of a stream ends within a character",
    compares: "pieces made of the byte tokens of hostile texts with the plain answer",
    quick: true,
    async run(check) {
      for (const [name, text] of Object.entries(hostileTexts)) {
        const allowed_token_ids = [...new Set(await target.tokenize(text))];
        const body = { prompt: ISHMAEL, max_tokens: 24, seed: 52, ignore_eos: true };
        await checkBoth(check, target, { ...body, allowed_token_ids, logprobs: 1 }, name);
      }
      // The greedy way through one character's tokens: all of its pieces but the last are empty.
      const ids = await target.tokenize("🎉");
      const stream = await target.stream({
        prompt: ISHMAEL,
        max_tokens: 16,
        seed: 3,
        ignore_eos: true,
        allowed_token_ids: ids,
      });
      const texts = stream.chunks.map(({ choice }) => choice?.text ?? "");
      const whole = texts.join("");
      const extra =
        texts.some((text) => text.includes(REPLACEMENT)) && !whole.includes(REPLACEMENT);
      check.holds(!extra, "emoji", "a piece of a character came alone");
    },
  },
  {
    name: "a stream's usage comes when asked for, and only then",
    compares: "usage of chunks with no, one and both stream_options",
    quick: true,
    async run(check) {
      const body = { prompt: ISHMAEL, max_tokens: 5, seed: 53, ignore_eos: true };
      const { usage } = await target.complete(body);
      const bare = await target.stream(body);
      check.holds(
        bare.chunks.every((chunk) => chunk.usage === null),
        "unasked",
        "usage came",
      );
      check.holds(
        bare.chunks.every(({ choice }) => choice !== null),
        "unasked",
        "a usage chunk",
      );
      const last = await target.stream({ ...body, stream_options: { include_usage: true } });
      const final = last.chunks.at(-1);
      check.same(final?.choice, null, "include_usage: the last chunk's choices");
      check.same(final?.usage?.total_tokens, usage.total_tokens, "include_usage: the total");
      const before = last.chunks.slice(0, -1);
      check.holds(
        before.every((chunk) => chunk.usage === null),
        "include_usage",
        "came earlier",
      );
      const both = { include_usage: true, continuous_usage_stats: true };
      const running = await target.stream({ ...body, stream_options: both });
      const counts = running.chunks
        .slice(0, -1)
        .map((chunk) => chunk.usage?.completion_tokens ?? -1);
      const rising = counts.every((count, index) => count > (counts[index - 1] ?? 0));
      check.holds(rising, "continuous_usage_stats", `counts ${counts.join(", ")}`);
      check.same(counts.at(-1), 5, "continuous_usage_stats: the last count");
    },
  },
  {
    name: "only the last piece of a choice has its finish_reason",
    compares: "finish_reason of every chunk of 2 prompts × n 2",
    quick: true,
    async run(check) {
      const prompt = [ISHMAEL, "It was"];
      const { chunks } = await target.stream({ prompt, n: 2, max_tokens: 6, seed: 54 });
      for (let index = 0; index < 4; index++) {
        const ofChoice = chunks.filter(({ choice }) => choice?.index === index);
        const reasons = ofChoice.map(({ choice }) => choice?.finish_reason ?? null);
        const last = reasons.pop() ?? null;
        check.holds(last !== null, `choice ${index}`, "never ended");
        check.holds(
          reasons.every((reason) => reason === null),
          `choice ${index}`,
          "ended twice",
        );
      }
    },
  },
];

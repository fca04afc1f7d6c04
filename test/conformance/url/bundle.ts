// Several Completions in one request, as infra/bundle/README.md has it: each is answered as it is
// alone. A gateway has no such route.
import type { Choice, RawAnswer } from "../answers.ts";
import type { Case } from "../case.ts";
import type { Body, Target } from "../target.ts";
import {
  askBundle,
  type Line,
  readBundle,
  sameAsAlone,
  sendBundle,
  textOf,
} from "./bundle-calls.ts";
import { hostileTexts, ISHMAEL } from "./prompts.ts";

/** The wire's own bounds. */
const MAX_LINES = 64;
const MAX_BYTES = 16 * 1024 * 1024;

const always: Body = { prompt: ISHMAEL, max_tokens: 6, ignore_eos: true };

const fields: Readonly<Record<string, Body>> = {
  "a completion": {},
  "two choices": { n: 2 },
  "two prompts": { prompt: [ISHMAEL, "It was the"] },
  logprobs: { logprobs: 3 },
  prompt_logprobs: { prompt_logprobs: 2 },
  echo: { echo: true },
  "echo with logprobs": { echo: true, logprobs: 2 },
  "echo alone": { echo: true, max_tokens: 0, logprobs: 1 },
  "token ids": { return_token_ids: true, return_tokens_as_token_ids: true, logprobs: 1 },
  "a stop": { stop: ["e"], include_stop_str_in_output: true, ignore_eos: false },
  greedy: { temperature: 0 },
  "a low priority": { priority: 10 },
  ...Object.fromEntries(
    Object.entries(hostileTexts).map(([name, prompt]) => [name, { prompt, echo: true }]),
  ),
};

const refused: Readonly<Record<string, Line>> = {
  "max_tokens below 0": { ...always, max_tokens: -1 },
  "no prompt": { max_tokens: 1 },
  "an unknown model": { ...always, model: "no-such-model" },
  "broken JSON": '{"prompt": "a"',
  "no object": "[1, 2]",
};

const alone = (target: Target, line: Line, key?: string | null): Promise<RawAnswer> =>
  target.raw("/completions", textOf(target, line), key === undefined ? {} : { key });

const textIn = (bytes: Buffer): string | undefined =>
  (JSON.parse(bytes.toString()) as { choices: Choice[] }).choices[0]?.text;

export const bundleCases = (target: Target): Case[] => [
  {
    name: "each line is answered as it is alone, under its own request_id",
    compares: `bytes of ${Object.keys(fields).length} answers, but for their time`,
    quick: true,
    async run(check) {
      const lines = Object.values(fields).map((body, index) => ({
        ...always,
        seed: 60 + index,
        request_id: `bundle-${index}`,
        ...body,
      }));
      const frames = await askBundle(target, lines, { headers: { "x-request-id": "the-whole" } });
      for (const [index, name] of Object.keys(fields).entries()) {
        const [frame, line] = [frames[index], lines[index]];
        if (frame === undefined || line === undefined) continue;
        sameAsAlone(check, frame, await alone(target, line), name);
        check.same(JSON.parse(frame.bytes.toString()).id, `cmpl-bundle-${index}`, `${name}: id`);
      }
    },
  },
  {
    name: "equal prompts in one bundle have each their own seed",
    compares: "texts of 8 seeds with those they give alone",
    quick: true,
    async run(check) {
      const lines = Array.from({ length: 8 }, (_, seed) => ({ ...always, max_tokens: 12, seed }));
      const texts = new Set<string | undefined>();
      for (const [index, frame] of (await askBundle(target, lines)).entries()) {
        const text = textIn(frame.bytes);
        check.same(text, textIn((await alone(target, lines[index] ?? {})).bytes), `seed ${index}`);
        texts.add(text);
      }
      check.holds(texts.size > 4, "different seeds", `${texts.size} different texts`);
    },
  },
  {
    name: "a refused line is refused as it is alone, and the others are answered",
    compares: `status and bytes of ${Object.keys(refused).length} refusals between answers`,
    quick: true,
    async run(check) {
      const good = { ...always, seed: 5 };
      const lines = Object.values(refused).flatMap((line) => [line, good]);
      const frames = await askBundle(target, lines);
      for (const [index, [name, line]] of Object.entries(refused).entries()) {
        const [wrong, answered] = [frames[2 * index], frames[2 * index + 1]];
        if (wrong !== undefined) sameAsAlone(check, wrong, await alone(target, line), name);
        check.same(answered?.status, 200, `the line after ${name}`);
      }
    },
  },
  {
    name: "the key is judged for each line",
    compares: "status and bytes of lines with the key and with wrong ones",
    quick: true,
    async run(check) {
      const lines = [always, { ...always, max_tokens: -1 }];
      const statuses = (await askBundle(target, lines)).map(({ status }) => status);
      check.same(statuses, [200, 400], "with the key");
      for (const key of target.hasKey ? [null, "sk-wrong", ""] : []) {
        for (const frame of await askBundle(target, lines, { key })) {
          const at = `line ${frame.line}, key ${JSON.stringify(key)}`;
          check.same(frame.status, 401, at);
          sameAsAlone(check, frame, await alone(target, always, key), at);
        }
      }
    },
  },
  {
    name: "frames come in the order in which lines end, and blank lines are none",
    compares: "line numbers",
    quick: true,
    async run(check) {
      // Long for the fastest engine too, with a busy host between it and the frames.
      const long = { ...always, max_tokens: 800, n: 8 };
      const short = { ...always, max_tokens: 1 };
      const text = `\n${textOf(target, long)}\n \r\n\n${textOf(target, short)}`;
      const frames = readBundle(await sendBundle(target, text));
      const numbers = frames.map(({ line }) => line);
      check.same(numbers, [1, 0], "the short line first");
    },
  },
  {
    name: "a bundle has 1 to 64 lines and comes by POST",
    compares: "status, error and frames at the bounds and beyond",
    quick: true,
    async run(check) {
      const lines = (count: number): Line[] => Array(count).fill({ ...always, max_tokens: 1 });
      const most = await askBundle(target, lines(MAX_LINES));
      check.same(most.filter(({ status }) => status === 200).length, MAX_LINES, "the most lines");
      const text = (count: number) =>
        lines(count)
          .map((line) => textOf(target, line))
          .join("\n");
      const wrong = { nothing: "", "blank lines": "\n \r\n", "one line more": text(MAX_LINES + 1) };
      for (const [name, body] of Object.entries(wrong)) {
        const { status, bytes } = await sendBundle(target, body);
        check.same(status, 400, name);
        const { error } = JSON.parse(bytes.toString()) as { error: Record<string, unknown> };
        check.same(Object.keys(error), ["message", "type", "param", "code"], `${name}: error`);
        check.same(error.code, 400, `${name}: code`);
      }
      const put = await sendBundle(target, text(1), { method: "PUT" });
      check.same(put.status, 405, "PUT");
    },
  },
  {
    name: "a bundle has at most 16 MiB",
    compares: "status at the bound and one byte above",
    quick: false,
    async run(check) {
      const line = textOf(target, always);
      const ask = (bytes: number) => sendBundle(target, line.padEnd(bytes));
      check.same((await ask(MAX_BYTES)).status, 200, "the most bytes");
      check.same((await ask(MAX_BYTES + 1)).status, 413, "one more");
    },
  },
];

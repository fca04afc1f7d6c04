// What no completions URL may accept, and how it says so.
import { eventsOf, type RawAnswer } from "../answers.ts";
import type { Case } from "../case.ts";
import type { Body, Target } from "../target.ts";
import { ISHMAEL } from "./prompts.ts";

const TOO_LARGE_ID = 2 ** 31 - 1;

const wrongBodies: Readonly<Record<string, Body>> = {
  "no prompt": {},
  "an empty prompt": { prompt: "" },
  "max_tokens 0 without echo": { prompt: ISHMAEL, max_tokens: 0 },
  "max_tokens below 0": { prompt: ISHMAEL, max_tokens: -1 },
  "max_tokens as a word": { prompt: ISHMAEL, max_tokens: "many" },
  "a temperature above 2": { prompt: ISHMAEL, temperature: 2.5 },
  "a temperature below 0": { prompt: ISHMAEL, temperature: -0.1 },
  "top_p 0": { prompt: ISHMAEL, top_p: 0 },
  "n 0": { prompt: ISHMAEL, n: 0 },
  "n 2 at temperature 0": { prompt: ISHMAEL, n: 2, temperature: 0 },
  "min_tokens above max_tokens": { prompt: ISHMAEL, min_tokens: 5, max_tokens: 4 },
  "logprobs -2": { prompt: ISHMAEL, logprobs: -2 },
  "an id outside the vocabulary": { prompt: [TOO_LARGE_ID] },
  "an allowed id outside the vocabulary": { prompt: ISHMAEL, allowed_token_ids: [TOO_LARGE_ID] },
  "a biased id outside the vocabulary": { prompt: ISHMAEL, logit_bias: { [TOO_LARGE_ID]: 1 } },
  "no allowed ids": { prompt: ISHMAEL, allowed_token_ids: [] },
  "logprob_token_ids without logprobs": { prompt: ISHMAEL, logprob_token_ids: [1] },
  "stream_options without stream": { prompt: ISHMAEL, stream_options: { include_usage: true } },
};

/** Streams may have their status before the refusal is known: then it is the first event. */
function refusalOf({ status, headers, bytes }: RawAnswer): number {
  const inStream = status === 200 && headers.get("content-type")?.startsWith("text/event-stream");
  if (!inStream) return status;
  const [first] = eventsOf(bytes);
  const { error } = JSON.parse(first?.toString() ?? "{}") as { error?: { code: number } };
  return error?.code ?? status;
}

function messageOf({ bytes }: RawAnswer): unknown {
  const { error } = JSON.parse(bytes.toString()) as { error?: { message?: unknown } };
  return error?.message;
}

export const refusalCases = (target: Target): Case[] => [
  {
    name: "a wrong request is a 400 with a message",
    compares: `status and error of ${Object.keys(wrongBodies).length} bodies`,
    quick: true,
    async run(check) {
      for (const [name, body] of Object.entries(wrongBodies)) {
        const answer = await target.raw("/completions", body);
        check.same(answer.status, 400, name);
        check.same(typeof messageOf(answer), "string", `${name}: message`);
      }
      const broken = await target.raw("/completions", '{"prompt": "a"');
      check.same(broken.status, 400, "broken JSON");
    },
  },
  {
    name: "a wrong stream is refused before its first token",
    compares: "status, or the first event, of an unknown id and an endless prompt",
    quick: true,
    async run(check) {
      const wrong = { prompt: [TOO_LARGE_ID], stream: true };
      check.same(refusalOf(await target.raw("/completions", wrong)), 400, "unknown id");
      const long = { prompt: Array(target.maxModelLen).fill(11), max_tokens: 1, stream: true };
      check.same(refusalOf(await target.raw("/completions", long)), 400, "too long");
    },
  },
  {
    name: "the context's last token can be used, and no further one",
    compares: "status at max_model_len and above",
    quick: true,
    async run(check) {
      const ask = (prompt: number) =>
        target.raw("/completions", { prompt: Array(prompt).fill(11), max_tokens: 1, seed: 1 });
      check.same((await ask(target.maxModelLen - 1)).status, 200, "the last token");
      check.same((await ask(target.maxModelLen)).status, 400, "one above");
    },
  },
  {
    name: "an unknown model is a 404, a wrong key a 401",
    compares: "status",
    quick: true,
    async run(check) {
      const body = { prompt: ISHMAEL, max_tokens: 1 };
      const lost = await target.raw("/completions", { ...body, model: "no-such-model" });
      check.same(lost.status, 404, "unknown model");
      for (const key of target.hasKey ? [null, "sk-wrong", "", "ctn_"] : []) {
        const { status } = await target.raw("/completions", body, { key });
        check.same(status, 401, `key ${JSON.stringify(key)}`);
      }
      check.same((await target.raw("/nothing", body)).status, 404, "unknown path");
    },
  },
];

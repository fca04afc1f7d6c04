// The gateway's own refusals: what vLLM would change in silence, ignore, or die of.
import type { Case, Check } from "../case.ts";
import type { Body, Target } from "../target.ts";
import { ISHMAEL } from "../url/prompts.ts";

interface Refusal {
  code: string;
  param: string | null;
}

export async function checkRefused(
  check: Check,
  gateway: Target,
  body: Body,
  { code, param }: Refusal,
  at: string,
): Promise<void> {
  const { status, bytes } = await gateway.raw("/completions", body);
  await check.tries(at, async () => {
    const { error } = JSON.parse(bytes.toString()) as {
      error?: { code: string; param: string | null; type: string; message: string };
    };
    const expected = [400, code, param, "invalid_request_error"];
    check.same([status, error?.code, error?.param, error?.type], expected, at);
  });
}

/** By the field that is refused; the others are sound. */
const refusedBodies: readonly (readonly [param: string, body: Body])[] = [
  ["temperature", { temperature: 0.005 }],
  ["temperature", { temperature: "1" }],
  ["n", { n: 2, temperature: 0 }],
  ["n", { n: 129 }],
  ["n", { prompt: Array(100).fill("a"), n: 3 }],
  ["max_tokens", { max_tokens: true }],
  ["max_tokens", { max_tokens: "5" }],
  ["max_tokens", { max_tokens: 1.5 }],
  ["max_tokens", { max_tokens: 65_537 }],
  ["logprobs", { logprobs: -1 }],
  ["logprobs", { logprobs: -1, return_tokens_as_token_ids: true, n: 2 }],
  ["logprobs", { logprobs: -1, return_tokens_as_token_ids: true, stream: true }],
  ["logprobs", { logprobs: 100_000 }],
  ["prompt_logprobs", { prompt_logprobs: 0, stream: true }],
  ["prompt_logprobs", { prompt_logprobs: -1, n: 2 }],
  ["prompt_logprobs", { prompt: ["a", "b"], prompt_logprobs: -1 }],
  ["logprob_token_ids", { logprob_token_ids: [1] }],
  ["logprob_token_ids", { logprob_token_ids: [1], logprobs: 0, echo: true, max_tokens: 0 }],
  ["stop", { stop: ["a", "b", "c", "d", "e"] }],
  ["stop", { stop: [""] }],
  ["prompt", { prompt: [] }],
  ["prompt", { prompt: [[]] }],
  ["prompt", { prompt: ["a", 1] }],
  ["prompt", { prompt: [1, "a"] }],
  ["prompt", { prompt: Array(129).fill("a") }],
  ["seed", { seed: -1 }],
  ["seed", { seed: 2 ** 53 }],
  ["top_k", { top_k: 2 ** 31 }],
  ["max_completion_tokens", { max_completion_tokens: 5 }],
  ["top_logprobs", { top_logprobs: 5 }],
  ["guided_json", { guided_json: {} }],
  ["best_of", { best_of: 2 }],
  ["suffix", { suffix: "end" }],
  ["extra_body", { extra_body: {} }],
  ["cache_salt", { cache_salt: "mine" }],
  ["request_id", { request_id: "mine" }],
  ["priority", { priority: -5 }],
  ["vllm_xargs", { vllm_xargs: {} }],
  ["kv_transfer_params", { kv_transfer_params: {} }],
  ["use_beam_search", { use_beam_search: true }],
  ["truncate_prompt_tokens", { truncate_prompt_tokens: 5 }],
  ["no_such_field", { no_such_field: 1 }],
  ["__proto__", JSON.parse('{"__proto__": 1}') as Body],
];

export const refusedCases = (gateway: Target): Case[] => [
  {
    name: "what an engine would change, ignore or die of is refused by name",
    compares: `status, code and param of ${refusedBodies.length} bodies`,
    quick: true,
    async run(check) {
      await Promise.all(
        refusedBodies.map(([param, fields]) => {
          const at = JSON.stringify(fields).slice(0, 60);
          const sound = { prompt: ISHMAEL, max_tokens: 4 };
          const body = JSON.parse(
            `${JSON.stringify(sound).slice(0, -1)},${JSON.stringify(fields).slice(1)}`,
          ) as Body;
          const refusal = { code: "invalid_request", param };
          return checkRefused(check, gateway, body, refusal, at);
        }),
      );
    },
  },
  {
    name: "a prompt that no context holds has its own codes",
    compares: "status, code and param of too much of everything",
    quick: true,
    async run(check) {
      const { maxModelLen } = gateway;
      const long = Array(maxModelLen).fill(11);
      const context = "context_length_exceeded";
      await checkRefused(
        check,
        gateway,
        { prompt: long },
        { code: context, param: "prompt" },
        "ids",
      );
      const words = { prompt: "whale ".repeat(maxModelLen), max_tokens: 1 };
      await checkRefused(check, gateway, words, { code: context, param: "prompt" }, "text");
      const near = { prompt: long.slice(0, -3), max_tokens: 4 };
      await checkRefused(check, gateway, near, { code: context, param: "max_tokens" }, "one over");
      const whole = { prompt: long.slice(0, 2000), max_tokens: 1, prompt_logprobs: -1 };
      const tooWhole = { code: "whole_vocabulary_too_large", param: "prompt_logprobs" };
      await checkRefused(check, gateway, whole, tooWhole, "whole vocabulary");
    },
  },
];

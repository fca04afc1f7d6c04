import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCompletionRequest } from "../../src/contract/completion-request.ts";
import { checkAgainstModel } from "../../src/core/completion-rules.ts";
import { buildUpstreamBody, type UpstreamSettings } from "../../src/core/upstream-request.ts";
import { type Body, testModel, validBody } from "../contract/arbitrary-completion.ts";

const settings: UpstreamSettings = {
  servedName: "served",
  seed: 77,
  requestId: "req-1",
  cacheSalt: "5a17",
  priority: 0,
  maxTokens: 16,
  vocabSize: 1000,
};

function upstream(body: Body, changed: Partial<UpstreamSettings> = {}) {
  const parsed = parseCompletionRequest(body);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const { maxTokens } = parsed.request;
  return buildUpstreamBody(parsed.request, { ...settings, maxTokens, ...changed });
}

const minimal = { model: "test-model", prompt: "a" };

test("a minimal request says everything that the backend would else fill in by itself", () => {
  expect(upstream(minimal)).toEqual({
    model: "served",
    prompt: "a",
    max_tokens: 16,
    temperature: 1,
    top_p: 1,
    top_k: 0,
    min_p: 0,
    presence_penalty: 0,
    frequency_penalty: 0,
    repetition_penalty: 1,
    n: 1,
    seed: 77,
    cache_salt: "5a17",
    priority: 0,
    request_id: "req-1",
  });
});

test("every value of a valid request reaches the backend as it is, and nothing else does", () => {
  fc.assert(
    fc.property(validBody, (body) => {
      const sent = upstream(body, { seed: Number(body.seed ?? 77) });
      const { model: _, user: __, stream_options, stream, ...given } = body;
      const expected = {
        ...upstream(minimal),
        ...given,
        ...(given.top_k === -1 && { top_k: 0 }),
        ...(stream === true && {
          stream: true,
          stream_options: { include_usage: true, continuous_usage_stats: true },
        }),
      };
      expect(sent).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("the random valid requests are valid for the Model too", () => {
  fc.assert(
    fc.property(validBody, (body) => {
      const parsed = parseCompletionRequest(body);
      expect(parsed.ok && checkAgainstModel(parsed.request, testModel).kind).not.toBe("refused");
    }),
  );
});

test("each shape of a prompt stays the shape it was", () => {
  for (const prompt of ["a", ["a"], ["a", "b"], [1, 2], [[1, 2]], [[1], [2]]]) {
    expect(upstream({ ...minimal, prompt }).prompt).toEqual(prompt);
  }
});

test("logprobs -1 becomes the vocabulary's size, prompt_logprobs -1 stays", () => {
  const whole = { logprobs: -1, prompt_logprobs: -1, return_tokens_as_token_ids: true };
  expect(upstream({ ...minimal, ...whole })).toMatchObject({
    logprobs: 1000,
    prompt_logprobs: -1,
    return_tokens_as_token_ids: true,
  });
});

test("min_tokens follows a lowered max_tokens down", () => {
  const body = { ...minimal, max_tokens: 50, min_tokens: 20 };
  expect(upstream(body, { maxTokens: 7 })).toMatchObject({ max_tokens: 7, min_tokens: 7 });
  expect(upstream(body, { maxTokens: 30 })).toMatchObject({ max_tokens: 30, min_tokens: 20 });
});

test("an explicit 0, false or empty list is sent, not taken for absent", () => {
  const body = { ...minimal, echo: false, logprobs: 0, min_tokens: 0, stop: [], logit_bias: {} };
  expect(upstream(body)).toMatchObject({
    echo: false,
    logprobs: 0,
    min_tokens: 0,
    stop: [],
    logit_bias: {},
  });
});

import { describe, expect, test } from "vitest";
import { fieldNames } from "../../src/contract/completion-fields.ts";
import { parseCompletionRequest } from "../../src/contract/completion-request.ts";

const minimal = { model: "m", prompt: "Call me" };

function problemsOf(body: unknown) {
  const parsed = parseCompletionRequest(body);
  return parsed.ok ? [] : parsed.problems;
}

function requestOf(fields: Record<string, unknown> = {}) {
  const parsed = parseCompletionRequest({ ...minimal, ...fields });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.request;
}

const list = (length: number, member: unknown = 1) => Array.from({ length }, () => member);
const long = (length: number) => "x".repeat(length);
const wholeVocabulary = { logprobs: -1, return_tokens_as_token_ids: true };

describe("a body as a whole", () => {
  test("what is no object is refused without a param", () => {
    for (const body of [null, undefined, "text", 5, true, [], [minimal]]) {
      const problems = problemsOf(body);
      expect(problems).toHaveLength(1);
      expect(problems[0]?.param).toBeNull();
    }
  });

  test("model and prompt are required, absent or null", () => {
    expect(problemsOf({}).map((each) => each.param)).toEqual(["model", "prompt"]);
    expect(problemsOf({ model: null, prompt: null })).toEqual(problemsOf({}));
  });

  test("all problems are found at once: names, then fields, then combinations", () => {
    const body = {
      user: 5,
      min_tokens: 20,
      messages: [],
      prompt: "",
      best_of: 2,
      temperature: 3,
      max_tokens: 10,
      stream_options: {},
    };
    expect(problemsOf(body).map((each) => each.param)).toEqual([
      "messages",
      "best_of",
      "model",
      "prompt",
      "temperature",
      "user",
      "min_tokens",
      "stream_options",
    ]);
  });

  test("a combination with a field that is wrong by itself is not reported besides", () => {
    const problems = problemsOf({ ...minimal, max_tokens: "5", min_tokens: 20 });
    expect(problems.map((each) => each.param)).toEqual(["max_tokens"]);
  });

  test("an empty prompt's refusal says how to sample from nothing", () => {
    for (const prompt of ["", [], [""], [[]]]) {
      expect(problemsOf({ ...minimal, prompt })[0]?.message).toContain("BOS id");
    }
  });
});

describe("what is accepted", () => {
  test("an absent field has its default", () => {
    expect(requestOf()).toMatchObject({
      model: "m",
      prompts: { kind: "text", texts: ["Call me"] },
      promptShape: "string",
      maxTokens: 16,
      n: 1,
      temperature: 1,
      topP: 1,
      topK: 0,
      minP: 0,
      presencePenalty: 0,
      frequencyPenalty: 0,
      repetitionPenalty: 1,
      stream: false,
      includeUsage: false,
      continuousUsage: false,
      echo: false,
      flags: {},
      seed: undefined,
      logprobs: undefined,
    });
  });

  test("null means absent for every optional field", () => {
    const optional = fieldNames.filter((name) => name !== "model" && name !== "prompt");
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    expect(requestOf({ ...nulls, suffix: null, best_of: null })).toEqual(requestOf());
    const usage = { stream: true, stream_options: { include_usage: null } };
    expect(requestOf(usage).includeUsage).toBe(false);
  });

  test("5.0 is the whole number 5", () => {
    const body: unknown = JSON.parse('{"model": "m", "prompt": [1.0, 2e0], "max_tokens": 5.0}');
    const parsed = parseCompletionRequest(body);
    expect(parsed).toMatchObject({
      ok: true,
      request: { maxTokens: 5, prompts: { kind: "ids", ids: [[1, 2]] } },
    });
  });

  test("the four shapes of a prompt are told apart", () => {
    expect(requestOf({ prompt: ["a", "b"] }).promptShape).toBe("strings");
    expect(requestOf({ prompt: [1, 2] }).promptShape).toBe("ids");
    expect(requestOf({ prompt: [[1], [2]] }).promptShape).toBe("id-lists");
    expect(requestOf({ prompt: ["a"] }).promptShape).toBe("strings");
  });

  test("values at their bounds are accepted", () => {
    const bounds: Record<string, unknown>[] = [
      { max_tokens: 0, echo: true },
      { temperature: 0 },
      { temperature: 0.01 },
      { temperature: 2 },
      { n: 128, prompt: ["a", "b"] },
      { prompt: list(128, [0]), n: 2 },
      { top_k: -1 },
      { seed: 2 ** 53 - 1 },
      { stop: list(4, long(256)) },
      { stop_token_ids: list(64) },
      { allowed_token_ids: list(4096) },
      { logprobs: 0, logprob_token_ids: list(128) },
      { logit_bias: { "0": -100, "1": 100 } },
      { bad_words: list(32, "a") },
      { min_tokens: 16 },
      { ...wholeVocabulary, prompt: [[1, 2]] },
      { prompt_logprobs: -1, prompt: ["a"] },
      { stream: true, stream_options: {} },
      { user: long(256) },
    ];
    for (const fields of bounds) expect(problemsOf({ ...minimal, ...fields })).toEqual([]);
  });

  test("usage in each chunk is asked for together with include_usage, as in vLLM", () => {
    const both = { include_usage: true, continuous_usage_stats: true };
    expect(requestOf({ stream: true, stream_options: both }).continuousUsage).toBe(true);
    const alone = { continuous_usage_stats: true };
    expect(requestOf({ stream: true, stream_options: alone }).continuousUsage).toBe(false);
  });
});

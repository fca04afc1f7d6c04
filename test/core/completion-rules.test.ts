import { describe, expect, test } from "vitest";
import { parseCompletionRequest } from "../../src/contract/completion-request.ts";
import { checkAgainstModel } from "../../src/core/completion-rules.ts";
import type { ModelRules } from "../../src/core/vocabulary-rules.ts";
import { testModel } from "../contract/arbitrary-completion.ts";

type Fields = Record<string, unknown>;

function verdictOf(fields: Fields, counts?: number[], changed: Partial<ModelRules> = {}) {
  const parsed = parseCompletionRequest({ model: "test-model", prompt: [1], ...fields });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return checkAgainstModel(parsed.request, { ...testModel, ...changed }, counts);
}

function refusalsOf(fields: Fields, counts?: number[], changed: Partial<ModelRules> = {}) {
  const verdict = verdictOf(fields, counts, changed);
  return verdict.kind === "refused"
    ? verdict.problems.map(({ code, param }) => `${code} ${param}`)
    : verdict.kind;
}

const ids = (length: number) => Array.from({ length }, () => 1);
const wholeVocabulary = { logprobs: -1, return_tokens_as_token_ids: true };

describe("vocabulary and caps", () => {
  test.each<[string, Fields, Fields]>([
    ["prompt", { prompt: [1000] }, { prompt: [999] }],
    ["prompt", { prompt: [[1], [2, 1000]] }, { prompt: [[1], [2, 999]] }],
    ["top_k", { top_k: 1001 }, { top_k: 1000 }],
    ["stop_token_ids", { stop_token_ids: [1, 1000] }, { stop_token_ids: [999] }],
    [
      "logprob_token_ids",
      { logprobs: 0, logprob_token_ids: [1000] },
      { logprobs: 0, logprob_token_ids: [999] },
    ],
    ["logit_bias", { logit_bias: { "1000": 1 } }, { logit_bias: { "999": 1 } }],
    ["allowed_token_ids", { allowed_token_ids: [1000] }, { allowed_token_ids: [999] }],
    ["logprobs", { logprobs: 21 }, { logprobs: 20 }],
    ["prompt_logprobs", { prompt_logprobs: 21 }, { prompt_logprobs: 20 }],
    ["max_tokens", { n: 10, max_tokens: 2001 }, { n: 10, max_tokens: 2000 }],
    [
      "max_tokens",
      { prompt: [[1], [1]], n: 10, max_tokens: 1001 },
      { prompt: [[1], [1]], n: 10, max_tokens: 1000 },
    ],
  ])("%s beyond what the Model has is refused, at the bound it is not", (param, beyond, at) => {
    expect(refusalsOf(beyond)).toEqual([`invalid_request ${param}`]);
    expect(refusalsOf(at)).toBe("fits");
  });

  test("all problems are found at once", () => {
    const fields = { prompt: [1000], top_k: 2000, logprobs: 30, n: 100, max_tokens: 5000 };
    expect(refusalsOf(fields)).toEqual([
      "invalid_request prompt",
      "invalid_request top_k",
      "invalid_request logprobs",
      "invalid_request max_tokens",
      "invalid_request logprobs",
      "context_length_exceeded max_tokens",
    ]);
  });
});

describe("context", () => {
  test("ids are judged exactly, without counting", () => {
    expect(refusalsOf({ prompt: ids(4080) })).toBe("fits");
    expect(refusalsOf({ prompt: ids(4081) })).toEqual(["context_length_exceeded max_tokens"]);
    expect(refusalsOf({ prompt: ids(4096) })).toEqual(["context_length_exceeded prompt"]);
  });

  test("the sum is for each prompt, not over all", () => {
    expect(refusalsOf({ prompt: [ids(4000), ids(4000)] })).toBe("fits");
    expect(refusalsOf({ prompt: [ids(4000), ids(4090)] })).toEqual([
      "context_length_exceeded max_tokens",
    ]);
  });

  test("text within the bound by bytes fits, beyond it is counted first, then judged", () => {
    expect(refusalsOf({ prompt: "a".repeat(4078) })).toBe("fits");
    const long = { prompt: "a".repeat(4079) };
    expect(refusalsOf(long)).toBe("count-tokens-first");
    expect(refusalsOf(long, [4080])).toBe("fits");
    expect(refusalsOf(long, [4081])).toEqual(["context_length_exceeded max_tokens"]);
  });

  test("max_tokens without room for any prompt is refused without counting", () => {
    expect(refusalsOf({ prompt: "a", max_tokens: 4096 })).toEqual([
      "context_length_exceeded max_tokens",
    ]);
  });

  test("the refusal says what max_tokens would fit", () => {
    const verdict = verdictOf({ prompt: ids(4000), max_tokens: 97 });
    expect(verdict).toMatchObject({ problems: [{ message: expect.stringContaining("to 96") }] });
  });

  test("max_tokens 0 with echo still needs room for one token", () => {
    const echo = { echo: true, max_tokens: 0 };
    expect(refusalsOf({ ...echo, prompt: ids(4095) })).toBe("fits");
    expect(refusalsOf({ ...echo, prompt: ids(4096) })).toEqual(["context_length_exceeded prompt"]);
  });

  test("a Model without a bound by bytes has every text counted, and no ids", () => {
    const unbounded = { byte_bound: false };
    expect(refusalsOf({ prompt: "a" }, undefined, unbounded)).toBe("count-tokens-first");
    expect(refusalsOf({ prompt: "a" }, [3], unbounded)).toBe("fits");
    expect(refusalsOf({ prompt: [1] }, undefined, unbounded)).toBe("fits");
    expect(refusalsOf({ prompt: "a", top_k: 2000 }, undefined, unbounded)).toEqual([
      "invalid_request top_k",
    ]);
  });

  test("counts for other than all prompts are a defect", () => {
    expect(() => verdictOf({ prompt: ["a", "b"] }, [1])).toThrow("one count for each prompt");
  });
});

describe("the whole vocabulary", () => {
  test("of a prompt beyond the cap is refused with the cap and the count", () => {
    expect(refusalsOf({ prompt: ids(16), prompt_logprobs: -1 })).toBe("fits");
    const verdict = verdictOf({ prompt: ids(17), prompt_logprobs: -1 });
    expect(verdict).toMatchObject({
      kind: "refused",
      problems: [
        {
          code: "whole_vocabulary_too_large",
          param: "prompt_logprobs",
          message: expect.stringMatching(/\b16\b.*\b17\b/),
        },
      ],
    });
  });

  test("of a text is counted first where its bytes are more than the cap", () => {
    const text = { prompt: "a".repeat(15), prompt_logprobs: -1 };
    expect(refusalsOf({ ...text, prompt: "a".repeat(14) })).toBe("fits");
    expect(refusalsOf(text)).toBe("count-tokens-first");
    expect(refusalsOf(text, [16])).toBe("fits");
    expect(refusalsOf(text, [17])).toEqual(["whole_vocabulary_too_large prompt_logprobs"]);
  });

  test("by logprobs -1 with echo is the prompt's too", () => {
    const echo = { ...wholeVocabulary, echo: true };
    expect(refusalsOf({ ...echo, prompt: ids(17) })).toEqual([
      "whole_vocabulary_too_large logprobs",
    ]);
    expect(refusalsOf({ ...echo, prompt: ids(17), prompt_logprobs: 0 })).toBe("fits");
    expect(refusalsOf({ ...wholeVocabulary, prompt: ids(17) })).toBe("fits");
  });
});

describe("log-probability cells", () => {
  const cap = (max_logprob_cells: number) => ({ max_logprob_cells });

  test.each<[string, number, Fields]>([
    ["rows of the completion", 16 * 6, { logprobs: 5 }],
    ["rows of the prompt", 10 * 4, { prompt: ids(10), prompt_logprobs: 3 }],
    ["both", 10 * 4 + 16 * 6, { prompt: ids(10), prompt_logprobs: 3, logprobs: 5 }],
    ["every choice", 3 * (10 * 4 + 16), { prompt: ids(10), prompt_logprobs: 3, logprobs: 0, n: 3 }],
    ["every prompt", 2 * 16 * 2, { prompt: [[1], [2]], logprobs: 1 }],
    ["an echoed prompt", (10 + 16) * 6, { prompt: ids(10), echo: true, logprobs: 5 }],
    ["the whole vocabulary of a completion", 16 * 1001, wholeVocabulary],
    ["tokens asked for by id", 16 * 3, { logprobs: 20, logprob_token_ids: [1, 2] }],
  ])("count %s", (_, cells, fields) => {
    expect(refusalsOf(fields, undefined, cap(cells))).toBe("fits");
    const param = "prompt_logprobs" in fields ? "prompt_logprobs" : "logprobs";
    expect(refusalsOf(fields, undefined, cap(cells - 1))).toEqual([`invalid_request ${param}`]);
  });

  test("of a text are counted first where only the bound by bytes is beyond the cap", () => {
    const fields = { prompt: "a".repeat(100), prompt_logprobs: 3 };
    expect(refusalsOf(fields, undefined, cap(102 * 4))).toBe("fits");
    expect(refusalsOf(fields, undefined, cap(102 * 4 - 1))).toBe("count-tokens-first");
    expect(refusalsOf(fields, [50], cap(200))).toBe("fits");
    expect(refusalsOf(fields, [51], cap(200))).toEqual(["invalid_request prompt_logprobs"]);
  });

  test("of a text that no count could make fit are refused at once", () => {
    const fields = { prompt: "a".repeat(100), prompt_logprobs: 3, logprobs: 5 };
    expect(refusalsOf(fields, undefined, cap(99))).toEqual(["invalid_request prompt_logprobs"]);
  });
});

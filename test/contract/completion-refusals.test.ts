import { describe, expect, test } from "vitest";
import { parseCompletionRequest } from "../../src/contract/completion-request.ts";
import { refusedFields } from "../../src/contract/refused-fields.ts";

const minimal = { model: "m", prompt: "Call me" };

function problemsOf(body: unknown) {
  const parsed = parseCompletionRequest(body);
  return parsed.ok ? [] : parsed.problems;
}

const list = (length: number, member: unknown = 1) => Array.from({ length }, () => member);
const long = (length: number) => "x".repeat(length);

/** Each field with values that are refused for it, and for it alone. */
const refusals: Record<string, unknown[]> = {
  model: ["", 5, true, ["m"], {}, long(129)],
  prompt: [
    "",
    5,
    true,
    {},
    [],
    [""],
    ["a", ""],
    [[]],
    [[1], []],
    ["a", 1],
    [1, "a"],
    [1, [1]],
    [[1], 1],
    [[1], "a"],
    [[1, "a"]],
    [1, null],
    [null],
    [true],
    [{}],
    [-1],
    [1.5],
    [[-1]],
    [[1.5]],
    [2 ** 53],
    list(129, "a"),
    list(129, [1]),
  ],
  max_tokens: ["5", true, 1.5, -1, 0, [], 2 ** 53],
  temperature: ["1", true, -0.1, 0.001, 0.0099, 2.01, Infinity, []],
  top_p: [0, -0.1, 1.01, "1", true],
  top_k: [-2, 1.5, "1", true],
  min_p: [-0.01, 1.01, "0", false],
  presence_penalty: [-2.01, 2.01, "0", true],
  frequency_penalty: [-2.01, 2.01, "0", true],
  repetition_penalty: [0, -1, 10.01, "1", true],
  n: [0, -1, 1.5, 129, "1", true],
  stop: ["", 5, true, {}, list(5, "a"), ["a", ""], ["a", 1], long(257), [long(257)], [null]],
  stop_token_ids: [1, "1", {}, list(65), [-1], [1.5], ["1"], [true]],
  include_stop_str_in_output: [0, "true", []],
  ignore_eos: [1, "false", {}],
  skip_special_tokens: [0, "true", []],
  spaces_between_special_tokens: [0, "true", []],
  add_special_tokens: [0, "true", []],
  return_token_ids: [0, "true", []],
  return_tokens_as_token_ids: [0, "true", []],
  echo: [1, "true", []],
  stream: [1, "true", []],
  min_tokens: [-1, 17, 1.5, "1", true],
  seed: [-1, 1.5, 2 ** 53, "1", true],
  logprobs: [-2, 1.5, "1", true],
  prompt_logprobs: [-2, 1.5, "1", true],
  logprob_token_ids: [[], list(129), [-1], ["1"], 1, {}],
  logit_bias: [
    [],
    5,
    "a",
    { a: 1 },
    { "-1": 1 },
    { "1.5": 1 },
    { "01": 1 },
    { "+1": 1 },
    { "1e2": 1 },
    { " 1": 1 },
    { "1": 101 },
    { "1": -101 },
    { "1": "1" },
    { "1": null },
    Object.fromEntries(list(301).map((_, id) => [String(id), 1])),
  ],
  allowed_token_ids: [[], list(4097), [-1], ["1"], 1, {}],
  bad_words: ["a", list(33, "a"), ["a", ""], [1], {}, [long(257)]],
  stream_options: [5, true, [], { include_usage: 1 }, { continuous_usage_stats: "a" }, { x: true }],
  user: [5, true, long(257), {}],
};

describe("a value outside what a field accepts is refused", () => {
  for (const [param, values] of Object.entries(refusals)) {
    test(`${param} is refused with its name in param`, () => {
      for (const value of values) {
        const problems = problemsOf({ ...minimal, [param]: value });
        expect({ value, params: problems.map((each) => each.param) }).toEqual({
          value,
          params: [param],
        });
        expect(problems[0]?.message).toContain(`\`${param}`);
      }
    });
  }
});

const wholeVocabulary = { logprobs: -1, return_tokens_as_token_ids: true };

const combinations: [string, string, Record<string, unknown>][] = [
  ["max_tokens 0 without echo", "max_tokens", { max_tokens: 0 }],
  ["n above 1 at temperature 0", "n", { n: 2, temperature: 0 }],
  ["more than 256 choices", "n", { n: 128, prompt: ["a", "b", "c"] }],
  ["min_tokens above max_tokens", "min_tokens", { min_tokens: 6, max_tokens: 5 }],
  ["min_tokens above the default max_tokens", "min_tokens", { min_tokens: 17 }],
  ["all logprobs with tokens as text", "logprobs", { logprobs: -1 }],
  ["all logprobs of two prompts", "logprobs", { ...wholeVocabulary, prompt: ["a", "b"] }],
  ["all logprobs of two choices", "logprobs", { ...wholeVocabulary, n: 2 }],
  ["all logprobs in a stream", "logprobs", { ...wholeVocabulary, stream: true }],
  ["prompt_logprobs in a stream", "prompt_logprobs", { prompt_logprobs: 0, stream: true }],
  [
    "all prompt_logprobs of two prompts",
    "prompt_logprobs",
    { prompt_logprobs: -1, prompt: ["a", "b"] },
  ],
  ["all prompt_logprobs of two choices", "prompt_logprobs", { prompt_logprobs: -1, n: 2 }],
  ["logprob_token_ids without logprobs", "logprob_token_ids", { logprob_token_ids: [1] }],
  [
    "logprob_token_ids where nothing is generated",
    "logprob_token_ids",
    { logprob_token_ids: [1], logprobs: 0, echo: true, max_tokens: 0 },
  ],
  ["stream_options without stream", "stream_options", { stream_options: { include_usage: true } }],
];

describe("fields that contradict each other are refused", () => {
  test.each(combinations)("%s", (_, param, fields) => {
    const problems = problemsOf({ ...minimal, ...fields });
    expect(problems.map((each) => each.param)).toEqual([param]);
  });
});

describe("names", () => {
  test("every field of the refused list is refused by name with its reason", () => {
    for (const [name, { why, nullPasses }] of Object.entries(refusedFields)) {
      const [problem] = problemsOf({ ...minimal, [name]: 1 });
      expect(problem).toEqual({ param: name, message: `\`${name}\` is not accepted: ${why}.` });
      expect(problemsOf({ ...minimal, [name]: null })).toHaveLength(nullPasses ? 0 : 1);
    }
  });

  test("a guided_ field that no list has is refused by name too", () => {
    expect(problemsOf({ ...minimal, guided_anything: {} })[0]).toMatchObject({
      param: "guided_anything",
      message: expect.stringContaining("is not accepted"),
    });
  });

  test("a name that may be text is not repeated", () => {
    const [problem] = problemsOf({ ...minimal, "my secret words": 1, [long(65)]: 2 });
    expect(problem?.param).toBeNull();
    expect(problem?.message).toMatch(/^2 unknown fields/);
  });

  test("names inherited from Object are as unknown as any other", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"]) {
      const body: unknown = JSON.parse(`{"model": "m", "prompt": "a", "${name}": 1}`);
      expect(problemsOf(body).map((each) => each.param)).toEqual([name]);
    }
  });

  test("a body of thousands of unknown fields gets a short answer", () => {
    const body = Object.fromEntries(list(5000).map((_, at) => [`field_${at}`, at]));
    const problems = problemsOf({ ...minimal, ...body });
    expect(problems).toHaveLength(17);
    expect(problems.at(-1)?.message).toMatch(/^4984 more/);
  });
});

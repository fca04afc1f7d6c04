import { describe, expect, test } from "vitest";
import { parseJobBody, parseJobItem } from "../../src/contract/job-request.ts";

const item = { custom_id: "a", method: "POST", url: "/v1/completions", body: { prompt: "x" } };
const SECRET = "a prompt that nobody else may read";

function problemsOfItem(value: unknown) {
  const parsed = parseJobItem(value);
  return parsed.ok ? [] : parsed.problems;
}

function problemsOfJob(value: unknown) {
  const parsed = parseJobBody(value);
  return parsed.ok ? [] : parsed.problems;
}

describe("an item", () => {
  test("is OpenAI's line, with or without what is always the same in it", () => {
    const expected = { ok: true, item: { customId: "a", body: { prompt: "x" } } };
    expect(parseJobItem(item)).toEqual(expected);
    expect(parseJobItem({ custom_id: "a", body: { prompt: "x" } })).toEqual(expected);
  });

  test("is refused with all that is wrong around its body", () => {
    const wrong = { custom_id: 5, method: "GET", url: "/v1/chat/completions", bdy: {} };
    expect(problemsOfItem(wrong).map(({ param }) => param)).toEqual([
      ...["bdy", "custom_id", "method", "url", "body"],
    ]);
    expect(problemsOfItem(wrong)[0]?.message).toContain("did you mean `body`?");
  });

  test.each(["", "x".repeat(257), null, 1, ["a"]])("takes no custom_id like %j", (customId) => {
    expect(problemsOfItem({ ...item, custom_id: customId })[0]?.param).toBe("custom_id");
  });

  test("that has a completion's fields beside its body is told where they go", () => {
    const [problem] = problemsOfItem({ ...item, max_tokens: 5 });
    expect(problem).toEqual({
      param: "max_tokens",
      message: "`max_tokens` is not a field; it goes into `body`.",
    });
  });

  test.each([null, 5, SECRET, [item]])("is an object, and nothing of %j is repeated", (value) => {
    const [problem] = problemsOfItem(value);
    expect(problem?.param).toBeNull();
    expect(problem?.message).not.toContain(SECRET);
    expect(problem?.message).not.toContain("5");
  });
});

describe("a Job's body", () => {
  test("has prompts with what they share, or completions", () => {
    const prompts = { name: "n", model: "m", params: { n: 2 }, prompts: ["a", [1]] };
    expect(parseJobBody(prompts)).toEqual({ ok: true, job: { kind: "prompts", ...prompts } });
    expect(parseJobBody({ completions: [item] })).toEqual({
      ok: true,
      job: { kind: "completions", name: null, completions: [item] },
    });
  });

  test.each<[string, unknown, string[]]>([
    ["neither", { model: "m" }, ["prompts"]],
    ["both", { prompts: ["a"], completions: [item] }, ["completions"]],
    ["an empty list", { prompts: [] }, ["prompts"]],
    ["no list", { completions: item }, ["completions"]],
    ["too many", { model: "m", prompts: new Array(50_001).fill("a") }, ["prompts"]],
    ["a model beside completions", { model: "m", completions: [item] }, ["model"]],
    ["params beside completions", { params: {}, completions: [item] }, ["params"]],
    ["params that are none", { model: "m", params: [1], prompts: ["a"] }, ["params"]],
    [
      "a prompt in params",
      { model: "m", params: { prompt: "b" }, prompts: ["a"] },
      ["params.prompt"],
    ],
    ["a model in params", { model: "m", params: { model: "b" }, prompts: ["a"] }, ["params.model"]],
    ["an empty name", { name: "", completions: [item] }, ["name"]],
    ["a long name", { name: "x".repeat(201), completions: [item] }, ["name"]],
    ["several at once", { name: 5, prompt: "a", prompts: 1 }, ["prompt", "name", "prompts"]],
  ])("with %s is refused by the field", (_, value, params) => {
    expect(problemsOfJob(value).map(({ param }) => param)).toEqual(params);
  });

  test("with a field that is near says which one is meant, or where it goes", () => {
    expect(problemsOfJob({ prompt: "a", prompts: ["a"] })[0]?.message).toContain("`prompts`?");
    const [problem] = problemsOfJob({ model: "m", prompts: ["a"], temperature: 0 });
    expect(problem?.message).toContain("it goes into `params`");
  });

  test("never repeats a name that may be a prompt", () => {
    const problems = problemsOfJob({ [SECRET]: 1, completions: [item] });
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain(SECRET);
  });
});

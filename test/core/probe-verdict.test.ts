import { describe, expect, test } from "vitest";
import catalogue from "../../infra/models.json" with { type: "json" };
import { parseCatalogue } from "../../src/contract/catalogue.ts";
import { judgeKnownAnswer, knownQuestion } from "../../src/core/probe-verdict.ts";

const model = parseCatalogue(catalogue).get("local");
if (model === undefined) throw new Error("the catalogue has no local Model");

const answer = {
  choices: [{ text: " the", logprobs: { tokens: ["token_id:262"], token_logprobs: [-2.5] } }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
};

test("one greedy token after the first token is asked, in vLLM's fields", () => {
  expect(knownQuestion(model, "served/name")).toEqual({
    ...{ model: "served/name", prompt: [model.bos_id], max_tokens: 1, temperature: 0 },
    ...{ logprobs: 0, return_tokens_as_token_ids: true },
  });
});

describe("a backend is ready", () => {
  test("when it answers with one token of the Model and its log-probability", () => {
    expect(judgeKnownAnswer(200, JSON.stringify(answer), model)).toBeNull();
  });

  test("when the token was certain", () => {
    const certain = {
      ...answer,
      choices: [{ logprobs: { tokens: ["token_id:1"], token_logprobs: [0] } }],
    };
    expect(judgeKnownAnswer(200, JSON.stringify(certain), model)).toBeNull();
  });
});

const choice = (tokens: unknown, token_logprobs: unknown) => ({
  ...answer,
  choices: [{ logprobs: { tokens, token_logprobs } }],
});

test.each([
  ["no JSON", "Service Unavailable"],
  ["no choice", { ...answer, choices: [] }],
  ["another count of the prompt", { ...answer, usage: { prompt_tokens: 0, completion_tokens: 1 } }],
  ["no new token", { ...answer, usage: { prompt_tokens: 1, completion_tokens: 0 } }],
  ["no usage", { choices: answer.choices }],
  ["a token beyond the vocabulary", choice(["token_id:50257"], [-1])],
  ["a token that is no id", choice([" the"], [-1])],
  ["a positive log-probability", choice(["token_id:1"], [0.1])],
  ["no log-probability", choice(["token_id:1"], [null])],
])("a backend is not ready that answers with %s", (_, body) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  expect(judgeKnownAnswer(200, text, model)).toEqual(expect.any(String));
});

test("a backend is not ready that answers with another status, and the reason quotes nothing", () => {
  expect(judgeKnownAnswer(503, "a secret prompt", model)).toBe("the completion was answered 503");
});

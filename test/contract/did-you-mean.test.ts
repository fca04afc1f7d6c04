import { expect, test } from "vitest";
import { fieldNames } from "../../src/contract/completion-fields.ts";
import { parseCompletionRequest } from "../../src/contract/completion-request.ts";
import { didYouMean, editDistance } from "../../src/contract/did-you-mean.ts";

test.each([
  ["max_completion_tokens", "max_tokens"],
  ["max_new_tokens", "max_tokens"],
  ["max_length", "max_tokens"],
  ["top_logprobs", "logprobs"],
  ["stop_sequences", "stop"],
  ["prompt_token_ids", "prompt"],
  ["maxTokens", "max_tokens"],
  ["max-tokens", "max_tokens"],
  ["Temperature", "temperature"],
  ["temprature", "temperature"],
  ["tempertaure", "temperature"],
  ["topp", "top_p"],
  ["logit_biases", "logit_bias"],
  ["steam", "stream"],
  ["promt", "prompt"],
])("%s is taken for %s", (unknown, field) => {
  expect(didYouMean(unknown, fieldNames)).toBe(`did you mean \`${field}\`?`);
  const parsed = parseCompletionRequest({ model: "m", prompt: "a", [unknown]: 1 });
  expect(parsed).toMatchObject({ ok: false, problems: [{ param: unknown }] });
});

test.each([
  ["messages", "no chat template"],
  ["tools", "no chat template"],
  ["extra_body", "argument of the SDK"],
  ["do_sample", "temperature"],
])("%s is explained", (unknown, words) => {
  expect(didYouMean(unknown, fieldNames)).toContain(words);
});

test("a name that is near to nothing gets no guess", () => {
  for (const name of ["x", "ab", "frobnicate", "metadata", "service_tier", "constructor"]) {
    expect(didYouMean(name, fieldNames)).toBeNull();
  }
});

test("every field that an alias leads to exists", () => {
  for (const name of ["engine", "n_predict", "include_usage", "rep_pen", "add_bos_token"]) {
    const field = /`(\w+)`/.exec(didYouMean(name, fieldNames) ?? "")?.[1];
    expect(fieldNames).toContain(field);
  }
});

test("the edit distance counts letters added, lost, changed and swapped", () => {
  expect(editDistance("", "abc")).toBe(3);
  expect(editDistance("abc", "")).toBe(3);
  expect(editDistance("abc", "abc")).toBe(0);
  expect(editDistance("abc", "axc")).toBe(1);
  expect(editDistance("abcd", "acbd")).toBe(1);
  expect(editDistance("kitten", "sitting")).toBe(3);
});

// A text whose tokens are counted for a Model's rule before it is admitted or refused.
import { describe, expect, test } from "vitest";
import { Backend, complete, errorOf, newPerson } from "./calling.ts";

/** Of the whole vocabulary for each token of this many words; the cap is 128 tokens. */
function wholeVocabulary(backend: Backend, words: number) {
  const prompt = [backend.name, ...Array.from({ length: words - 1 }, () => "x")].join(" ");
  return { prompt, prompt_logprobs: -1 };
}

const tooLarge = { status: 400, code: "whole_vocabulary_too_large", param: "prompt_logprobs" };
const startsLeft = "x-ratelimit-remaining-requests";

describe("a Completion whose prompt is counted first", () => {
  test("uses one start when it is answered", async () => {
    const person = await newPerson({ limits: { starts_per_minute: 3 } });
    const backend = new Backend();
    const response = await complete(person.key, wholeVocabulary(backend, 128));
    expect(response.status).toBe(200);
    expect(response.headers.get(startsLeft)).toBe("2");
    expect(await backend.seen("/tokenize")).toHaveLength(1);
    await backend.reached(1);
  });

  test("uses one start when it is refused after counting", async () => {
    const person = await newPerson({ limits: { starts_per_minute: 3 } });
    const backend = new Backend();
    const response = await complete(person.key, wholeVocabulary(backend, 129));
    expect(response.headers.get(startsLeft)).toBe("2");
    expect(await errorOf(response)).toMatchObject(tooLarge);
    expect(await backend.seen("/tokenize")).toHaveLength(1);
    expect(await backend.seen("/v1/completions")).toEqual([]);
  });

  test("is refused by the rate once its starts are used up, whatever was counted", async () => {
    const person = await newPerson({ limits: { starts_per_minute: 2 } });
    const backend = new Backend();
    for (const left of ["1", "0"]) {
      const response = await complete(person.key, wholeVocabulary(backend, 129));
      expect(response.headers.get(startsLeft)).toBe(left);
      expect(await errorOf(response)).toMatchObject(tooLarge);
    }
    for (const words of [128, 129]) {
      const error = await errorOf(complete(person.key, wholeVocabulary(backend, words)));
      expect(error).toMatchObject({ status: 429, code: "rate_limited", retry: "true" });
    }
    expect(await backend.seen("/v1/completions")).toEqual([]);
  });
});

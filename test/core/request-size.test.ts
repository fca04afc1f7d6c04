import fc from "fast-check";
import { expect, test } from "vitest";
import { countChoices, promptTokenBound, utf8Length } from "../../src/core/request-size.ts";

test("the UTF-8 length is what an encoder gives, lone surrogates included", () => {
  const unit = fc.constantFrom("a", "é", "\u0800", "€", "😀", "\ud800", "\udc00", "\u0000");
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit })), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
    { numRuns: 1000 },
  );
});

test("text is bounded by its bytes and two special tokens, for each prompt", () => {
  const prompts = { kind: "text", texts: ["abc", "😀"] } as const;
  expect(promptTokenBound({ prompts })).toEqual({ perPrompt: [5, 6], exact: false });
});

test("ids are counted exactly", () => {
  const prompts = { kind: "ids", ids: [[1, 2, 3], [4]] } as const;
  expect(promptTokenBound({ prompts })).toEqual({ perPrompt: [3, 1], exact: true });
  expect(countChoices({ prompts, n: 3 })).toBe(6);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinBytes } from "../../src/core/answer-bytes.ts";
import {
  type Replacement,
  rewriteHead,
  rewriteTail,
  TAIL_BYTES,
} from "../../src/core/plain-answer.ts";
import {
  bytesOf,
  choiceJson,
  hostileTexts,
  logprobsJson,
  plainJson,
  textOf,
  usageJson,
} from "./engine-answers.ts";
import { numRuns } from "./property-runs.ts";

function replaced(bytes: Uint8Array, { from, to, bytes: other }: Replacement): Uint8Array {
  return joinBytes([bytes.subarray(0, from), other, bytes.subarray(to)]);
}

/** The answer as a client gets it, or null when it is none. */
function forward(answer: string): string | null {
  const bytes = bytesOf(answer);
  const head = rewriteHead(bytes, "catalogue-id");
  const tail = rewriteTail(bytes);
  if (head === null || tail === null) return null;
  return textOf(replaced(replaced(bytes, tail.replacement), head));
}

/** What must come out: the same choices, the other model, and what OpenAI's answer has behind them. */
function expected(choices: string, usage = usageJson(5, 3)): string {
  return plainJson(choices, { usage, model: "catalogue-id" }).replace(
    ',"prompt_logprobs":null',
    "",
  );
}

describe("a plain answer", () => {
  test("gets the catalogue's id and loses the engine's own fields", () => {
    const extra = ',"kv_transfer_params":{"blocks":[1,2],"to":"x"},"metrics":{"a":[{"b":1}],"c":2}';
    const choice = choiceJson({ finishReason: "length" });
    expect(forward(plainJson(choice, { extra }))).toBe(expected(choice));
  });

  test("gives the usage that stands behind its choices", () => {
    const tail = rewriteTail(bytesOf(plainJson(choiceJson(), { usage: usageJson(7, 9) })));
    expect(tail?.usage).toEqual({ promptTokens: 7, completionTokens: 9 });
  });

  test("may end in white space, which goes", () => {
    expect(forward(`${plainJson(choiceJson())}\r\n `)).toBe(expected(choiceJson()));
  });

  test.each(hostileTexts.map((text) => [JSON.stringify(text), text]))(
    "keeps choices byte for byte with %s",
    (_, text) => {
      const logprobs = logprobsJson([text, `a${text}`, `${text}b`, text]);
      const choices = [0, 1].map((index) => choiceJson({ index, text, logprobs })).join(",");
      expect(forward(plainJson(choices))).toBe(expected(choices));
    },
  );

  test("keeps choices byte for byte with any text, any tokens and any model name", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...hostileTexts),
      fc.string({ unit: fc.constantFrom('"', "\\", "]", ",", "}", "{", ":", "usage", "1") }),
    );
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 5 }), text, (said, tokens, model) => {
        const choice = choiceJson({ text: said, logprobs: logprobsJson(tokens) });
        expect(forward(plainJson(choice, { model }))).toBe(expected(choice));
      }),
      { numRuns },
    );
  });

  test("that breaks off at any byte has no tail", () => {
    const logprobs = logprobsJson(hostileTexts);
    const bytes = bytesOf(plainJson(choiceJson({ logprobs, finishReason: "stop" })));
    for (let length = 0; length < bytes.length; length++) {
      expect(rewriteTail(bytes.subarray(0, length))).toBeNull();
    }
  });

  test("is judged by its last bytes alone, wherever they begin", () => {
    const choices = [0, 1, 2].map((index) => choiceJson({ index, text: '],"usage":{}}' }));
    const bytes = bytesOf(plainJson(choices.join(",")));
    const whole = rewriteTail(bytes);
    const choicesEnd = whole?.replacement.from ?? 0;
    for (let from = 0; from < choicesEnd; from++) {
      const tail = rewriteTail(bytes.subarray(from));
      expect(tail?.usage).toEqual(whole?.usage);
      expect(tail?.replacement.from).toBe(choicesEnd - from);
    }
  });

  test("has its tail within the bytes that are held back", () => {
    const far = `,"kv_transfer_params":{"x":"${"y".repeat(TAIL_BYTES)}"}`;
    expect(forward(plainJson(choiceJson(), { extra: far }))).toBeNull();
  });

  test("is none without usage, with a choice that was given up, or with another shape", () => {
    expect(forward(plainJson(choiceJson(), { usage: "null" }))).toBeNull();
    expect(forward(plainJson(choiceJson(), { usage: '{"prompt_tokens":-1}' }))).toBeNull();
    const aborted = [choiceJson({ finishReason: "abort" }), choiceJson({ index: 1 })].join(",");
    expect(forward(plainJson(aborted))).toBeNull();
    expect(forward('{"error":{"message":"no"}}')).toBeNull();
    expect(forward("<html></html>")).toBeNull();
    expect(forward("")).toBeNull();
  });
});

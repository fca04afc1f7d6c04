import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitAnswer } from "../../src/core/split-answer.ts";
import { numRuns } from "./property-runs.ts";

const utf8 = new TextEncoder();
const GROUP_ID = "req_group";

/** What looks like the members that are looked for, in texts and as tokens. */
const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    '"token_ids":[1,2]',
    '{"index":7',
    '],"usage":{',
    "}]",
    '\\"',
    "__proto__",
    "é\u0000",
  ),
);

const logprobs = fc.option(
  fc.record({
    tokens: fc.array(nasty, { maxLength: 3 }),
    top_logprobs: fc.array(fc.dictionary(nasty, fc.double({ noNaN: true })), { maxLength: 3 }),
  }),
);

const choice = fc.record({
  text: nasty,
  logprobs,
  prompt: fc.array(fc.nat(50_256), { minLength: 1, maxLength: 5 }),
  generated: fc.array(fc.nat(50_256), { maxLength: 5 }),
});

type Choice = typeof choice extends fc.Arbitrary<infer Value> ? Value : never;

function choiceText({ text, logprobs: rows, prompt, generated }: Choice, at: number, ids: boolean) {
  return (
    `{"index":${at},"text":${JSON.stringify(text)},"logprobs":${JSON.stringify(rows)},` +
    `"finish_reason":"length","stop_reason":null,` +
    `"token_ids":${ids ? JSON.stringify(generated) : "null"},"prompt_logprobs":null,` +
    `"prompt_token_ids":${ids ? JSON.stringify(prompt) : "null"},"routed_experts":null}`
  );
}

/** As vLLM writes it. */
function answerText(choices: readonly Choice[], id: string, ids: boolean): string {
  const sum = (of: (choice: Choice) => readonly number[]) =>
    choices.reduce((all, one) => all + of(one).length, 0);
  const [prompt, completion] = [sum((one) => one.prompt), sum((one) => one.generated)];
  return (
    `{"id":"cmpl-${id}","object":"text_completion","created":1790000000,"model":"local",` +
    `"choices":[${choices.map((one, at) => choiceText(one, at, ids)).join(",")}],` +
    `"service_tier":null,"system_fingerprint":"vllm-0.33.0","usage":{"prompt_tokens":${prompt},` +
    `"total_tokens":${prompt + completion},"completion_tokens":${completion},` +
    `"prompt_tokens_details":null}}`
  );
}

function split(text: string, ownIds: readonly string[], keepTokenIds = false) {
  return splitAnswer({ answer: utf8.encode(text), requestId: GROUP_ID, ownIds, keepTokenIds });
}

const texts = (own: ReturnType<typeof split>) =>
  own?.map(({ bytes }) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));

describe("an answer to several prompts", () => {
  test("becomes byte for byte what each prompt would have got alone", () => {
    fc.assert(
      fc.property(fc.array(choice, { minLength: 1, maxLength: 6 }), fc.boolean(), (all, keeps) => {
        const ownIds = all.map((_, at) => `req_${at}`);
        const own = split(answerText(all, GROUP_ID, true), ownIds, keeps);
        expect(texts(own)).toEqual(all.map((one, at) => answerText([one], `req_${at}`, keeps)));
        expect(own?.map(({ usage }) => usage)).toEqual(
          all.map(({ prompt, generated }) => {
            return { promptTokens: prompt.length, completionTokens: generated.length };
          }),
        );
      }),
      { numRuns },
    );
  });

  const one: Choice = { text: "a", logprobs: null, prompt: [1, 2], generated: [3] };

  test("is not taken apart where it has fewer or more choices than prompts", () => {
    const text = answerText([one, one], GROUP_ID, true);
    expect(split(text, ["req_0"])).toBeNull();
    expect(split(text, ["req_0", "req_1", "req_2"])).toBeNull();
  });

  test("is not taken apart where the choices' tokens are not the usage's sum", () => {
    const text = answerText([one, one], GROUP_ID, true);
    expect(split(text.replace('"completion_tokens":2', '"completion_tokens":3'), ["a", "b"])).toBe(
      null,
    );
    expect(split(text.replace('"prompt_tokens":4', '"prompt_tokens":5'), ["a", "b"])).toBeNull();
  });

  test("is not taken apart where the choices come in another order, or without ids", () => {
    const text = answerText([one, one], GROUP_ID, true);
    const turned = text.replace('"index":0', '"index":9').replace('"index":1', '"index":0');
    expect(split(turned.replace('"index":9', '"index":1'), ["a", "b"])).toBeNull();
    expect(split(answerText([one, one], GROUP_ID, false), ["a", "b"])).toBeNull();
  });

  test("is not taken apart where it breaks off", () => {
    const text = answerText([one, one], GROUP_ID, true);
    for (let end = 0; end < text.length; end += 1) {
      expect(split(text.slice(0, end), ["a", "b"])).toBeNull();
    }
  });
});

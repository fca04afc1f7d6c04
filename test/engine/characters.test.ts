import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shownText } from "../../infra/local/engine/token-text.ts";
import { decodeTokens, tokenize } from "../../infra/local/engine/tokenizer.ts";
import { chunksOf, firstChoice, startTestEngine, type TestEngine } from "./calling.ts";

let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine.close());

describe("tokenizing", () => {
  test.each(["", "plain", "wörter", "中文字", "🎉🏳️‍🌈", "\u0000\n\t", "x".repeat(9000)])(
    "gives back the text %j",
    (text) => {
      expect(decodeTokens(tokenize(text))).toBe(text);
    },
  );

  test("never makes more tokens than the text has bytes", () => {
    for (const text of ["a b c", "🎉🏳️‍🌈", "\n".repeat(5000), "中".repeat(3000), "<|endoftext|>"]) {
      expect(tokenize(text).length).toBeLessThanOrEqual(Buffer.byteLength(text));
    }
  });
});

describe("a character split over tokens", () => {
  // U+1F389 is three tokens in GPT-2's vocabulary.
  const party = tokenize("🎉");

  test("is shown whole with its last token, and as nothing until then", () => {
    expect(party.length).toBeGreaterThan(1);
    const texts = party.map((id, i) => shownText(id, party.slice(0, i)));
    expect(texts).toEqual([...party.slice(1).map(() => ""), "🎉"]);
  });

  test("gives chunks with a token and no text, and half of it is no text at the end", async () => {
    const asked = { max_tokens: 2, allowed_token_ids: party.slice(0, 1), logprobs: 0 };
    const choices = chunksOf(await engine.stream({ prompt: "A party", ...asked })).map(firstChoice);
    expect(choices).toHaveLength(2);
    for (const choice of choices) {
      expect(choice.text).toBe("");
      expect(choice.logprobs?.tokens).toEqual([""]);
    }
  });

  test("that a prompt leaves open is completed by the answer", async () => {
    const [last = 0] = party.slice(-1);
    const asked = { max_tokens: 1, allowed_token_ids: [last] };
    const prompt = [...tokenize("A party"), ...party.slice(0, -1)];
    expect(firstChoice(await engine.complete({ prompt, ...asked })).text).toBe("🎉");
  });
});

test("rows of the whole vocabulary show the completing token whole as well", async () => {
  const prompt = [...tokenize("A party "), ...tokenize("🎉")];
  const answer = await engine.complete({ prompt, max_tokens: 1, prompt_logprobs: -1 });
  const row = firstChoice(answer).prompt_logprobs?.at(-1) ?? {};
  expect(Object.keys(row)).toHaveLength(50_257);
  expect(row[prompt.at(-1) ?? -1]?.decoded_token).toBe("🎉");
});

test("text offsets count characters, not UTF-16 units", async () => {
  const asked = { prompt: "🎉🎉 now", max_tokens: 0, echo: true, logprobs: 0 };
  const { logprobs } = firstChoice(await engine.complete(asked));
  const now = logprobs?.tokens.indexOf(" now") ?? -1;
  const before = logprobs?.tokens.slice(0, now).join("") ?? "";
  expect(logprobs?.text_offset[now]).toBe([...before].length);
});

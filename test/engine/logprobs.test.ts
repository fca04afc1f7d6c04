import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstChoice, type PromptLogprob, startTestEngine, type TestEngine } from "./calling.ts";

let engine: TestEngine;
let fast: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine();
  fast = await startTestEngine({ fast: true });
});
afterAll(() => Promise.all([engine.close(), fast.close()]));

const prompt = "It was the whale";

describe("prompt_logprobs", () => {
  test("start with null, then the prompt's own token first and the best after it", async () => {
    const response = await engine.post({ prompt, max_tokens: 1, prompt_logprobs: 2 });
    const text = await response.text();
    const rows = /"prompt_logprobs":\[null,(.*)\],"prompt_token_ids"/.exec(text)?.[1] ?? "";
    const entry = /"\d+":\{"logprob":-\d+\.\d+,"rank":\d+,"decoded_token":"[^"]*"\}/g;
    expect(rows).toMatch(/^\{"373":\{/);
    expect(rows.replace(entry, "e")).toMatch(/^\{e,e(,e)?\},\{e,e(,e)?\},\{e,e(,e)?\}$/);
  });

  test.each([
    ["the learned model", () => engine],
    ["the fixed answer", () => fast],
  ])("-1 gives 50,257 true log-probabilities a token, from %s", async (_name, which) => {
    const asked = { prompt, max_tokens: 1, prompt_logprobs: -1 };
    const rows = firstChoice(await which().complete(asked)).prompt_logprobs ?? [];
    expect(rows[0]).toBeNull();
    expect(rows).toHaveLength(4);
    for (const row of rows.slice(1)) {
      const entries: PromptLogprob[] = Object.values(row ?? {});
      expect(entries).toHaveLength(50_257);
      const sum = entries.reduce((total, { logprob }) => total + Math.exp(logprob), 0);
      expect(sum).toBeCloseTo(1, 5);
      const ranks = new Set(entries.map(({ rank }) => rank));
      expect(ranks.size).toBe(50_257);
    }
  });

  test("agree between k and the whole vocabulary", async () => {
    const whole = firstChoice(
      await engine.complete({ prompt, max_tokens: 1, prompt_logprobs: -1 }),
    );
    const few = firstChoice(await engine.complete({ prompt, max_tokens: 1, prompt_logprobs: 5 }));
    few.prompt_logprobs?.forEach((row, i) => {
      for (const [id, entry] of Object.entries(row ?? {})) {
        const { rank, ...rest } = whole.prompt_logprobs?.[i]?.[id] ?? { rank: 0 };
        expect(entry).toMatchObject(rest);
        if (entry.rank <= 5) expect(entry.rank).toBe(rank);
      }
    });
  });

  test("large answers flow in chunks and small ones have a length", async () => {
    const small = await engine.post({ prompt, max_tokens: 1, prompt_logprobs: 1 });
    expect(small.headers.get("content-length")).not.toBeNull();
    await small.text();
    const large = await engine.post({ prompt, max_tokens: 1, prompt_logprobs: -1 });
    expect(large.headers.get("content-length")).toBeNull();
    await large.text();
  });
});

describe("logprobs", () => {
  test("hold the best k, and the written token if it is not among them", async () => {
    const asked = { prompt, max_tokens: 40, seed: 8, logprobs: 2 };
    const logprobs = firstChoice(await engine.complete(asked)).logprobs;
    const sizes = new Set(logprobs?.top_logprobs.map((map) => Object.keys(map ?? {}).length));
    expect(sizes).toEqual(new Set([2, 3]));
    logprobs?.tokens.forEach((token, i) => {
      expect(logprobs.top_logprobs[i]?.[token]).toBe(logprobs.token_logprobs[i]);
    });
  });

  test("of -1 have empty maps, and of the vocabulary's size all of it", async () => {
    const asked = { prompt, max_tokens: 1, seed: 1, return_tokens_as_token_ids: true };
    const none = firstChoice(await engine.complete({ ...asked, logprobs: -1 }));
    expect(none.logprobs?.top_logprobs).toEqual([{}]);
    const all = firstChoice(await engine.complete({ ...asked, logprobs: 50_257 }));
    const map = all.logprobs?.top_logprobs[0] ?? {};
    expect(Object.keys(map)).toHaveLength(50_257);
    const sum = Object.values(map).reduce((total, logprob) => total + Math.exp(logprob), 0);
    expect(sum).toBeCloseTo(1, 5);
    expect(all.logprobs?.tokens[0]).toMatch(/^token_id:\d+$/);
  });

  test("of chosen ids hold the written token and those", async () => {
    const asked = { prompt, max_tokens: 3, seed: 1, logprobs: 1, return_tokens_as_token_ids: true };
    const choice = firstChoice(await engine.complete({ ...asked, logprob_token_ids: [5, 50_256] }));
    for (const [i, map] of (choice.logprobs?.top_logprobs ?? []).entries()) {
      const written = choice.logprobs?.tokens[i] ?? "";
      expect(Object.keys(map ?? {})).toEqual([
        ...new Set([written, "token_id:5", "token_id:50256"]),
      ]);
    }
  });

  test("of a prompt are the same by echo, by prompt_logprobs and by writing", async () => {
    const asked = { prompt, max_tokens: 5, seed: 2, logprobs: 0 };
    const written = firstChoice(await engine.complete({ ...asked, return_token_ids: true }));
    const ids = [...(written.prompt_token_ids ?? []), ...(written.token_ids ?? [])];
    const scoring = { prompt: ids, max_tokens: 0, echo: true, logprobs: 0 };
    const scored = firstChoice(await engine.complete(scoring));
    expect(scored.logprobs?.token_logprobs.slice(-5)).toEqual(written.logprobs?.token_logprobs);
    const rows = scored.prompt_logprobs ?? [];
    expect(rows.map((row, i) => row?.[ids[i] ?? -1]?.logprob ?? null)).toEqual(
      scored.logprobs?.token_logprobs,
    );
  });
});

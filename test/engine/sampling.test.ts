import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tokenize } from "../../infra/local/engine/tokenizer.ts";
import { firstChoice, startTestEngine, type TestEngine } from "./calling.ts";

let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine.close());

const prompt = "It was the";
const text = async (body: object) =>
  firstChoice(await engine.complete({ prompt, max_tokens: 12, ...body })).text;

describe("seeds", () => {
  test("the same seed gives the same text, another seed another", async () => {
    expect(await text({ seed: 5 })).toBe(await text({ seed: 5 }));
    expect(await text({ seed: 5 })).not.toBe(await text({ seed: 6 }));
  });

  test("seeds differ beyond 32 bits", async () => {
    expect(await text({ seed: 5 })).not.toBe(await text({ seed: 5 + 2 ** 40 }));
  });

  test("sample j of n has seed + j", async () => {
    const { choices } = await engine.complete({ prompt, max_tokens: 12, seed: 9, n: 3 });
    const alone = [await text({ seed: 9 }), await text({ seed: 10 }), await text({ seed: 11 })];
    expect(choices.map((choice) => choice.text)).toEqual(alone);
  });

  test("every prompt of a list has the request's own seed", async () => {
    const { choices } = await engine.complete({
      prompt: [prompt, prompt],
      max_tokens: 12,
      seed: 9,
    });
    expect(choices.map((choice) => choice.text)).toEqual([
      await text({ seed: 9 }),
      await text({ seed: 9 }),
    ]);
  });

  test("a seed holds at every temperature and filter", async () => {
    const body = { seed: 3, temperature: 1.3, top_p: 0.8, top_k: 40, min_p: 0.01 };
    expect(await text(body)).toBe(await text(body));
  });
});

describe("choosing", () => {
  test("temperature 0 takes the most likely token each time", async () => {
    const answer = await engine.complete({ prompt, max_tokens: 6, temperature: 0, logprobs: 1 });
    const { logprobs } = firstChoice(answer);
    expect(logprobs?.tokens).toEqual(
      logprobs?.top_logprobs.map((map) => Object.keys(map ?? {})[0]),
    );
    expect(logprobs?.top_logprobs.every((map) => Object.keys(map ?? {}).length === 1)).toBe(true);
  });

  test("top_k 1 and a tiny top_p are greedy", async () => {
    const greedy = await text({ temperature: 0 });
    expect(await text({ top_k: 1, seed: 1 })).toBe(greedy);
    expect(await text({ top_p: 1e-9, seed: 2 })).toBe(greedy);
    expect(await text({ min_p: 1, seed: 3 })).toBe(greedy);
  });

  test("only allowed tokens come, and banned ones never", async () => {
    const [yes = 0, no = 0] = [tokenize(" yes")[0], tokenize(" no")[0]];
    const body = { prompt, max_tokens: 20, seed: 1, return_token_ids: true };
    const allowed = await engine.complete({ ...body, allowed_token_ids: [yes, no] });
    expect(new Set(firstChoice(allowed).token_ids)).toEqual(new Set([yes, no]));
    const bias = { [yes]: 100 };
    const biased = await engine.complete({ ...body, logit_bias: bias });
    expect(new Set(firstChoice(biased).token_ids)).toEqual(new Set([yes]));
    const without = await engine.complete({ ...body, logit_bias: bias, bad_words: ["yes"] });
    expect(firstChoice(without).token_ids).not.toContain(yes);
  });

  test("logprobs are those before bias and temperature", async () => {
    const id = tokenize(" whale")[0] ?? 0;
    const body = { prompt, max_tokens: 1, logprobs: 0 };
    const forced = await engine.complete({ ...body, logit_bias: { [id]: 100 }, temperature: 0.5 });
    const scored = await engine.complete({
      prompt: `${prompt} whale`,
      max_tokens: 1,
      prompt_logprobs: 0,
    });
    const row = firstChoice(scored).prompt_logprobs?.at(-1);
    expect(firstChoice(forced).logprobs?.token_logprobs[0]).toBe(row?.[id]?.logprob);
  });

  test("penalties change what is written and repetition is punished", async () => {
    const plain = await text({ temperature: 0, max_tokens: 40 });
    const punished = await engine.complete({
      prompt,
      max_tokens: 40,
      temperature: 0,
      repetition_penalty: 10,
      presence_penalty: 2,
      frequency_penalty: 2,
      return_token_ids: true,
    });
    const choice = firstChoice(punished);
    expect(choice.text).not.toBe(plain);
    expect(new Set(choice.token_ids).size).toBeGreaterThan(30);
  });
});

describe("ending", () => {
  const eos = { logit_bias: { 50256: 100 }, prompt, max_tokens: 9, return_token_ids: true };

  test("the end-of-text token stops, is counted, and is not shown", async () => {
    const answer = await engine.complete(eos);
    expect(firstChoice(answer)).toMatchObject({
      text: "",
      finish_reason: "stop",
      stop_reason: null,
      token_ids: [50_256],
    });
    expect(answer.usage.completion_tokens).toBe(1);
  });

  test("the model ends texts by itself", async () => {
    const { choices } = await engine.complete({ prompt, max_tokens: 1000, seed: 1, n: 8 });
    expect(choices.some((choice) => choice.finish_reason === "stop")).toBe(true);
  });

  test("ignore_eos writes on, and skip_special_tokens false shows it", async () => {
    const body = { ...eos, ignore_eos: true, max_tokens: 2 };
    const hidden = firstChoice(await engine.complete(body));
    expect(hidden).toMatchObject({ text: "", finish_reason: "length" });
    const shown = firstChoice(await engine.complete({ ...body, skip_special_tokens: false }));
    expect(shown.text).toBe("<|endoftext|><|endoftext|>");
  });

  test("min_tokens holds back the end-of-text token and stop tokens", async () => {
    const answer = await engine.complete({ ...eos, min_tokens: 4 });
    const ids = firstChoice(answer).token_ids ?? [];
    expect(ids.slice(0, 4)).not.toContain(50_256);
    expect(ids[4]).toBe(50_256);
  });

  test("a stop string is cut off, or kept if asked, and named", async () => {
    const whole = await text({ seed: 5, max_tokens: 20 });
    const stop = whole.slice(9, 14);
    const cut = firstChoice(await engine.complete({ prompt, max_tokens: 20, seed: 5, stop }));
    expect(cut).toMatchObject({
      text: whole.slice(0, whole.indexOf(stop)),
      finish_reason: "stop",
      stop_reason: stop,
    });
    const body = {
      prompt,
      max_tokens: 20,
      seed: 5,
      stop: [stop],
      include_stop_str_in_output: true,
    };
    const kept = firstChoice(await engine.complete(body));
    expect(kept.text).toBe(whole.slice(0, whole.indexOf(stop) + stop.length));
  });

  test("a stop token ends the text, counted and not shown", async () => {
    const id = tokenize(" zebra")[0] ?? 0;
    const body = { prompt, max_tokens: 9, logit_bias: { [id]: 100 }, stop_token_ids: [id] };
    const answer = await engine.complete(body);
    expect(firstChoice(answer)).toMatchObject({ text: "", finish_reason: "stop", stop_reason: id });
    expect(answer.usage.completion_tokens).toBe(1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chunksOf, firstChoice, startTestEngine, type TestEngine } from "./calling.ts";

let engine: TestEngine;
let locked: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine();
  locked = await startTestEngine({ apiKey: "sesame" });
});
afterAll(() => Promise.all([engine.close(), locked.close()]));

const body = { prompt: "Call me", max_tokens: 2, seed: 1 };

describe("a plain answer", () => {
  test("has vLLM's keys in vLLM's order, compact, with its nulls and its length", async () => {
    const response = await engine.post(body, { headers: { "x-request-id": "abc" } });
    const text = await response.text();
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(Number(response.headers.get("content-length"))).toBe(Buffer.byteLength(text));
    const shape = text
      .replace(/"created":\d+/, '"created":0')
      .replace(/"text":"[^"]*"/, '"text":""')
      .replace(/vllm-[\d.]+-[0-9a-f]{8}/, "fingerprint");
    expect(shape).toBe(
      '{"id":"cmpl-abc","object":"text_completion","created":0,"model":"local","choices":[' +
        '{"index":0,"text":"","logprobs":null,"finish_reason":"length","stop_reason":null,' +
        '"token_ids":null,"prompt_logprobs":null,"prompt_token_ids":null,"routed_experts":null}],' +
        '"service_tier":null,"system_fingerprint":"fingerprint",' +
        '"usage":{"prompt_tokens":2,"total_tokens":4,"completion_tokens":2,' +
        '"prompt_tokens_details":null},"kv_transfer_params":null,"ec_transfer_params":null,' +
        '"metrics":null}',
    );
  });

  test("counts each prompt once and sums all choices", async () => {
    const prompt = [
      [1, 2, 3],
      [4, 5],
    ];
    const answer = await engine.complete({ prompt, n: 3, max_tokens: 4, ignore_eos: true });
    expect(answer.usage).toMatchObject({
      prompt_tokens: 5,
      completion_tokens: 24,
      total_tokens: 29,
    });
    expect(answer.choices.map((choice) => choice.index)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe("a stream", () => {
  test("has a chunk a token, only the fields that were set, and [DONE]", async () => {
    const events = await engine.stream(body, { headers: { "x-request-id": "abc" } });
    expect(events.at(-1)).toBe("[DONE]");
    expect(events).toHaveLength(3);
    const head = /^\{"id":"cmpl-abc","object":"text_completion","created":\d+,"model":"local",/;
    const choice = /"choices":\[\{"index":0,"text":"[^"]*","logprobs":null,"finish_reason":null,/;
    const tail = /"stop_reason":null,"prompt_token_ids":null,"token_ids":null\}\]\}$/;
    for (const part of [head, choice, tail]) expect(events[0]).toMatch(part);
    expect(events[1]).toMatch(/"finish_reason":"length",.*\],"system_fingerprint":"[^"]+"\}$/);
  });

  test("says the same as the plain answer, over echo, logprobs, n and prompts", async () => {
    for (const echo of [false, true]) {
      for (const logprobs of [null, 0, 3]) {
        const asked = {
          prompt: ["It was the", "Thus far"],
          n: 2,
          max_tokens: 6,
          seed: 4,
          echo,
          logprobs,
          return_tokens_as_token_ids: true,
        };
        const plain = await engine.complete(asked);
        const chunks = chunksOf(await engine.stream(asked));
        for (const choice of plain.choices) {
          const parts = chunks.flatMap((c) => c.choices).filter((c) => c.index === choice.index);
          expect(parts.map((part) => part.text).join("")).toBe(choice.text);
          expect(parts.at(-1)?.finish_reason).toBe(choice.finish_reason);
          if (logprobs === null) continue;
          const joined = parts.flatMap((part) => part.logprobs?.token_logprobs ?? []);
          expect(joined).toEqual(choice.logprobs?.token_logprobs);
          const maps = parts.flatMap((part) => part.logprobs?.top_logprobs ?? []);
          expect(maps).toEqual(choice.logprobs?.top_logprobs);
        }
      }
    }
  });

  test("reports usage per choice while it runs and in a last chunk without choices", async () => {
    const asked = {
      prompt: [[1, 2, 3], [4]],
      max_tokens: 3,
      ignore_eos: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    };
    const events = await engine.stream(asked);
    const chunks = chunksOf(events);
    const last = chunks.pop();
    expect(last).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 },
    });
    expect(events.at(-2)).toMatch(
      /"usage":\{"prompt_tokens":4,"total_tokens":10,"comp[^}]*\},"sys/,
    );
    const ofSecond = chunks.filter((chunk) => firstChoice(chunk).index === 1);
    expect(ofSecond.map((chunk) => chunk.usage)).toEqual([
      { prompt_tokens: 1, total_tokens: 2, completion_tokens: 1 },
      { prompt_tokens: 1, total_tokens: 3, completion_tokens: 2 },
      { prompt_tokens: 1, total_tokens: 4, completion_tokens: 3 },
    ]);
  });

  test("gives prompt ids once and the ids of each chunk", async () => {
    const asked = { prompt: [1, 2], max_tokens: 3, seed: 2, return_token_ids: true };
    const plain = await engine.complete(asked);
    const choices = chunksOf(await engine.stream(asked)).map(firstChoice);
    expect(choices.map((choice) => choice.prompt_token_ids)).toEqual([[1, 2], null, null]);
    expect(choices.flatMap((choice) => choice.token_ids)).toEqual(firstChoice(plain).token_ids);
  });

  test("holds back what could become a stop string and never shows it", async () => {
    const whole = firstChoice(await engine.complete({ ...body, max_tokens: 20 })).text;
    const stop = whole.slice(10, 18);
    const parts = chunksOf(await engine.stream({ ...body, max_tokens: 20, stop })).map(firstChoice);
    expect(parts.map((part) => part.text).join("")).toBe(whole.slice(0, whole.indexOf(stop)));
    expect(parts.at(-1)).toMatchObject({ finish_reason: "stop", stop_reason: stop });
  });
});

describe("echo", () => {
  test("with max_tokens 0 gives the prompt and counts one token", async () => {
    const asked = { prompt: "Call me Ishmael", max_tokens: 0, echo: true, logprobs: 1 };
    const answer = await engine.complete(asked);
    const choice = firstChoice(answer);
    expect(choice.text).toBe("Call me Ishmael");
    expect(choice.logprobs?.tokens.join("")).toBe("Call me Ishmael");
    expect(choice.logprobs?.token_logprobs[0]).toBeNull();
    expect(choice.logprobs?.text_offset).toEqual([0, 4, 7, 10, 13]);
    expect(choice.prompt_logprobs).toHaveLength(5);
    expect(answer.usage.completion_tokens).toBe(1);
  });

  test("puts the decoded ids before the text", async () => {
    const choice = firstChoice(
      await engine.complete({ prompt: [50_256, 464], max_tokens: 1, echo: true }),
    );
    expect(choice.text).toMatch(/^<\|endoftext\|>The/);
  });
});

describe("refusals", () => {
  const refusal = async (asked: object) => {
    const response = await engine.post(asked);
    return { status: response.status, body: await response.json() };
  };

  test("are vLLM's, with a number as code", async () => {
    expect(await refusal({ ...body, model: "other" })).toEqual({
      status: 404,
      body: {
        error: {
          message: "The model `other` does not exist.",
          type: "NotFoundError",
          param: "model",
          code: 404,
        },
      },
    });
    expect(await refusal({ ...body, temperature: 3 })).toMatchObject({
      status: 400,
      body: { error: { type: "BadRequestError", param: "temperature", code: 400 } },
    });
    expect(await refusal({ ...body, max_tokens: "many" })).toMatchObject({
      status: 400,
      body: { error: { type: "Bad Request", param: "body.max_tokens", code: 400 } },
    });
    expect(await refusal({ ...body, max_tokens: 8191 })).toMatchObject({
      status: 400,
      body: { error: { param: "input_tokens" } },
    });
  });

  test("of a stream's token ids and logprobs come inside it, after 200", async () => {
    for (const asked of [{ prompt: [50_257] }, { ...body, logprobs: 50_258 }]) {
      const response = await engine.post({ ...asked, stream: true });
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toMatch(/^data: \{"error": \{"message": ".*", "type": "BadRequestError", /);
      expect(text).toMatch(/"code": 400\}\}\n\ndata: \[DONE\]\n\n$/);
      expect((await engine.post(asked)).status).toBe(400);
    }
  });

  test("fields it does not know are ignored", async () => {
    const answer = await engine.complete({ ...body, no_such_field: 1, cache_salt: "s" });
    expect(answer.choices).toHaveLength(1);
  });

  test("a missing or wrong key is a bare 401 on /v1 alone", async () => {
    const wrong = await locked.post(body, { headers: { authorization: "Bearer no" } });
    expect(wrong.status).toBe(401);
    expect(await wrong.text()).toBe('{"error":"Unauthorized"}');
    expect((await fetch(`${locked.url}/v1/models`)).status).toBe(401);
    expect((await fetch(`${locked.url}/health`)).status).toBe(200);
    const right = await locked.post(body, { headers: { authorization: "Bearer sesame" } });
    expect(right.status).toBe(200);
  });

  test("unknown paths and methods are JSON", async () => {
    const lost = await fetch(`${engine.url}/v1/nothing`);
    expect([lost.status, await lost.json()]).toMatchObject([404, { error: { code: 404 } }]);
    expect((await fetch(`${engine.url}/v1/completions`)).status).toBe(405);
  });
});

describe("the other routes", () => {
  const post = async (path: string, asked: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(asked) };
    return (await fetch(engine.url + path, init)).text();
  };

  test("tokenize and detokenize are each other's inverse", async () => {
    const prompt = "Hello wörld 中文 🎉<|endoftext|>";
    const tokenized = await post("/tokenize", { prompt, return_token_strs: true });
    expect(tokenized).toMatch(/^\{"count":\d+,"max_model_len":8192,"tokens":\[\d/);
    const { tokens, token_strs: texts } = JSON.parse(tokenized) as {
      tokens: number[];
      token_strs: string[];
    };
    expect(tokens.at(-1)).toBe(50_256);
    expect(texts[1]).toBe("Ġw");
    expect(JSON.parse(await post("/detokenize", { tokens }))).toEqual({ prompt });
  });

  test("models, health and version answer", async () => {
    const models = await (await fetch(`${engine.url}/v1/models`)).json();
    expect(models).toMatchObject({
      object: "list",
      data: [{ id: "local", object: "model", owned_by: "vllm", max_model_len: 8192 }],
    });
    expect(await (await fetch(`${engine.url}/health`)).text()).toBe("");
    expect(await (await fetch(`${engine.url}/version`)).json()).toEqual({ version: "0.33.0" });
  });
});

import { describe, expect, test } from "vitest";
import { countTokens, detokenizeIds, tokenizeText } from "../../../src/worker/forward/tokenize.ts";
import { Upstream } from "./upstream.ts";

const call = { requestId: "req_1", signal: null };
const failed = { ok: false, error: { code: "inference_failed" } };

function tokenizerAnswer(count: number, tokens = count): string {
  const ids = Array.from({ length: tokens }, (_, at) => at).join(",");
  return `{"count":${count},"max_model_len":8192,"tokens":[${ids}],"token_strs":null}`;
}

describe("tokens are counted by the backend", () => {
  const texts = ["one", "two"];

  test("each text by a request of its own, with the served name", async () => {
    const upstream = new Upstream();
    await upstream.answersWhole(tokenizerAnswer(3));
    const counted = await countTokens(
      upstream.backend,
      { texts, addSpecialTokens: false },
      "r",
      null,
    );
    expect(counted).toEqual({ ok: true, counts: [3, 3] });
    const seen = await upstream.seen();
    expect(seen.map(({ path }) => path)).toEqual(["/tokenize", "/tokenize"]);
    expect(seen.map(({ body }) => JSON.parse(body) as unknown).sort()).toEqual(
      texts.map((prompt) => ({ model: "served/name", prompt, add_special_tokens: false })),
    );
  });

  test("at most six at once", async () => {
    const upstream = new Upstream();
    const headers = { "content-type": "application/json" };
    const steps = [{ text: tokenizerAnswer(1) }];
    await upstream.script({ headers, holdHeaders: "a", steps });
    const many = { texts: Array.from({ length: 20 }, String), addSpecialTokens: true };
    const counting = countTokens(upstream.backend, many, "r", null);
    await expect.poll(async () => (await upstream.seen()).length).toBe(6);
    await upstream.open("a");
    expect(await counting).toEqual({ ok: true, counts: Array.from({ length: 20 }, () => 1) });
    expect(await upstream.seen()).toHaveLength(20);
  });

  test("from the head of an answer of any size", async () => {
    const upstream = new Upstream();
    const headers = { "content-type": "application/json" };
    const steps = [{ text: tokenizerAnswer(2_000_000, 500) }, { text: ",1", times: 500_000 }];
    await upstream.script({ headers, steps });
    const asked = { texts: ["x"], addSpecialTokens: true };
    const counted = await countTokens(upstream.backend, asked, "r", null);
    expect(counted).toEqual({ ok: true, counts: [2_000_000] });
  });

  test("of no text without a request", async () => {
    const none = { texts: [], addSpecialTokens: true };
    expect(await countTokens(new Upstream().backend, none, "r", null)).toEqual({
      ok: true,
      counts: [],
    });
  });

  test("or not at all, when one request fails", async () => {
    const upstream = new Upstream();
    await upstream.script({ status: 503, steps: [] });
    const counted = await countTokens(
      upstream.backend,
      { texts, addSpecialTokens: true },
      "r",
      null,
    );
    expect(counted).toMatchObject({ ok: false, error: { code: "model_starting" } });
  });

  test.each(["", "{}", '{"count":-1}', '{"tokens":[1],"count":1}', "<html>", "null"])(
    "never from %j",
    async (body) => {
      const upstream = new Upstream();
      await upstream.answersWhole(body);
      const counted = await countTokens(
        upstream.backend,
        { texts, addSpecialTokens: true },
        "r",
        null,
      );
      expect(counted).toMatchObject(failed);
    },
  );

  test("until the client leaves", async () => {
    const upstream = new Upstream();
    await upstream.script({ holdHeaders: "never", steps: [] });
    const client = new AbortController();
    const asked = { texts: ["x"], addSpecialTokens: true };
    const counting = countTokens(upstream.backend, asked, "r", client.signal);
    await expect.poll(async () => (await upstream.seen()).length).toBe(1);
    client.abort();
    expect(await counting).toMatchObject({ ok: false });
    expect(await upstream.closed()).toEqual({ whole: false });
  });
});

describe("the public routes", () => {
  test("pass what the tokenizer says, and nothing else the engine has", async () => {
    const upstream = new Upstream();
    await upstream.answersWhole(tokenizerAnswer(2).replace("{", '{"secret":1,'));
    const body = { model: "catalogue-id", prompt: "two words", return_token_strs: true };
    expect(await tokenizeText(upstream.backend, body, call)).toEqual({
      ok: true,
      answer: { count: 2, max_model_len: 8192, tokens: [0, 1], token_strs: null },
    });
    const [request] = await upstream.seen();
    expect(JSON.parse(request?.body ?? "")).toEqual({ ...body, model: "served/name" });
  });

  test("make text of ids", async () => {
    const upstream = new Upstream();
    await upstream.answersWhole('{"prompt":"ü\\u0000"}');
    const body = { model: "catalogue-id", tokens: [1, 2] };
    const answered = await detokenizeIds(upstream.backend, body, call);
    expect(answered).toEqual({ ok: true, answer: { prompt: "ü\u0000" } });
    const [request] = await upstream.seen();
    expect(request?.path).toBe("/detokenize");
  });

  test("fail on an answer of another shape, and by the status that the backend has", async () => {
    const upstream = new Upstream();
    await upstream.answersWhole('{"prompt":5}');
    const body = { model: "catalogue-id", tokens: [1] };
    expect(await detokenizeIds(upstream.backend, body, call)).toMatchObject(failed);
    await upstream.script({ status: 400, steps: [{ text: '{"error":{"message":"a secret"}}' }] });
    const refused = await detokenizeIds(upstream.backend, body, call);
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_request" } });
    expect(JSON.stringify(refused)).not.toContain("secret");
  });
});

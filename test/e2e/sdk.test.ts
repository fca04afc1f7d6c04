// The official SDK as people use it: `base_url`, a key, and nothing else changed.
import OpenAI from "openai";
import type { CompletionCreateParamsNonStreaming } from "openai/resources/completions";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { newPerson, type Person } from "./person.ts";

const stack = inject("stack");
const engine = new Engine(stack);
let person: Person;
let client: OpenAI;

beforeAll(async () => {
  person = await newPerson(stack);
  client = person.sdk();
});

/** vLLM's fields go into the body beside OpenAI's, as Python's `extra_body` does. */
function withFields(fields: object, extra: object): CompletionCreateParamsNonStreaming {
  return { model: "local", prompt: "Call me", ...fields, ...extra };
}

describe("a completion by the SDK", () => {
  it("has text, a finish reason and usage that adds up", async () => {
    const answer = await client.completions.create(withFields({ max_tokens: 8 }, {}));
    const [choice] = answer.choices;
    expect(answer.model).toBe("local");
    expect(choice?.text.length).toBeGreaterThan(0);
    expect(choice?.finish_reason).toBe("length");
    expect(answer.usage).toMatchObject({
      prompt_tokens: await engine.countTokens("Call me"),
      completion_tokens: 8,
    });
    expect(answer.usage?.total_tokens).toBe((answer.usage?.prompt_tokens ?? 0) + 8);
  });

  it("streams the same text that it gives at once", async () => {
    const params = withFields({ max_tokens: 24, seed: 7 }, {});
    const plain = await client.completions.create(params);
    const stream = await client.completions.create({
      ...params,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: OpenAI.CompletionUsage | null | undefined = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(plain.choices[0]?.text);
    expect(usage?.total_tokens).toBe(plain.usage?.total_tokens);
  });

  it("shows usage in a stream only when asked", async () => {
    const stream = await client.completions.create({
      ...withFields({ max_tokens: 4 }, {}),
      stream: true,
    });
    for await (const chunk of stream) {
      expect(chunk.usage ?? null).toBeNull();
      expect(chunk.choices).toHaveLength(1);
    }
  });

  it("repeats by its seed, which is drawn and returned when none is given", async () => {
    const params = withFields({ max_tokens: 16 }, {});
    const first = await client.completions.create(params).withResponse();
    const seed = Number(first.response.headers.get("x-seed"));
    expect(Number.isSafeInteger(seed)).toBe(true);
    const again = await client.completions.create({ ...params, seed }).withResponse();
    expect(again.data.choices[0]?.text).toBe(first.data.choices[0]?.text);
    expect(again.response.headers.get("x-seed")).toBe(String(seed));
    const another = await client.completions.create(params).withResponse();
    expect(another.response.headers.get("x-seed")).not.toBe(String(seed));
  });

  it("answers n choices for each prompt, in order", async () => {
    const answer = await client.completions.create(
      withFields({ prompt: ["One", "Two"], n: 3, max_tokens: 4 }, { return_token_ids: true }),
    );
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    const prompts = answer.choices.map(
      (choice) => (choice as unknown as { prompt_token_ids: number[] }).prompt_token_ids,
    );
    expect(prompts[0]).toEqual(prompts[2]);
    expect(prompts[3]).not.toEqual(prompts[2]);
    expect(answer.usage?.completion_tokens).toBe(24);
  });

  it("takes token ids as a prompt and forwards them exactly", async () => {
    const ids = [14134, 502, 50256, 0];
    const one = withFields({ prompt: ids, max_tokens: 2 }, { return_token_ids: true });
    const answer = await client.completions.create(one);
    expect(answer.choices[0]).toMatchObject({ prompt_token_ids: ids });
    const lists = withFields({ prompt: [ids, [1, 2]], max_tokens: 2 }, { return_token_ids: true });
    const both = await client.completions.create(lists);
    expect(both.choices[1]).toMatchObject({ prompt_token_ids: [1, 2] });
    expect(both.usage?.prompt_tokens).toBe(6);
  });

  it("echoes the prompt, and with max_tokens 0 nothing else", async () => {
    const answer = await client.completions.create(
      withFields({ echo: true, max_tokens: 0, logprobs: 1 }, {}),
    );
    expect(answer.choices[0]?.text).toBe("Call me");
    expect(answer.choices[0]?.logprobs?.token_logprobs?.[0]).toBeNull();
    expect(answer.usage?.completion_tokens).toBe(1);
  });

  it("passes vLLM's fields in the body", async () => {
    const answer = await client.completions.create(
      withFields(
        { max_tokens: 6, logprobs: 2 },
        {
          top_k: 1,
          min_p: 0,
          repetition_penalty: 1.2,
          allowed_token_ids: [262, 286],
          ignore_eos: true,
          return_token_ids: true,
          min_tokens: 6,
        },
      ),
    );
    const { token_ids: ids } = answer.choices[0] as unknown as { token_ids: number[] };
    expect(ids).toHaveLength(6);
    expect(ids.every((id) => id === 262 || id === 286)).toBe(true);
  });

  it("gives the prompt's log-probabilities over the whole vocabulary", async () => {
    const answer = await client.completions.create(
      withFields({ max_tokens: 1 }, { prompt_logprobs: -1 }),
    );
    const choice = answer.choices[0] as unknown as {
      prompt_logprobs: (Record<string, { logprob: number }> | null)[];
    };
    expect(choice.prompt_logprobs[0]).toBeNull();
    const row = Object.values(choice.prompt_logprobs[1] ?? {});
    expect(row).toHaveLength(50_257);
    expect(row.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)).toBeCloseTo(1, 3);
  });

  it("lists the Model with its caps", async () => {
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toContain("local");
    expect(await client.models.retrieve("local")).toMatchObject({
      object: "model",
      max_model_len: 8192,
      vocab_size: 50_257,
    });
  });
});

describe("an error in the SDK", () => {
  const cases = [
    { what: "an unknown field", extra: { max_new_tokens: 5 }, param: "max_new_tokens" },
    { what: "a number as text", extra: { max_tokens: "5" }, param: "max_tokens" },
    { what: "a temperature beyond 2", extra: { temperature: 5 }, param: "temperature" },
    { what: "a field that the gateway sets", extra: { priority: -5 }, param: "priority" },
  ];
  it.each(cases)(
    "is a BadRequestError that names the field for $what",
    async ({ extra, param }) => {
      const failure = await failureOf(client.completions.create(withFields({}, extra)));
      expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
      expect(failure).toMatchObject({ status: 400, code: "invalid_request", param });
    },
  );

  it("is a NotFoundError for a Model that does not exist, with the ids there are", async () => {
    const params = withFields({ model: "gpt-2" }, {});
    const failure = await failureOf(client.completions.create(params));
    expect(failure).toBeInstanceOf(OpenAI.NotFoundError);
    expect(failure).toMatchObject({ code: "model_not_found", param: "model" });
    expect(failure.message).toContain("local");
  });

  it("is an AuthenticationError for a key that nobody minted", async () => {
    const stranger = person.sdk({ apiKey: "sk-something" });
    const failure = await failureOf(stranger.completions.create(withFields({}, {})));
    expect(failure).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(failure.code).toBe("invalid_api_key");
  });

  it("shows the completions call to whoever asks for chat", async () => {
    const asked = client.chat.completions.create({
      model: "local",
      messages: [{ role: "user", content: "hello" }],
    });
    const failure = await failureOf(asked);
    expect(failure).toMatchObject({ status: 400, code: "chat_unsupported" });
    expect(failure.message).toContain("client.completions.create");
  });

  it("refuses a prompt beyond the context by its code", async () => {
    const params = withFields({ prompt: Array(8_190).fill(1), max_tokens: 10 }, {});
    const failure = await failureOf(client.completions.create(params));
    expect(failure).toMatchObject({ status: 400, code: "context_length_exceeded" });
  });

  it("refuses a whole vocabulary over a long prompt with the cap and the count", async () => {
    const prompt = "word ".repeat(400);
    const failure = await failureOf(
      client.completions.create(withFields({ prompt }, { prompt_logprobs: -1 })),
    );
    expect(failure).toMatchObject({ status: 400, code: "whole_vocabulary_too_large" });
    expect(failure.message).toContain("128");
    expect(failure.message).toContain(String(await engine.countTokens(prompt)));
  });
});

async function failureOf(call: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const failure = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(failure instanceof OpenAI.APIError)) throw new Error(`no API error: ${String(failure)}`);
  return failure;
}

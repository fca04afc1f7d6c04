// A prompt is nobody's business: no refusal repeats it, whatever is wrong and whoever refuses.
import { afterEach, beforeAll, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { errorOf, newPerson, type Person } from "./person.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const secret = "sesame";
let person: Person;

beforeAll(async () => {
  person = await newPerson(stack);
});

afterEach(() => engine.disarm());

const wrong: object[] = [
  { prompt: [secret, 1] },
  { prompt: [[1], secret] },
  { prompt: { text: secret } },
  { prompt: [secret, ""] },
  { prompt: [] },
  { prompt: secret, model: secret },
  { prompt: secret, model: { id: secret } },
  { prompt: secret, max_tokens: secret },
  { prompt: secret, temperature: secret },
  { prompt: secret, stream: secret },
  { prompt: secret, stop: ["", secret] },
  { prompt: secret, stop: [secret, secret, secret, secret, secret] },
  { prompt: secret, suffix: secret },
  { prompt: secret, user: [secret] },
  { prompt: secret, logit_bias: { [secret]: 1 } },
  { prompt: secret, bad_words: [secret, 3] },
  { prompt: secret, guided_regex: secret },
  { prompt: secret, [`${secret.repeat(20)}`]: 1 },
  { prompt: secret, stream_options: { [secret.repeat(20)]: true }, stream: true },
  { prompt: secret.repeat(20_000), max_tokens: 60_000 },
  { prompt: secret.repeat(2_000), max_tokens: 1, prompt_logprobs: -1 },
  { prompt: secret, logprobs: 5, prompt_logprobs: 5, stream: true },
];

it.each(wrong.map((body, i) => ({ i, body })))("not body $i", async ({ body }) => {
  const response = await person.complete({ max_tokens: 1, ...body });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  const text = await response.clone().text();
  expect(text).not.toContain(secret);
  expect((await errorOf(response)).message.length).toBeGreaterThan(20);
});

it.each(["/v1/tokenize", "/v1/detokenize", "/v1/chat/completions", `/v1/${secret}`])(
  "not %s",
  async (path) => {
    const body = { model: "local", prompt: { text: secret }, tokens: [secret], messages: [secret] };
    const response = await person.call("POST", path, body);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.text()).not.toContain(secret);
  },
);

it("nor a refusal for want of tokens, or for a key that is worth nothing", async () => {
  const poor = await newPerson(stack, { tokens: 1 });
  const asked = { prompt: secret, max_tokens: 1 };
  expect(await (await poor.complete(asked)).text()).not.toContain(secret);
  await poor.revoke("gone");
  expect(await (await poor.complete(asked)).text()).not.toContain(secret);
});

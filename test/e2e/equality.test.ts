// Three books of the same tokens: what the engine counted, what the person spent, and what usage
// shows. After any load that ends they are equal.
import { afterEach, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { newPerson, type Person } from "./person.ts";

const stack = inject("stack");
const engine = new Engine(stack);

afterEach(() => engine.disarm());

/** Bodies of every shape, each with its own cost. */
const shapes: object[] = [
  { prompt: "Call me Ishmael.", max_tokens: 9 },
  { prompt: "Call me Ishmael.", max_tokens: 9, stream: true },
  { prompt: ["One fish", "two fish, red fish"], n: 3, max_tokens: 5 },
  { prompt: ["One fish", "two fish, red fish"], n: 3, max_tokens: 5, stream: true },
  { prompt: [50_256], max_tokens: 12 },
  { prompt: [[1, 2, 3], [4]], n: 2, max_tokens: 4, stream: true },
  { prompt: "The whale", echo: true, max_tokens: 0, logprobs: 1 },
  { prompt: "The whale", echo: true, max_tokens: 3, stream: true },
  { prompt: "The whale", max_tokens: 40, stop: [" "] },
  { prompt: "The whale", max_tokens: 40, stop: [" "], stream: true, stream_options: usageOn() },
  { prompt: "The whale", max_tokens: 30, stop_token_ids: [262, 286, 13] },
  { prompt: "Käse ☃ 鯨", max_tokens: 6, temperature: 2, logprobs: 5 },
  { prompt: "The sea", max_tokens: 1, prompt_logprobs: -1 },
  { prompt: "The sea", max_tokens: 3, logprobs: 20, prompt_logprobs: 4 },
];

function usageOn(): object {
  return { include_usage: true, continuous_usage_stats: true };
}

it("after a mixed load over several people", async () => {
  await engine.idle();
  const before = await engine.counters();
  const people = await Promise.all([newPerson(stack), newPerson(stack), newPerson(stack)]);
  const loads = people.map((person, i) => load(person, i));
  await Promise.all(loads);
  await engine.idle();
  const after = await engine.counters();

  let spent = 0;
  let promptTokens = 0;
  let completionTokens = 0;
  let requests = 0;
  for (const person of people) {
    const tokens = await person.settled();
    const { totals, data } = await person.usage();
    expect(totals.prompt_tokens + totals.completion_tokens).toBe(tokens.spent);
    expect(data.reduce((sum, row) => sum + row.total_tokens, 0)).toBe(tokens.spent);
    expect(tokens.available).toBe(tokens.granted - tokens.spent);
    const record = await person.record();
    expect(record.tokens).toEqual(tokens);
    expect(record.usage.totals).toEqual(totals);
    const nothing = { requests: 0, at_most_tokens: 0, unclaimed_tokens: 0 };
    expect(record.unreported).toEqual(nothing);
    spent += tokens.spent;
    promptTokens += totals.prompt_tokens;
    completionTokens += totals.completion_tokens;
    requests += totals.requests;
  }
  expect(promptTokens).toBe(after.promptTokens - before.promptTokens);
  expect(completionTokens).toBe(after.generationTokens - before.generationTokens);
  expect(spent).toBe(promptTokens + completionTokens);
  expect(requests).toBe(after.received - before.received);
});

it("by key, and what failed before a token appears nowhere", async () => {
  const person = await newPerson(stack);
  const second = person.with(await person.mint({ name: "second" }));
  await engine.arm("500");
  expect((await person.complete({ prompt: "a", max_tokens: 1 })).status).toBe(502);
  for (const one of [person, second, second]) {
    const response = await one.complete({ prompt: [1, 2], max_tokens: 3, ignore_eos: true });
    await response.text();
  }
  await person.settled();
  const { data } = await second.usage();
  const byKey = Object.fromEntries(
    data.map(({ key, total_tokens, requests }) => [key.id, { total_tokens, requests }]),
  );
  expect(byKey).toEqual({
    [person.keyId]: { total_tokens: 5, requests: 1 },
    [second.keyId]: { total_tokens: 10, requests: 2 },
  });
});

/** Every shape, concurrently, a few times over, under two keys. */
async function load(person: Person, offset: number): Promise<void> {
  const second = person.with(await person.mint());
  const bodies = [...shapes, ...shapes.slice(offset), ...shapes.slice(0, 5 + offset)];
  const statuses = await Promise.all(
    bodies.map(async (body, i) => {
      const response = await (i % 2 === 0 ? person : second).complete(body);
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(statuses.every((status) => status === 200)).toBe(true);
}

// Items that go to the backend in one request, and those that do not.
import { describe, expect, test } from "vitest";
import { mayHaveBundles, noteWithoutBundles } from "../../../src/worker/forward/bundle-routes.ts";
import { Backend, newPerson } from "../calling.ts";
import { TurnUnderTest } from "./turn-under-test.ts";

const BUNDLE = "/v1/completions/bundle";

async function setting() {
  const turn = new TurnUnderTest(await newPerson({ tokens: 100_000 }));
  return { turn, backend: new Backend() };
}

describe("items that begin together", () => {
  test("go in one request, each with its own seed, id and line", async () => {
    const { turn, backend } = await setting();
    const prompts = [`${backend.name} one`, `${backend.name} two more words`, `${backend.name} x`];
    const claim = await turn.slice(prompts.map((prompt) => ({ prompt })));
    await turn.run();
    expect(await backend.seen(BUNDLE)).toHaveLength(1);
    const seen = await backend.seen("/v1/completions");
    const lines = await turn.lines(claim);
    const sent = (prompt: string) => seen.find(({ body }) => body.prompt === prompt)?.body;
    expect(lines.map(({ response }) => response.seed)).toEqual(
      prompts.map((prompt) => sent(prompt)?.seed),
    );
    expect(lines.map(({ id }) => id)).toEqual(prompts.map((prompt) => sent(prompt)?.request_id));
    expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
    expect(new Set(lines.map(({ response }) => response.seed)).size).toBe(3);
    expect(lines.map(({ response }) => response.body)).toMatchObject(
      [2, 4, 2].map((words) => {
        const usage = { prompt_tokens: words, completion_tokens: 5, total_tokens: words + 5 };
        return { model: "local", choices: [{ index: 0, text: " w w w w w" }], usage };
      }),
    );
    expect(turn.commits).toMatchObject([
      { charged: 3, usage: { promptTokens: 8, completionTokens: 15 } },
    ]);
  });

  test("may differ in every parameter", async () => {
    const { turn, backend } = await setting();
    const prompt = `${backend.name} one`;
    const others = [{}, { seed: 7 }, { temperature: 0.5, n: 2 }, { logprobs: 3 }];
    await turn.slice(others.map((other) => ({ prompt, ...other })));
    await turn.run();
    expect(await backend.seen(BUNDLE)).toHaveLength(1);
    expect(turn.commits).toMatchObject([{ counts: { succeeded: 4, failed: 0 } }]);
  });

  test("fail each by itself where the backend refuses one of them", async () => {
    const { turn, backend } = await setting();
    const refusing = new Backend();
    await refusing.script({ status: 400, body: '{"error":{"message":"no"}}' });
    const claim = await turn.slice([
      ...[{ prompt: `${backend.name} one` }, { prompt: `${refusing.name} two` }],
      { prompt: `${backend.name} three` },
    ]);
    await turn.run();
    expect(await backend.seen(BUNDLE)).toHaveLength(1);
    const lines = await turn.lines(claim);
    expect(lines.map(({ error }) => error?.code)).toEqual([
      undefined,
      "invalid_request",
      undefined,
    ]);
    expect(turn.commits).toMatchObject([{ charged: 2, counts: { succeeded: 2, failed: 1 } }]);
  });

  test("are tried again each alone where the whole of them failed", async () => {
    const { turn, backend } = await setting();
    await backend.script({ bundleStatus: 500 });
    await turn.slice(["one", "two"].map((word) => ({ prompt: `${backend.name} ${word}` })));
    await turn.run();
    expect(await backend.seen(BUNDLE)).toHaveLength(1);
    expect(await backend.seen("/v1/completions")).toHaveLength(2);
    expect(turn.commits).toMatchObject([{ charged: 2, counts: { succeeded: 2, failed: 0 } }]);
  });

  test("are tried again where the whole of them was refused for want of room", async () => {
    const { turn, backend } = await setting();
    await backend.script({ bundleStatus: 429 });
    await turn.slice(["one", "two"].map((word) => ({ prompt: `${backend.name} ${word}` })));
    const ran = turn.run();
    await expect.poll(async () => (await backend.seen(BUNDLE)).length).toBeGreaterThan(0);
    await backend.script({});
    await ran;
    expect(turn.commits).toMatchObject([{ charged: 2, counts: { succeeded: 2, failed: 0 } }]);
  });
});

test("an item whose answer may be large goes alone, and flows", async () => {
  const { turn, backend } = await setting();
  await turn.slice([{ prompt: `${backend.name} one` }], { large: true });
  await turn.slice([{ prompt: `${backend.name} two` }], { large: true, from: 1 });
  await turn.run();
  expect(await backend.seen(BUNDLE)).toEqual([]);
  expect(turn.commits).toHaveLength(2);
});

describe("a backend without the route", () => {
  test("gets each item alone, and is not asked for the route by the next", async () => {
    const { turn, backend } = await setting();
    await backend.script({ bundleStatus: 404 });
    await turn.slice(Array.from({ length: 20 }, (_, at) => ({ prompt: `${backend.name} ${at}` })));
    await turn.run();
    expect(await backend.seen(BUNDLE)).toHaveLength(1);
    expect(await backend.seen("/v1/completions")).toHaveLength(20);
    expect(turn.commits).toMatchObject([{ charged: 20, counts: { succeeded: 20, failed: 0 } }]);
  });

  test("is asked for it again after a minute", () => {
    noteWithoutBundles("some-model", 1_000);
    expect(mayHaveBundles("some-model", 60_999)).toBe(false);
    expect(mayHaveBundles("some-model", 61_000)).toBe(true);
    expect(mayHaveBundles("another-model", 1_000)).toBe(true);
  });
});

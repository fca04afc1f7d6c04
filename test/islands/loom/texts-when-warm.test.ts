import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiClient } from "../../../src/islands/api/client.ts";
import { TokenTexts } from "../../../src/islands/api/token-texts.ts";
import { TextsWhenWarm } from "../../../src/islands/loom/texts-when-warm.ts";
import { newNode } from "../../../src/islands/loom/tree.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A Model whose token 7 says "7", and the calls that it has had. */
function reading(warm: "warm" | "starting" | "cold") {
  const calls: string[] = [];
  const head = { seed: null, available: null, lowered: null };
  const between = 0;
  const api = {
    get: async (path: string) => {
      calls.push(path);
      return [{ warm, last_cold_start_seconds: null }, head];
    },
    post: async (path: string, { tokens }: { tokens?: number[] }) => {
      calls.push(path);
      const text = (id: number) => (id === between ? "\u241e" : `${id}`);
      return [{ tokens: [between], prompt: (tokens ?? []).map(text).join("") }, head];
    },
  } as unknown as ApiClient;
  return { calls, texts: new TextsWhenWarm(api, new TokenTexts(api)) };
}

const piece = (id: number, model = "local") => {
  const top = [id, id + 1].map((one) => ({ id: one, logprob: -1 }));
  return { text: `${id}`, from: 0, score: { model, id, logprob: -1, rank: 1, top } };
};
const node = newNode("a", "root", [piece(10), piece(20), piece(30, "other")]);
const place = { model: "local", first: [10, 11] };

test.each(["cold", "starting"] as const)("reading asks a %s Model for nothing", async (state) => {
  const { calls, texts } = reading(state);
  const then = vi.fn();
  texts.soon(node, place, then);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls).toEqual(["/v1/models/local"]);
  expect(then.mock.calls).toEqual([[false]]);
});

test("a Warm one is asked once the mark rests, for all of the branch in one call", async () => {
  const { calls, texts } = reading("warm");
  const then = vi.fn();
  for (let moves = 0; moves < 20; moves += 1) {
    texts.soon(node, place, then);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(calls).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls).toEqual(["/v1/models/local", "/v1/tokenize", "/v1/detokenize"]);
  expect(then.mock.calls).toEqual([[true]]);
  expect([10, 11, 20, 21, 30].map((id) => texts.known("local", id))).toEqual([
    ...["10", "11", "20", "21"],
    undefined,
  ]);
});

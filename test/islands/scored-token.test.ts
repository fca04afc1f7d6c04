import { expect, test } from "vitest";
import { EventStreamReader } from "../../src/islands/api/event-stream.ts";
import { alternativeAt } from "../../src/islands/loom/scored-pieces.ts";
import { newNode } from "../../src/islands/loom/tree.ts";
import { legendOf, levelOf, scales } from "../../src/islands/model-text/scale.ts";
import {
  likeliest,
  ranked,
  type ScoredToken,
  scoreSpan,
  splitText,
  tokensOfChoice,
  tokensOfPrompt,
} from "../../src/islands/model-text/scored-token.ts";

function token(change: Partial<ScoredToken>): ScoredToken {
  return { id: 1, text: "a", logprob: -1, rank: 1, alternatives: [], from: "model", ...change };
}

function choice(top: Record<string, number>, id: number) {
  const logprobs = {
    tokens: [`token_id:${id}`],
    token_logprobs: [top[`token_id:${id}`] ?? null],
    top_logprobs: [top],
  };
  return { index: 0, text: "x", finish_reason: null, token_ids: [id], logprobs };
}

test("alternatives are the API's, the likeliest first, whatever order the map came in", () => {
  const [read] = tokensOfChoice(choice({ "token_id:7": -2, "token_id:5": -0.5 }, 7), 2);
  expect(read).toMatchObject({ id: 7, logprob: -2, rank: 2 });
  expect(read?.alternatives.map(({ id }) => id)).toEqual([5, 7]);
});

test("a token beyond the likeliest has no rank, though it stands in the map", () => {
  const top = { "token_id:9": -8, "token_id:5": -0.5, "token_id:7": -2 };
  expect(tokensOfChoice(choice(top, 9), 2)[0]).toMatchObject({ logprob: -8, rank: null });
});

test("a token beyond the likeliest has no rank among its alternatives either, nor gives it to a branch", () => {
  const top = { "token_id:9": -8, "token_id:5": -0.5, "token_id:7": -2 };
  const [beyond] = tokensOfChoice(choice(top, 9), 2);
  if (beyond === undefined) throw new Error("there is a token");
  expect(ranked(beyond).map(({ id, rank }) => [id, rank])).toEqual([
    [5, 1],
    [7, 2],
    [9, null],
  ]);
  expect(likeliest(beyond, beyond.alternatives).map(({ id }) => id)).toEqual([5, 7]);
  const { id, logprob, rank, alternatives } = beyond;
  const score = { model: "local", id, logprob: logprob ?? 0, rank, top: alternatives };
  const node = newNode("a", "root", [{ text: "x", from: 0, score }]);
  const chosen = (tokenId: number) =>
    alternativeAt(node, { start: 0, tokenId, textOf: () => "y" })?.[0]?.score;
  expect(chosen(9)?.rank).toBeNull();
  expect(chosen(7)).toMatchObject({ rank: 2, top: [{ id: 5 }, { id: 7 }] });
});

test("among a prompt's alternatives the token itself has the rank that the API says", () => {
  const row = { "4": { logprob: -9, rank: 300 }, "6": { logprob: -0.1, rank: 1 } };
  const [, scored] = tokensOfPrompt([3, 4], [null, row]);
  expect(ranked(scored as ScoredToken).map(({ rank }) => rank)).toEqual([1, 300]);
});

test("a legend of ranks ends where ranks are known to, each in the colour of its tokens", () => {
  const labels = (ranksMost: number) => legendOf("rank", ranksMost).map(({ label }) => label);
  expect(labels(20)).toEqual(["1st", "2nd", "3rd", "5th", "10th", "20th", "over 20"]);
  expect(labels(8)).toEqual(["1st", "2nd", "3rd", "5th", "8th", "over 8"]);
  const levels = legendOf("rank", 8).map(({ level }) => level);
  expect(levels).toEqual([1, 2, 3, 5, 8, null].map((rank) => levelOf("rank", token({ rank }))));
});

test("a prompt's rank is the API's, and its first token has no score", () => {
  const rows = [null, { "4": { logprob: -3, rank: 12 }, "6": { logprob: -0.1, rank: 1 } }];
  const [first, second] = tokensOfPrompt([3, 4], rows);
  expect(first).toMatchObject({ id: 3, logprob: null, rank: null });
  expect(second).toMatchObject({ id: 4, logprob: -3, rank: 12 });
});

test("a span's score counts only what was scored", () => {
  const span = [token({ logprob: null }), token({ logprob: -Math.LN2 }), token({ logprob: 0 })];
  const score = scoreSpan(span);
  expect(score).toMatchObject({ tokens: 2, bits: 1, bitsPerToken: 0.5 });
  expect(score?.perplexity).toBeCloseTo(Math.SQRT2, 12);
  expect(scoreSpan([token({ logprob: null })])).toBeNull();
});

test("a text is split into its tokens' texts; pieces of a character give it to the last", () => {
  const texts = new Map([
    [0, "<|begin|>"],
    [1, "Call"],
    [2, " me"],
    [3, "\ufffd"],
    [4, "\ufffd"],
    [5, "!"],
  ]);
  const split = (text: string, ids: number[]) => splitText(text, ids, (id) => texts.get(id));
  expect(split("Call meé!", [1, 2, 3, 4, 5])).toEqual(["Call", " me", "", "é", "!"]);
  expect(split("Call me", [0, 1, 2])).toEqual(["", "Call", " me"]);
  expect(split("é", [3, 4])).toEqual(["", "é"]);
  expect(split("Call it", [1, 99])).toEqual(["Call", " it"]);
});

test("each step of a scale has its value's colour, at its very edge too", () => {
  const bits = (value: number) => levelOf("bits", token({ logprob: -value * Math.LN2 }));
  expect([0, 0.99, 1.01, 3, 5, 7, 11, 13].map(bits)).toEqual([0, 0, 1, 2, 3, 4, 5, 6]);
  const rank = (value: number | null) => levelOf("rank", token({ rank: value }));
  expect([1, 2, 3, 4, 6, 20, 21, null].map(rank)).toEqual([0, 1, 2, 3, 4, 5, 6, 6]);
  expect(levelOf("logprob", token({ logprob: null }))).toBeNull();
  for (const { steps } of Object.values(scales)) expect(steps).toHaveLength(7);
});

test("events are read wherever the bytes are cut, also inside a character", () => {
  const bytes = new TextEncoder().encode(": waiting for m\n\ndata: {é}\n\ndata: [DONE]\n\n");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const reader = new EventStreamReader();
    const events = [...reader.read(bytes.slice(0, cut)), ...reader.read(bytes.slice(cut))];
    expect(events).toEqual([
      { kind: "comment", text: "waiting for m" },
      { kind: "data", data: "{é}" },
      { kind: "data", data: "[DONE]" },
    ]);
  }
});

import { afterEach, expect, test, vi } from "vitest";
import type { ApiClient, Fields, StreamWatcher } from "../../../src/islands/api/client.ts";
import { TokenTexts } from "../../../src/islands/api/token-texts.ts";
import { type GrowthSettings, Growths } from "../../../src/islands/loom/growth.ts";
import { originOf, seedOf } from "../../../src/islands/loom/origins.ts";
import { type Pieces, written } from "../../../src/islands/loom/pieces.ts";
import { newTree, nodeOf, type Tree } from "../../../src/islands/loom/tree.ts";
import { edit, merge, split } from "../../../src/islands/loom/tree-changes.ts";
import { grow, withSeed } from "../../../src/islands/loom/tree-growth.ts";
import type { TreeStore } from "../../../src/islands/loom/tree-store.ts";
import { Workspace } from "../../../src/islands/loom/workspace.ts";

afterEach(() => vi.unstubAllGlobals());

const fields = { temperature: 0.5, max_tokens: 24, seed: 3, top_k: 40 };
const settings: GrowthSettings = { model: "local", logprobsMost: 20, branches: 3, fields };

function token(text: string, model = "local"): Pieces {
  const top = [{ id: 1, logprob: -1 }];
  return [{ text, from: 0, score: { model, id: 1, logprob: -1, rank: 1, top } }];
}

/** A tree with one branch that another Model began, and Growths that the API answers with seed 7. */
function growing() {
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => setTimeout(draw));
  const sent: Fields[] = [];
  const api = {
    stream: async (body: Fields, { onHead, onChunk }: StreamWatcher) => {
      sent.push(body);
      onHead({ seed: 7, available: null, lowered: null });
      const top = { "token_id:1": -1 };
      const logprobs = { tokens: ["token_id:1"], token_logprobs: [-1], top_logprobs: [top] };
      for (let index = 0; index < Number(body.n); index += 1) {
        const choice = { index, text: " a", finish_reason: "length", token_ids: [1], logprobs };
        onChunk({ choices: [choice] });
      }
    },
  } as unknown as ApiClient;
  const begun = { id: "begun", parent: "root", pieces: token(" whale", "other"), origin: null };
  const tree = grow(newTree("root", written("Call")), [begun]);
  const kept = { id: "t", name: "t", root: "root", selected: "root", changedAt: 1 };
  const nothing = () => undefined;
  const store = { keep: async () => undefined } as unknown as TreeStore;
  const drawn = { changed: nothing, problem: nothing };
  const events = { ...drawn, reopened: nothing, leaving: nothing };
  const workspace = new Workspace(store, { kept, tree, isStored: true }, events);
  const parts = { api, texts: new TokenTexts(api), workspace };
  const said = { says: nothing, problem: nothing, left: nothing, ran: nothing };
  return { sent, workspace, growths: new Growths(parts, said) };
}

test("a branch that goes on has as its origin what it goes on with, and says what was chosen before", async () => {
  const { growths, sent, workspace } = growing();
  await growths.goOn("begun", { ...settings, model: "other" });
  expect(nodeOf(workspace.tree, "begun").origin).toEqual({
    ...{ model: "other", seed: 7, temperature: 0.5, chosen: 6 },
    asked: { n: 1, index: 0, max_tokens: 24, top_k: 40 },
  });
  expect(seedOf(nodeOf(workspace.tree, "begun"))?.words).toBe("Seed after the chosen token");
  expect(sent[0]).toMatchObject({ prompt: "Call whale", n: 1, model: "other" });
});

test("each branch of a growth says its place in it, and the seed that gives it alone", async () => {
  const { growths, workspace } = growing();
  await growths.growFrom("root", settings);
  const { tree } = workspace;
  const grown = nodeOf(tree, "root").children.slice(1);
  const nodes = grown.map((id) => nodeOf(tree, id));
  expect(nodes.map(({ origin }) => origin?.asked)).toEqual(
    [0, 1, 2].map((index) => ({ n: 3, index, max_tokens: 24, top_k: 40 })),
  );
  const words = "Seed of this branch";
  expect(nodes.map(seedOf)).toEqual([7, 8, 9].map((seed) => ({ seed, words })));
});

test("a seed is said only of what it gives: of no part split off, no two growths in one, no edit", () => {
  const growths = [
    { parent: "root", id: "a", pieces: token("one two"), origin: originOf(settings, 0) },
    { parent: "a", id: "b", pieces: token(" more"), origin: originOf(settings, 1) },
  ];
  const tree = withSeed(grow(newTree("root", []), growths), ["a", "b"], 7);
  const seedIn = (one: Tree, id: string) => seedOf(nodeOf(one, id))?.seed ?? null;
  const halves = split(tree, "a", 3, "rest");
  const whole = merge(tree, "b");
  if (!halves.ok || !whole.ok) throw new Error("it can be split and merged");
  expect(["a", "rest", "b"].map((id) => seedIn(halves.tree, id))).toEqual([7, null, 8]);
  expect(seedIn(whole.tree, "a")).toBeNull();
  expect(seedIn(edit(tree, "a", "one three"), "a")).toBeNull();
});

test("of a file from before, whose branches say no place, the seed is the growth's", () => {
  const origin = { model: "local", seed: 7, temperature: 1, asked: { max_tokens: 24 } };
  const tree = grow(newTree("root", []), [{ parent: "root", id: "a", pieces: token("x"), origin }]);
  expect(seedOf(nodeOf(tree, "a"))).toEqual({ seed: 7, words: "Seed of its growth" });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiClient, StreamWatcher } from "../../../src/islands/api/client.ts";
import { TokenTexts } from "../../../src/islands/api/token-texts.ts";
import { Growths } from "../../../src/islands/loom/growth.ts";
import { newTree, nodeOf, pathText, type Tree } from "../../../src/islands/loom/tree.ts";
import { type OpenedTree, Workspace } from "../../../src/islands/loom/workspace.ts";
import { Storage } from "./storage.ts";

/** What waits for the next frame. */
let frame: (() => void)[] = [];

beforeEach(() => {
  frame = [];
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => frame.push(draw));
});
afterEach(() => vi.unstubAllGlobals());

const nothing = () => undefined;
const events = { problem: nothing, left: nothing, ran: nothing };
const settings = { model: "local", logprobsMost: 8, branches: 2, fields: {} };

function opened(tree: Tree): OpenedTree {
  const { root, selected } = tree;
  const kept = { id: crypto.randomUUID(), name: "tree", root, selected, changedAt: 0 };
  return { kept, tree, isStored: false };
}

/** A workspace, and what lets its tree grow at the root. */
function begun() {
  const store = new Storage();
  const first = opened(newTree("root", [{ text: "Once", score: null, from: 0 }]));
  const workspace = new Workspace(store, first, {
    ...{ changed: nothing, problem: nothing, reopened: nothing },
    leaving: () => growths.stop(),
  });
  const streams: { watcher: StreamWatcher; signal: AbortSignal; end: () => void }[] = [];
  const api = {
    stream: (_: object, watcher: StreamWatcher, signal: AbortSignal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = () => {
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      streams.push({ watcher, signal, end });
      return promise;
    },
  } as unknown as ApiClient;
  const said: string[] = [];
  const texts = () => branchesOf(workspace.tree).map((id) => pathText(workspace.tree, id));
  const says = (words: string) => said.push(`${words} ${JSON.stringify(texts())}`);
  const parts = { api, texts: new TokenTexts(api), workspace };
  const growths = new Growths(parts, { ...events, says });
  const grow = () => growths.growFrom("root", settings);
  const say = (index: number, text: string) => {
    const choice = { index, text, token_ids: [index], logprobs: null, finish_reason: null };
    streams.at(-1)?.watcher.onChunk({ choices: [choice] } as never);
  };
  /** Opens another tree; gives what is kept of the one before. */
  const leave = async () => {
    await workspace.open(opened(newTree("root", [])));
    const tree = await store.open(first.kept);
    if (tree === null) throw new Error("the tree was not kept");
    return tree;
  };
  return { store, workspace, growths, streams, said, texts, grow, say, leave };
}

function branchesOf(tree: Tree): readonly string[] {
  return nodeOf(tree, tree.root).children;
}

test("what came since the last frame stays in a tree that is left, and no empty branch does", async () => {
  const { workspace, streams, grow, say, leave } = begun();
  const ended = grow();
  await workspace.save();
  say(0, " upon");
  const tree = await leave();
  streams[0]?.end();
  await ended;
  const [, ...branches] = [...tree.nodes.values()];
  expect(branches.map(({ id }) => pathText(tree, id))).toEqual(["Once upon"]);
  expect(branchesOf(tree)).toEqual(branches.map(({ id }) => id));
});

test("what is begun while the tree is left is stopped, and what came of it stays in that tree", async () => {
  const { store, workspace, growths, streams, grow, say, leave } = begun();
  const keep = store.keep.bind(store);
  const words = [" upon", " more"];
  store.keep = async (...write) => {
    await keep(...write);
    const text = words.shift();
    if (text === undefined) return;
    void grow();
    say(0, text);
  };
  const tree = await leave();
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  expect([...growths.growing]).toEqual([]);
  expect(branchesOf(tree).map((id) => pathText(tree, id))).toEqual(["Once upon", "Once more"]);
  expect(workspace.tree.nodes.size).toBe(1);
});

test("what was stopped takes nothing more, so that it can be changed at once", () => {
  const { growths, texts, grow, say } = begun();
  void grow();
  say(0, " upon");
  say(1, " more");
  growths.stop();
  expect([...growths.growing]).toEqual([]);
  say(0, " a");
  for (const draw of frame) draw();
  expect(texts()).toEqual(["Once upon", "Once more"]);
});

test("a growth is said to be over once all of it is in the tree", async () => {
  const { growths, streams, said, grow, say } = begun();
  const ended = grow();
  say(0, " upon");
  say(1, " more");
  streams[0]?.end();
  await ended;
  expect([...growths.growing]).toEqual([]);
  expect(said.at(-1)).toBe('Grown. ["Once upon","Once more"]');
});

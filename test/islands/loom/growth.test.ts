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
const events = { says: nothing, problem: nothing, left: nothing, ran: nothing };
const settings = { model: "local", logprobsMost: 8, branches: 2, fields: {} };

function opened(tree: Tree): OpenedTree {
  const { root, selected } = tree;
  const kept = { id: crypto.randomUUID(), name: "tree", root, selected, changedAt: 0 };
  return { kept, tree, isStored: false };
}

/** A workspace whose tree grows at its root, and what streams into it. */
function growing() {
  const store = new Storage();
  const first = opened(newTree("root", [{ text: "Once", score: null, from: 0 }]));
  const workspace = new Workspace(store, first, {
    ...{ changed: nothing, problem: nothing, reopened: nothing },
  });
  let watcher: StreamWatcher | undefined;
  /** As a browser does it, some time after the signal. */
  const broken = Promise.withResolvers<void>();
  const api = {
    stream: (_: object, watching: StreamWatcher) => {
      watcher = watching;
      return broken.promise;
    },
  } as unknown as ApiClient;
  const growths = new Growths({ api, texts: new TokenTexts(api), workspace }, events);
  const ended = growths.growFrom("root", settings);
  const say = (index: number, text: string) => {
    const choice = { index, text, token_ids: [index], logprobs: null, finish_reason: null };
    watcher?.onChunk({ choices: [choice] } as never);
  };
  /** Opens another tree; gives what is kept of the one before. */
  const leave = async () => {
    await workspace.open(opened(newTree("root", [])));
    broken.reject(new DOMException("It was aborted.", "AbortError"));
    await ended;
    const tree = await store.open(first.kept);
    if (tree === null) throw new Error("the tree was not kept");
    return tree;
  };
  return { workspace, growths, say, leave };
}

test("what came since the last frame stays in a tree that is left, and no empty branch does", async () => {
  const { workspace, growths, say, leave } = growing();
  await workspace.save();
  say(0, " upon");
  growths.stop();
  const tree = await leave();
  const [root, ...branches] = [...tree.nodes.values()];
  expect(branches.map(({ id }) => pathText(tree, id))).toEqual(["Once upon"]);
  expect(root?.children).toEqual(branches.map(({ id }) => id));
});

test("what was stopped takes nothing more, so that it can be changed at once", () => {
  const { workspace, growths, say } = growing();
  say(0, " upon");
  say(1, " more");
  growths.stop();
  expect([...growths.growing]).toEqual([]);
  say(0, " a");
  for (const draw of frame) draw();
  const { tree } = workspace;
  const { children } = nodeOf(tree, "root");
  expect(children.map((id) => pathText(tree, id))).toEqual(["Once upon", "Once more"]);
});

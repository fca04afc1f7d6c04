import { describe, expect, test } from "vitest";
import { newTree } from "../../../src/islands/loom/tree.ts";
import { writeBelow } from "../../../src/islands/loom/tree-changes.ts";
import { type OpenedTree, Workspace } from "../../../src/islands/loom/workspace.ts";
import { Storage } from "./storage.ts";

function fresh(name: string): OpenedTree {
  const tree = newTree("root", []);
  const id = crypto.randomUUID();
  return {
    kept: { id, name, root: "root", selected: "root", changedAt: 0 },
    tree,
    isStored: false,
  };
}

function opened(store: Storage, tree = fresh("first")): Workspace {
  const nothing = () => undefined;
  return new Workspace(store, tree, {
    ...{ changed: nothing, problem: nothing, reopened: nothing, leaving: nothing },
  });
}

const wrote = ({ tree }: Workspace, id: string) => writeBelow(tree, "root", id, ` ${id}`);

test("a tree that could not be kept stays open, and is not left for another one", async () => {
  const store = new Storage();
  const workspace = opened(store);
  store.failures = 1;
  workspace.step(wrote(workspace, "a"));
  expect(await workspace.open(fresh("second"))).toBe(false);
  expect(workspace.kept.name).toBe("first");
  expect(workspace.has("a")).toBe(true);
  expect(workspace.warning).toContain("did not keep the last change");
  expect(await workspace.open(fresh("second"))).toBe(true);
  expect(workspace.warning).toBeNull();
  expect([...(store.trees.values().next().value?.nodes.keys() ?? [])]).toEqual(["root", "a"]);
});

test("after a write that failed the next one writes all that is missing", async () => {
  const store = new Storage();
  const workspace = opened(store);
  store.failures = 1;
  workspace.step(wrote(workspace, "a"));
  const both = [workspace.save()];
  workspace.step(wrote(workspace, "b"));
  both.push(workspace.save());
  expect(await Promise.all(both)).toEqual([false, true]);
  expect(store.trees.get(workspace.kept.id)?.nodes).toEqual(workspace.tree.nodes);
});

test("a name that is given while the tree is written is written after it", async () => {
  const store = new Storage();
  const workspace = opened(store);
  const first = workspace.save();
  await Promise.resolve();
  workspace.rename("better");
  await first;
  await workspace.save();
  expect(store.trees.get(workspace.kept.id)?.kept.name).toBe("better");
});

describe("a tree that another tab has", () => {
  /** Two tabs with the same tree; the first one has changed it, and kept that. */
  async function both() {
    const store = new Storage();
    const first = opened(store);
    await first.save();
    const [kept] = await store.list();
    const tree = kept === undefined ? null : await store.open(kept);
    if (kept === undefined || tree === null) throw new Error("the store has no tree");
    const second = opened(store, { kept, tree, isStored: true });
    await expect.poll(() => second.warning).toContain("open in another tab");
    first.step(wrote(first, "there"));
    await first.save();
    return { store, first, second };
  }

  test("is shown as that one left it once it is closed, and kept from then on", async () => {
    const { store, first, second } = await both();
    await first.open(fresh("other"));
    await expect.poll(() => second.has("there")).toBe(true);
    expect(second.warning).toBeNull();
    second.step(wrote(second, "here"));
    await second.save();
    expect(store.trees.get(second.kept.id)?.nodes.has("here")).toBe(true);
  });

  test("stays beside what was changed here meanwhile, and neither is lost", async () => {
    const { store, first, second } = await both();
    second.step(wrote(second, "here"));
    expect(await second.save()).toBe(true);
    expect(second.warning).toContain("open in another tab");
    const { id } = first.kept;
    await first.open(fresh("other"));
    await expect.poll(() => second.warning).toBeNull();
    await second.save();
    expect(second.kept.name).toBe("first (copy)");
    expect([...(store.trees.get(id)?.nodes.keys() ?? [])]).toEqual(["root", "there"]);
    expect([...(store.trees.get(second.kept.id)?.nodes.keys() ?? [])]).toEqual(["root", "here"]);
  });
});

import { describe, expect, test } from "vitest";
import { pathText, rowsOf } from "../../../src/islands/loom/tree.ts";
import type { NamedTree } from "../../../src/islands/loom/tree-file.ts";
import { readTreeFile } from "../../../src/islands/loom/tree-import.ts";
import { defectsOf } from "./tree-steps.ts";

function read(file: unknown): NamedTree {
  let made = 0;
  const result = readTreeFile(JSON.stringify(file), () => `made-${made++}`);
  if (!result.ok) throw new Error(result.problem);
  expect(defectsOf(result.value.tree)).toEqual([]);
  return result.value;
}

function problemOf(file: unknown): string {
  const result = readTreeFile(typeof file === "string" ? file : JSON.stringify(file), () => "new");
  return result.ok ? "none" : result.problem;
}

describe("a file of socketteer's loom", () => {
  const file = {
    root: {
      text: "Once",
      mutable: false,
      children: [
        { id: "a", text: " upon", children: [{ text: " a", children: [] }] },
        { id: "b", text: " more", tags: ["bookmark"], children: [], parent_id: "root" },
        { id: "b", text: " again", tags: ["archived"], children: [] },
      ],
    },
    selected_node_id: "b",
  };

  test("keeps texts, order, ids where they are one node's own, bookmarks and the selection", () => {
    const { tree } = read(file);
    expect(rowsOf(tree, true).map(({ id }) => pathText(tree, id))).toEqual([
      "Once",
      "Once upon",
      "Once upon a",
      "Once more",
      "Once again",
    ]);
    expect(tree.selected).toBe("b");
    expect(tree.nodes.get("b")?.bookmarked).toBe(true);
    expect(rowsOf(tree, false)).toHaveLength(4);
  });
});

describe("a file of loomsidian", () => {
  const node = (text: string, parentId: string | null) => {
    return { text, parentId, collapsed: false, unread: false, bookmarked: false };
  };

  test("keeps texts, order, folds, bookmarks and the selection", () => {
    const { tree } = read({
      current: "y",
      hoisted: [],
      nodes: {
        x: node("Once", null),
        y: { ...node(" upon", "x"), bookmarked: true },
        z: { ...node(" more", "x"), collapsed: true },
        last: node(" time", "z"),
      },
    });
    expect(rowsOf(tree, true).map(({ id }) => id)).toEqual(["x", "y", "z"]);
    expect(pathText(tree, "last")).toBe("Once more time");
    expect(tree.selected).toBe("y");
    expect(tree.nodes.get("y")?.bookmarked).toBe(true);
  });

  test("with several beginnings has an empty root before them", () => {
    const { tree } = read({ current: "x", nodes: { x: node("One", null), y: node("Two", null) } });
    expect(rowsOf(tree, true).map(({ id }) => pathText(tree, id))).toEqual(["", "One", "Two"]);
  });

  test("with nodes that are each other's parents is refused", () => {
    const nodes = { x: node("One", null), y: node("Two", "z"), z: node("Three", "y") };
    expect(problemOf({ current: "x", nodes })).toContain("each other's parents");
  });
});

describe("a file of very many nodes", () => {
  const most = 100_000;
  const nested = (count: number) => {
    const children = Array.from({ length: count - 1 }, () => ({ text: "", children: [] }));
    return { root: { text: "", children } };
  };
  const byParent = (count: number) => {
    const node = (_: unknown, at: number) => {
      return [`n${at}`, { text: "", parentId: at === 0 ? null : "n0" }] as const;
    };
    return { nodes: Object.fromEntries(Array.from({ length: count }, node)) };
  };

  test.each([
    ["socketteer's loom", nested],
    ["loomsidian", byParent],
  ])("is read up to a bound in the format of %s, however many are siblings", (_, made) => {
    let names = 0;
    const result = readTreeFile(JSON.stringify(made(most)), () => `made-${names++}`);
    expect(result.ok && result.value.tree.nodes.size).toBe(most);
    expect(problemOf(made(most + 1))).toContain("more than 100000 nodes");
  });
});

describe("what is no tree is refused, and says why", () => {
  const own = (nodes: unknown) => ({ format: "continuo-loom", version: 1, name: "", nodes });
  const root = { id: "r", parent: null, pieces: [] };

  test.each([
    ["{", "no JSON"],
    [[1], "holds no tree"],
    [{ chapters: [] }, "this page knows"],
    [{ format: "continuo-loom", version: 2 }, "version 2"],
    [own([]), "`nodes` must be a list"],
    [own([root, { ...root, id: "b" }]), "nodes[1].parent"],
    [own([root, root]), "twice"],
    [own([{ ...root, parent: "later" }]), "nodes[0].parent"],
    [own([root, { ...root, id: "b", parent: "c" }]), "stands before it"],
    [own([{ ...root, pieces: [7] }]), "nodes[0].pieces[0] must be an object"],
    [own([{ ...root, pieces: [{ text: "a" }] }]), "nodes[0].pieces[0].top must be a list"],
    [{ root: { text: 7 } }, "`text` must be a string"],
  ])("%j", (file, words) => {
    expect(problemOf(file)).toContain(words);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textOf } from "../../../src/islands/loom/pieces.ts";
import {
  newTree,
  nodeOf,
  pathText,
  pathTo,
  rowsOf,
  subtree,
} from "../../../src/islands/loom/tree.ts";
import { edit, merge, split } from "../../../src/islands/loom/tree-changes.ts";
import { toFile } from "../../../src/islands/loom/tree-file.ts";
import { append, grow } from "../../../src/islands/loom/tree-growth.ts";
import { inAll, newHistory, record, redo, undo } from "../../../src/islands/loom/tree-history.ts";
import { readTreeFile } from "../../../src/islands/loom/tree-import.ts";
import { numRuns } from "../../core/property-runs.ts";
import { defectsOf, freshId, lengthOf, steps, takeStep, tokens, trees } from "./tree-steps.ts";

const pick = fc.nat({ max: 1_000 });

function nth<T>(list: readonly T[], index: number): T {
  const value = list[index % list.length];
  if (value === undefined) throw new Error("an empty list");
  return value;
}

describe("whatever is done to a tree", () => {
  test("it stays a tree: no orphan, no node twice, each child knows its parent", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        expect(defectsOf(tree)).toEqual([]);
      }),
      { numRuns },
    );
  });

  test("a path's text is that of its nodes, one after the other", () => {
    fc.assert(
      fc.property(trees, pick, (tree, index) => {
        const id = nth([...tree.nodes.keys()], index);
        const { parent, pieces } = nodeOf(tree, id);
        const before = parent === null ? "" : pathText(tree, parent);
        expect(pathText(tree, id)).toBe(before + textOf(pieces));
      }),
      { numRuns },
    );
  });

  test("the tree before the step stays as it was", () => {
    fc.assert(
      fc.property(trees, steps, (tree, taken) => {
        const before = JSON.stringify(toFile({ name: "", tree }));
        taken.reduce(takeStep, tree);
        expect(JSON.stringify(toFile({ name: "", tree }))).toBe(before);
      }),
      { numRuns },
    );
  });

  test("the list shows each node that is neither hidden nor folded away, and says true counts", () => {
    fc.assert(
      fc.property(trees, fc.boolean(), (tree, showsHidden) => {
        const rows = rowsOf(tree, showsHidden);
        const isListed = (id: string) => {
          const path = pathTo(tree, id);
          const isOpen = path.slice(0, -1).every(({ folded }) => !folded);
          return isOpen && (showsHidden || path.every(({ hidden }) => !hidden));
        };
        const listed = subtree(tree, tree.root).filter(({ id }) => isListed(id));
        expect(rows.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
        for (const { id, depth, position, siblings } of rows) {
          expect(depth).toBe(pathTo(tree, id).length - 1);
          expect(position).toBeLessThanOrEqual(siblings);
        }
      }),
      { numRuns },
    );
  });
});

describe("split and merge", () => {
  test("a split changes no path's text, and merging gives back the very tree", () => {
    fc.assert(
      fc.property(trees, pick, pick, (tree, index, place) => {
        const id = nth([...tree.nodes.keys()], index);
        const rest = freshId(tree);
        const halves = split(tree, id, place % (lengthOf(tree, id) + 1), rest);
        fc.pre(halves.ok);
        if (!halves.ok) return;
        expect(pathText(halves.tree, rest)).toBe(pathText(tree, id));
        for (const node of subtree(tree, id).slice(1)) {
          expect(pathText(halves.tree, node.id)).toBe(pathText(tree, node.id));
        }
        const whole = merge(halves.tree, rest);
        expect(whole).toEqual({ ok: true, tree });
      }),
      { numRuns },
    );
  });
});

describe("undo and redo", () => {
  test("as many undos as steps give back each tree before, and redo each one after", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        let tree = newTree("root", []);
        const seen = [tree];
        let history = newHistory(tree);
        for (const step of taken) {
          const next = takeStep(tree, step);
          history = record(history, next);
          if (next !== tree) seen.push(next);
          tree = next;
        }
        for (const expected of seen.slice(0, -1).toReversed()) {
          history = undo(history) ?? history;
          expect(history.present).toBe(expected);
        }
        expect(undo(history)).toBeNull();
        for (const expected of seen.slice(1)) {
          history = redo(history) ?? history;
          expect(history.present).toBe(expected);
        }
        expect(redo(history)).toBeNull();
      }),
      { numRuns },
    );
  });
});

describe("files", () => {
  test("what is exported comes back as it was", () => {
    fc.assert(
      fc.property(trees, fc.string(), (tree, name) => {
        const text = JSON.stringify(toFile({ name, tree }));
        const read = readTreeFile(text, () => "unused");
        expect(read).toEqual({ ok: true, value: { name, tree } });
      }),
      { numRuns },
    );
  });
});

describe("editing", () => {
  test("the text is what was written, and below it no number stays that was true of another", () => {
    fc.assert(
      fc.property(trees, pick, fc.string({ maxLength: 6 }), (tree, index, text) => {
        const id = nth([...tree.nodes.keys()], index);
        const edited = edit(tree, id, text);
        expect(textOf(nodeOf(edited, id).pieces)).toBe(text);
        if (edited === tree) return;
        for (const node of subtree(edited, id).slice(1)) {
          expect(node.pieces.every(({ score }) => score === null)).toBe(true);
          expect(textOf(node.pieces)).toBe(textOf(nodeOf(tree, node.id).pieces));
        }
      }),
      { numRuns },
    );
  });

  test("tokens before the first change keep their numbers", () => {
    fc.assert(
      fc.property(tokens, tokens, (kept, changed) => {
        const tree = grow(newTree("root", []), [
          { parent: "root", id: "a", pieces: [...kept, ...changed], origin: null },
        ]);
        fc.pre(kept.at(-1)?.text !== "");
        const edited = edit(tree, "a", `${textOf(kept)}#`);
        expect(nodeOf(edited, "a").pieces.slice(0, kept.length)).toEqual(kept);
      }),
      { numRuns },
    );
  });
});

describe("what streams in", () => {
  test("is in every tree that knows the branch, so that undo loses none of it", () => {
    fc.assert(
      fc.property(trees, tokens, (tree, pieces) => {
        const id = freshId(tree);
        const begun = grow(tree, [{ parent: tree.root, id, pieces: [], origin: null }]);
        let history = record(record(newHistory(tree), begun), edit(begun, begun.root, "changed"));
        history = inAll(history, (one) => append(one, new Map([[id, pieces]])));
        const before = undo(history);
        expect(before?.present.nodes.get(id)?.pieces).toEqual(pieces);
        const first = before === null ? null : undo(before);
        expect(first?.present).toEqual(tree);
      }),
      { numRuns },
    );
  });
});

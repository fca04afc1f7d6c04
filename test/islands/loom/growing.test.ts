import fc from "fast-check";
import { expect, test } from "vitest";
import type { CommandName } from "../../../src/islands/loom/commands.ts";
import { whyNotYet } from "../../../src/islands/loom/growing.ts";
import { type Pieces, textOf } from "../../../src/islands/loom/pieces.ts";
import { newTree, nodeOf, pathText } from "../../../src/islands/loom/tree.ts";
import { append, grow } from "../../../src/islands/loom/tree-growth.ts";
import { numRuns } from "../../core/property-runs.ts";
import { type Step, steps, takeStep, tokens } from "./tree-steps.ts";

/** What a person presses for each step that they can take; a stream's own end is none. */
const commandOf: Readonly<Record<Step["kind"], CommandName | "branch" | "move" | null>> = {
  ...{ grow: "grow", write: "write", edit: "edit", split: "split", branchAt: "branch" },
  ...{ merge: "merge", mergePath: "merge-path", cut: "cut", keepOnly: "keep" },
  ...{ bookmark: "bookmark", hide: "hide", fold: "move", select: "move", finish: null },
};

test("whatever is done while a Model writes, its text stays whole and goes on from what it was given", () => {
  fc.assert(
    fc.property(steps, fc.array(fc.tuple(steps, tokens)), (before, meanwhile) => {
      let tree = before.reduce(takeStep, newTree("root", []));
      const parent = tree.selected;
      const prompt = pathText(tree, parent);
      tree = grow(tree, [{ parent, id: "grown", pieces: [], origin: null }]);
      const growing = new Set(["grown"]);
      let written = "";
      for (const [taken, pieces] of meanwhile) {
        for (const step of taken) {
          const ids = [...tree.nodes.keys()];
          const id = ids[step.node % ids.length] ?? tree.root;
          const command = commandOf[step.kind];
          if (command === null) continue;
          const isFree = command === "move" || whyNotYet(command, { tree, id, growing }) === null;
          if (isFree) tree = takeStep(tree, step);
        }
        if (!tree.nodes.has("grown")) return;
        tree = append(tree, new Map<string, Pieces>([["grown", pieces]]));
        written += textOf(pieces);
        const node = nodeOf(tree, "grown");
        expect(textOf(node.pieces)).toBe(written);
        expect(node.children).toEqual([]);
        expect(pathText(tree, "grown")).toBe(prompt + written);
      }
    }),
    { numRuns },
  );
});

test("what is refused says what to do, and beside what grows nothing is", () => {
  const branches = ["grown", "beside"].map((id) => ({
    parent: "root",
    id,
    pieces: [],
    origin: null,
  }));
  const tree = grow(newTree("root", []), branches);
  const growing = new Set(["grown"]);
  expect(whyNotYet("split", { tree, id: "grown", growing })).toContain("Stop it first");
  expect(whyNotYet("edit", { tree, id: "root", growing })).toContain("Stop it first");
  expect(whyNotYet("edit", { tree, id: "beside", growing })).toBeNull();
  expect(whyNotYet("grow", { tree, id: "root", growing })).toBeNull();
  expect(whyNotYet("cut", { tree, id: "grown", growing })).toBeNull();
});

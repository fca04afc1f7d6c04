// Any tree: what comes of any steps that the page can take, in any order.
import fc from "fast-check";
import type { Piece, Pieces } from "../../../src/islands/loom/pieces.ts";
import { type NodeId, newTree, nodeOf, type Tree } from "../../../src/islands/loom/tree.ts";
import * as changes from "../../../src/islands/loom/tree-changes.ts";
import * as growth from "../../../src/islands/loom/tree-growth.ts";

export interface Step {
  kind: (typeof kinds)[number];
  /** Which node: modulo their count. */
  node: number;
  /** Where in its text: modulo its length. */
  at: number;
  text: string;
  pieces: Pieces;
}

const kinds = [
  "grow",
  "write",
  "edit",
  "cut",
  "keepOnly",
  "split",
  "merge",
  "mergePath",
  "bookmark",
  "hide",
  "fold",
  "select",
  "branchAt",
  "finish",
] as const;

/** Also empty, of two units a character, and with what JSON has to escape. */
const text = fc.string({ unit: fc.constantFrom("a", " b", "ü", "😀", "\n", '"'), maxLength: 6 });

const logprob = fc.double({ min: -30, max: 0, noNaN: true }).map((value) => value + 0);

const token = fc.record({
  text,
  from: fc.constant(0),
  score: fc.record({
    model: fc.constantFrom("local", "other"),
    id: fc.nat(),
    logprob,
    rank: fc.option(fc.integer({ min: 1, max: 50_000 })),
    top: fc.array(fc.record({ id: fc.nat(), logprob }), { maxLength: 2 }),
  }),
});

export const tokens: fc.Arbitrary<Pieces> = fc.array(token, { maxLength: 4 });

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  node: fc.nat({ max: 1_000 }),
  at: fc.nat({ max: 1_000 }),
  text,
  pieces: tokens,
});

export const steps = fc.array(step, { maxLength: 30 });

export const trees = steps.map((taken) => taken.reduce(takeStep, newTree("root", [])));

const origin = { model: "local", seed: 7, temperature: 1, chosen: 1, asked: { n: 4 } };

/** Names new nodes by how many there are and were: the same steps make the same tree. */
export function takeStep(tree: Tree, step: Step): Tree {
  const ids = [...tree.nodes.keys()];
  const id = ids[step.node % ids.length] ?? tree.root;
  const fresh = freshId(tree);
  const at = step.at % (lengthOf(tree, id) + 1);
  const branch = { id: `${fresh}b`, pieces: step.pieces, origin };
  switch (step.kind) {
    case "grow":
      return growth.append(
        growth.grow(tree, [
          { parent: id, id: fresh, pieces: [], origin },
          { ...branch, parent: id },
        ]),
        new Map([[fresh, step.pieces]]),
      );
    case "write":
      return changes.writeBelow(tree, id, fresh, step.text);
    case "edit":
      return changes.edit(tree, id, step.text);
    case "cut":
      return orSame(tree, changes.cut(tree, id));
    case "keepOnly":
      return orSame(tree, changes.keepOnly(tree, id));
    case "split":
      return orSame(tree, changes.split(tree, id, at, fresh));
    case "merge":
      return orSame(tree, changes.merge(tree, id));
    case "mergePath":
      return orSame(tree, changes.mergePath(tree, id));
    case "bookmark":
      return changes.bookmark(tree, id);
    case "hide":
      return orSame(tree, changes.hide(tree, id, false));
    case "fold":
      return changes.fold(tree, id, step.at % 2 === 0);
    case "select":
      return changes.select(tree, id);
    case "branchAt":
      return orSame(tree, changes.branchAt(tree, { id, at, rest: fresh }, branch));
    case "finish":
      return growth.finish(tree, new Map([[id, id === tree.root ? null : "stop"]]));
  }
}

export function freshId(tree: Tree): NodeId {
  let number = tree.nodes.size;
  while (tree.nodes.has(`${number}`) || tree.nodes.has(`${number}b`)) number += 1;
  return `${number}`;
}

export function lengthOf(tree: Tree, id: NodeId): number {
  return nodeOf(tree, id).pieces.reduce((sum, piece: Piece) => sum + piece.text.length, 0);
}

function orSame(tree: Tree, change: changes.Change): Tree {
  return change.ok ? change.tree : tree;
}

/** What is wrong with a tree; of one that is a tree, nothing. */
export function defectsOf(tree: Tree): string[] {
  const found: string[] = [];
  const seen = new Set<NodeId>();
  const open = [tree.root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) found.push(`${id} is reached twice`);
    if (seen.has(id)) continue;
    seen.add(id);
    const node = tree.nodes.get(id);
    if (node === undefined) found.push(`${id} is a child and no node`);
    if (node !== undefined && node.id !== id) found.push(`${id} stands under another name`);
    for (const child of node?.children ?? []) {
      if (tree.nodes.get(child)?.parent !== id) found.push(`${child} knows another parent`);
      open.push(child);
    }
    const isWritten = (piece: Piece | undefined) => piece?.score === null;
    for (const [index, piece] of (node?.pieces ?? []).entries()) {
      if (!isWritten(piece)) continue;
      if (piece.text === "") found.push(`${id} has an empty run`);
      if (isWritten(node?.pieces[index - 1])) found.push(`${id} has a run in two pieces`);
    }
  }
  for (const id of tree.nodes.keys()) if (!seen.has(id)) found.push(`${id} is an orphan`);
  if (!tree.nodes.has(tree.selected)) found.push("what is selected is no node");
  if (tree.nodes.get(tree.root)?.parent !== null) found.push("the root has a parent");
  if (tree.nodes.get(tree.root)?.hidden) found.push("the root is hidden");
  return found;
}

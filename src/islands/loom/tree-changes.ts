// What can be done to a tree. Each function gives another tree, or says why it cannot be done; the old
// one stays as it was, which is what undo lives on. No I/O, no clock; new ids come from the caller.
import { withoutSeed } from "./origins.ts";
import {
  cutAt,
  joined,
  partsCharacter,
  rewritten,
  textOf,
  withoutScores,
  written,
} from "./pieces.ts";
import {
  type NodeId,
  newNode,
  nodeOf,
  pathTo,
  shownChildren,
  subtree,
  type Tree,
  type TreeNode,
} from "./tree.ts";
import { type Branch, grow } from "./tree-growth.ts";
import { withNodes, without } from "./tree-nodes.ts";

/** What came of it; `why` is a sentence for the person who asked. */
export type Change = { ok: true; tree: Tree } | { ok: false; why: string };

/** Selects it and unfolds the way to it. */
export function select(tree: Tree, id: NodeId): Tree {
  const folded = pathTo(tree, id).filter((node) => node.folded && node.id !== id);
  const opened = folded.map((node) => ({ ...node, folded: false }));
  return { ...withNodes(tree, opened), selected: id };
}

/** Folding what has the selected node below it selects it. */
export function fold(tree: Tree, id: NodeId, folded: boolean): Tree {
  const changed = withNodes(tree, [{ ...nodeOf(tree, id), folded }]);
  const isBelow = folded && pathTo(tree, tree.selected).some((node) => node.id === id);
  return isBelow ? { ...changed, selected: id } : changed;
}

export function edit(tree: Tree, id: NodeId, text: string): Tree {
  const node = nodeOf(tree, id);
  if (textOf(node.pieces) === text) return tree;
  const below = subtree(tree, id).slice(1);
  const changed = below.map((one) => ({ ...one, pieces: withoutScores(one.pieces) }));
  const pieces = rewritten(node.pieces, text);
  return withNodes(tree, [{ ...node, pieces, finish: null }, ...changed]);
}

/** The node and all below it go. */
export function cut(tree: Tree, id: NodeId): Change {
  const { parent } = nodeOf(tree, id);
  if (parent === null) return refused("The root cannot be cut. Delete the tree instead.");
  const gone = new Set(subtree(tree, id).map((node) => node.id));
  return { ok: true, tree: without({ ...tree, selected: besides(tree, id, gone) }, gone) };
}

/** Its siblings go, with all below them. */
export function keepOnly(tree: Tree, id: NodeId): Change {
  const { parent } = nodeOf(tree, id);
  const siblings = parent === null ? [] : nodeOf(tree, parent).children;
  const others = siblings.filter((sibling) => sibling !== id);
  if (others.length === 0) return refused("There is no other branch here to cut.");
  const gone = new Set(others.flatMap((other) => subtree(tree, other).map((node) => node.id)));
  const selected = gone.has(tree.selected) ? id : tree.selected;
  return { ok: true, tree: without({ ...tree, selected }, gone) };
}

/** In two at a character: the node keeps what stands before, `newId` has the rest and all below. */
export function split(tree: Tree, id: NodeId, at: number, newId: NodeId): Change {
  const node = nodeOf(tree, id);
  const text = textOf(node.pieces);
  if (at <= 0 || at >= text.length) {
    return refused("There is nothing to split off. Choose a place inside the text.");
  }
  if (partsCharacter(text, at)) return refused("One character cannot be split in two.");
  const [left, right] = cutAt(node.pieces, at);
  const rest: TreeNode = {
    ...newNode(newId, id, right),
    children: node.children,
    origin: withoutSeed(node.origin),
    finish: node.finish,
    folded: node.folded,
  };
  const first = { ...node, pieces: left, children: [newId], finish: null, folded: false };
  const below = node.children.map((child) => ({ ...nodeOf(tree, child), parent: newId }));
  return { ok: true, tree: withNodes(tree, [first, rest, ...below]) };
}

/** Into the node before it, whose id and marks stay; the way back from `split`. */
export function merge(tree: Tree, id: NodeId): Change {
  const node = nodeOf(tree, id);
  if (node.parent === null) return refused("Nothing stands before the root to merge it with.");
  const above = nodeOf(tree, node.parent);
  if (above.children.length > 1) {
    return refused("Other branches begin here too. Keep only this one first, then merge it.");
  }
  const merged: TreeNode = {
    ...above,
    pieces: joined(above.pieces, node.pieces),
    children: node.children,
    // One seed gives no two growths; what was split off has none of its own.
    origin: (node.origin?.seed ?? null) === null ? above.origin : withoutSeed(above.origin),
    finish: node.finish,
    folded: node.folded,
    bookmarked: above.bookmarked || node.bookmarked,
  };
  const below = node.children.map((child) => ({ ...nodeOf(tree, child), parent: above.id }));
  const nodes = new Map(withNodes(tree, [merged, ...below]).nodes);
  nodes.delete(id);
  const selected = tree.selected === id ? above.id : tree.selected;
  return { ok: true, tree: { ...tree, selected, nodes } };
}

/** Every node on the way to this one that is its parent's only child, into that parent. */
export function mergePath(tree: Tree, id: NodeId): Change {
  let changed = tree;
  for (const node of pathTo(tree, id).toReversed()) {
    const merged = merge(changed, node.id);
    if (merged.ok) changed = merged.tree;
  }
  if (changed === tree) return refused("Every step of this path has other branches beside it.");
  return { ok: true, tree: changed };
}

export function bookmark(tree: Tree, id: NodeId): Tree {
  const node = nodeOf(tree, id);
  return withNodes(tree, [{ ...node, bookmarked: !node.bookmarked }]);
}

/** Out of sight, or back; the selection goes where something is still seen. */
export function hide(tree: Tree, id: NodeId, showsHidden: boolean): Change {
  const node = nodeOf(tree, id);
  if (node.parent === null) return refused("The root cannot be hidden.");
  const changed = withNodes(tree, [{ ...node, hidden: !node.hidden }]);
  if (node.hidden || showsHidden) return { ok: true, tree: changed };
  const gone = new Set(subtree(tree, id).map((one) => one.id));
  return { ok: true, tree: { ...changed, selected: besides(tree, id, gone) } };
}

/** A token that the Model might have given, as a branch beside what it gave. */
export function branchAt(
  tree: Tree,
  place: { id: NodeId; at: number; rest: NodeId },
  branch: Omit<Branch, "parent">,
): Change {
  const { id, at, rest } = place;
  const { parent, pieces } = nodeOf(tree, id);
  if (at === 0) {
    // What was given stays whole, and the branch is its sibling.
    if (parent === null) return refused("Nothing stands before the tree's first token.");
    return { ok: true, tree: grow(tree, [{ ...branch, parent }]) };
  }
  if (at >= textOf(pieces).length) {
    return { ok: true, tree: grow(tree, [{ ...branch, parent: id }]) };
  }
  const halves = split(tree, id, at, rest);
  return halves.ok ? { ok: true, tree: grow(halves.tree, [{ ...branch, parent: id }]) } : halves;
}

/** A branch that a person begins. */
export function writeBelow(tree: Tree, parent: NodeId, id: NodeId, text: string): Tree {
  const grown = grow(tree, [{ parent, id, pieces: written(text), origin: null }]);
  return select(grown, id);
}

/** Where to go when these are gone: the next sibling, else the one before, else the parent. */
function besides(tree: Tree, id: NodeId, gone: ReadonlySet<NodeId>): NodeId {
  if (!gone.has(tree.selected)) return tree.selected;
  const { parent } = nodeOf(tree, id);
  if (parent === null) return id;
  const shown = shownChildren(tree, parent, false);
  const place = shown.indexOf(id);
  return shown[place + 1] ?? (place > 0 ? shown[place - 1] : undefined) ?? parent;
}

function refused(why: string): Change {
  return { ok: false, why };
}

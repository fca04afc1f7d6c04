// A tree of branches and the ways to read it. No I/O, no page; a tree never changes, `tree-changes.ts`
// makes another. Nodes are shared between trees, so that a step of undo costs a map and not the text.
import { type Pieces, textOf } from "./pieces.ts";

export type NodeId = string;

/** How a Model came to a branch. */
export interface Origin {
  readonly model: string;
  /** As the API says it in `x-seed`; null where it is not known. */
  readonly seed: number | null;
  readonly temperature: number;
  /** What the API was asked for beside these, by its own names of fields; `index` is the choice's. */
  readonly asked?: Readonly<Record<string, unknown>>;
  /** How many of its first characters a person chose before the Model went on; absent for none. */
  readonly chosen?: number;
}

export interface TreeNode {
  readonly id: NodeId;
  /** Null for the root alone. */
  readonly parent: NodeId | null;
  readonly children: readonly NodeId[];
  readonly pieces: Pieces;
  /** Null for what a person began. */
  readonly origin: Origin | null;
  /** The API's `finish_reason`; null while it is not known, and of what a person wrote. */
  readonly finish: string | null;
  readonly bookmarked: boolean;
  readonly hidden: boolean;
  /** Whether the list leaves out what is below. */
  readonly folded: boolean;
}

export interface Tree {
  readonly root: NodeId;
  readonly selected: NodeId;
  readonly nodes: ReadonlyMap<NodeId, TreeNode>;
}

/** One line of the list. */
export interface Row {
  readonly id: NodeId;
  /** 0 for the root. */
  readonly depth: number;
  /** From 1, among the siblings that are shown. */
  readonly position: number;
  readonly siblings: number;
  /** Children that are shown, or would be if it were not folded. */
  readonly below: number;
}

const plain = { origin: null, finish: null, bookmarked: false, hidden: false, folded: false };

export function newNode(id: NodeId, parent: NodeId | null, pieces: Pieces): TreeNode {
  return { id, parent, children: [], pieces, ...plain };
}

export function newTree(root: NodeId, pieces: Pieces): Tree {
  return { root, selected: root, nodes: new Map([[root, newNode(root, null, pieces)]]) };
}

/** Throws if it is not there: whoever asks has the id from the tree. */
export function nodeOf(tree: Tree, id: NodeId): TreeNode {
  const node = tree.nodes.get(id);
  if (node === undefined) throw new Error(`the tree has no node ${id}`);
  return node;
}

/** From the root to this node. */
export function pathTo(tree: Tree, id: NodeId): readonly TreeNode[] {
  const path: TreeNode[] = [];
  for (let at: NodeId | null = id; at !== null; ) {
    const node = nodeOf(tree, at);
    path.push(node);
    at = node.parent;
  }
  return path.reverse();
}

export function pathText(tree: Tree, id: NodeId): string {
  return pathTo(tree, id)
    .map(({ pieces }) => textOf(pieces))
    .join("");
}

/** This node and all below it, parents first, siblings in their order. */
export function subtree(tree: Tree, id: NodeId): readonly TreeNode[] {
  const found: TreeNode[] = [];
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = nodeOf(tree, next);
    found.push(node);
    for (const child of node.children.toReversed()) open.push(child);
  }
  return found;
}

/** The children that are shown. */
export function shownChildren(tree: Tree, id: NodeId, showsHidden: boolean): readonly NodeId[] {
  const { children } = nodeOf(tree, id);
  if (showsHidden) return children;
  return children.filter((child) => !nodeOf(tree, child).hidden);
}

/** The lines of the list, from above. */
export function rowsOf(tree: Tree, showsHidden: boolean): readonly Row[] {
  const rows: Row[] = [];
  const open = [{ id: tree.root, depth: 0, position: 1, siblings: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const children = shownChildren(tree, next.id, showsHidden);
    rows.push({ ...next, below: children.length });
    if (nodeOf(tree, next.id).folded) continue;
    const siblings = children.length;
    for (let index = siblings - 1; index >= 0; index -= 1) {
      const id = children[index];
      if (id !== undefined) open.push({ id, depth: next.depth + 1, position: index + 1, siblings });
    }
  }
  return rows;
}

/** The bookmark after (`step` 1) or before (-1) this node, around the end; null if there is none. */
export function nearBookmark(tree: Tree, step: 1 | -1, showsHidden: boolean): NodeId | null {
  const all = subtree(tree, tree.root);
  const start = all.findIndex(({ id }) => id === tree.selected);
  for (let distance = 1; distance <= all.length; distance += 1) {
    const node = all.at((start + step * distance) % all.length);
    if (node?.bookmarked && (showsHidden || isShown(tree, node.id))) return node.id;
  }
  return null;
}

/** Whether nothing on the way to it is hidden. */
function isShown(tree: Tree, id: NodeId): boolean {
  return pathTo(tree, id).every(({ hidden }) => !hidden);
}

/** Whether the way to the selected node leads through it. */
export function isOnPath(tree: Tree, id: NodeId): boolean {
  return pathTo(tree, tree.selected).some((node) => node.id === id);
}

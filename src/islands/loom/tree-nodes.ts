// Nodes put into a tree, and taken out. No I/O.
import { type NodeId, nodeOf, pathTo, type Tree, type TreeNode } from "./tree.ts";

/** These in place of those of the same name, or beside the others. */
export function withNodes(tree: Tree, changed: readonly TreeNode[]): Tree {
  if (changed.length === 0) return tree;
  const nodes = new Map(tree.nodes);
  for (const node of changed) nodes.set(node.id, node);
  return { ...tree, nodes };
}

/** Whole subtrees go: `gone` has all below what it has. */
export function without(tree: Tree, gone: ReadonlySet<NodeId>): Tree {
  if (gone.size === 0) return tree;
  const nodes = new Map(tree.nodes);
  for (const id of gone) {
    const { parent } = nodeOf(tree, id);
    nodes.delete(id);
    const above = parent === null ? undefined : nodes.get(parent);
    if (above === undefined) continue;
    nodes.set(above.id, { ...above, children: above.children.filter((child) => !gone.has(child)) });
  }
  const isSelectedGone = gone.has(tree.selected);
  const selected = isSelectedGone ? firstLeft(tree, gone) : tree.selected;
  return { ...tree, nodes, selected };
}

function firstLeft(tree: Tree, gone: ReadonlySet<NodeId>): NodeId {
  const path = pathTo(tree, tree.selected).toReversed();
  return path.find(({ id }) => !gone.has(id))?.id ?? tree.root;
}

// What a Model does to a tree: branches begin, their text comes in, they end. No I/O; new ids come from
// the caller.
import { joined, type Pieces } from "./pieces.ts";
import { type NodeId, newNode, nodeOf, type Origin, type Tree, type TreeNode } from "./tree.ts";
import { withNodes, without } from "./tree-nodes.ts";

export interface Branch {
  readonly parent: NodeId;
  readonly id: NodeId;
  readonly pieces: Pieces;
  readonly origin: Origin | null;
}

/** New branches after their parents' others, in order. */
export function grow(tree: Tree, branches: readonly Branch[]): Tree {
  let changed = tree;
  for (const { parent, id, pieces, origin } of branches) {
    const above = nodeOf(changed, parent);
    changed = withNodes(changed, [
      { ...above, children: [...above.children, id], folded: false },
      { ...newNode(id, parent, pieces), origin },
    ]);
  }
  return changed;
}

/** What came in for each branch. Branches that are not there any more are passed over. */
export function append(tree: Tree, arrived: ReadonlyMap<NodeId, Pieces>): Tree {
  const changed: TreeNode[] = [];
  for (const [id, pieces] of arrived) {
    const node = tree.nodes.get(id);
    if (node !== undefined) changed.push({ ...node, pieces: joined(node.pieces, pieces) });
  }
  return withNodes(tree, changed);
}

/** How each branch ended. Those that nothing came for go, unless something stands below. */
export function finish(tree: Tree, ended: ReadonlyMap<NodeId, string | null>): Tree {
  const known = [...ended.keys()].flatMap((id) => tree.nodes.get(id) ?? []);
  const isNothing = ({ parent, pieces, children }: TreeNode) =>
    parent !== null && pieces.length === 0 && children.length === 0;
  const empty = new Set(known.filter(isNothing).map(({ id }) => id));
  const full = known.filter(({ id }) => !empty.has(id));
  const changed = withNodes(
    tree,
    full.map((node) => ({ ...node, finish: ended.get(node.id) ?? null })),
  );
  return without(changed, empty);
}

/** How a Model goes on with a branch that stands there already. */
export function withOrigin(tree: Tree, id: NodeId, origin: Origin): Tree {
  const node = tree.nodes.get(id);
  return node === undefined ? tree : withNodes(tree, [{ ...node, origin }]);
}

/** What the branches were sampled with, once the API has said it. */
export function withSeed(tree: Tree, ids: readonly NodeId[], seed: number | null): Tree {
  const changed = ids.flatMap((id) => {
    const node = tree.nodes.get(id);
    return node === undefined || node.origin === null
      ? []
      : [{ ...node, origin: { ...node.origin, seed } }];
  });
  return withNodes(tree, changed);
}

/** The same texts told otherwise; branches that have changed since stay as they are. */
export function replacePieces(
  tree: Tree,
  told: readonly { id: NodeId; before: Pieces; after: Pieces }[],
): Tree {
  const changed = told.flatMap(({ id, before, after }) => {
    const node = tree.nodes.get(id);
    return node?.pieces === before ? [{ ...node, pieces: after }] : [];
  });
  return withNodes(tree, changed);
}

// Where the arrow keys lead from the selected branch, in the list and in the graph. No elements.
import type { GraphLayout } from "./graph-layout.ts";
import { type NodeId, nodeOf, type Row, shownChildren, type Tree } from "./tree.ts";
import { fold, select } from "./tree-changes.ts";

/** The tree after the key; null for a key that leads nowhere. */
export function moveInList(tree: Tree, rows: readonly Row[], key: string): Tree | null {
  const at = rows.findIndex(({ id }) => id === tree.selected);
  const to = (id: NodeId | undefined) => (id === undefined ? null : select(tree, id));
  switch (key) {
    case "ArrowDown":
      return to(rows[at + 1]?.id);
    case "ArrowUp":
      return to(rows[at - 1]?.id);
    case "Home":
      return to(rows[0]?.id);
    case "End":
      return to(rows.at(-1)?.id);
    case "ArrowRight":
      return nodeOf(tree, tree.selected).folded
        ? fold(tree, tree.selected, false)
        : to(rows[at]?.below === 0 ? undefined : rows[at + 1]?.id);
    case "ArrowLeft": {
      const { folded, parent } = nodeOf(tree, tree.selected);
      const canFold = !folded && (rows[at]?.below ?? 0) > 0;
      return canFold ? fold(tree, tree.selected, true) : to(parent ?? undefined);
    }
    default:
      return null;
  }
}

/** To the right is what goes on, up and down what stands beside, whoever's it is. */
export function moveInGraph(
  tree: Tree,
  layout: GraphLayout,
  showsHidden: boolean,
  key: string,
): Tree | null {
  const to = (id: NodeId | null | undefined) => (id ? select(tree, id) : null);
  const here = layout.byId.get(tree.selected);
  const column = layout.places.filter((place) => place.column === here?.column);
  const at = column.findIndex(({ id }) => id === tree.selected);
  switch (key) {
    case "ArrowRight":
      return to(shownChildren(tree, tree.selected, showsHidden)[0]);
    case "ArrowLeft":
      return to(nodeOf(tree, tree.selected).parent);
    case "ArrowDown":
      return to(column[at + 1]?.id);
    case "ArrowUp":
      return to(column[at - 1]?.id);
    case "Home":
      return to(tree.root);
    case "End":
      return to(layout.places.at(-1)?.id);
    default:
      return null;
  }
}

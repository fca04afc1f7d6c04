// Where trees are kept, in memory.
import type { Tree } from "../../../src/islands/loom/tree.ts";
import type { KeptTree, TreeStore } from "../../../src/islands/loom/tree-store.ts";

/** As the browser's: a write is whole or not at all, and what is no difference to it breaks a tree. */
export class Storage implements TreeStore {
  /** How many writes find no room. */
  failures = 0;
  readonly trees = new Map<string, { kept: KeptTree; nodes: Tree["nodes"] }>();

  async list() {
    return [...this.trees.values()].map(({ kept }) => kept);
  }

  async open({ id, root, selected }: KeptTree) {
    const found = this.trees.get(id);
    return found === undefined ? null : { root, selected, nodes: found.nodes };
  }

  async keep(kept: KeptTree, tree: Tree, before: Tree | null) {
    const nodes = new Map(before === null ? [] : this.trees.get(kept.id)?.nodes);
    for (const node of tree.nodes.values()) {
      if (before?.nodes.get(node.id) !== node) nodes.set(node.id, node);
    }
    for (const id of before?.nodes.keys() ?? []) if (!tree.nodes.has(id)) nodes.delete(id);
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("no room");
    }
    this.trees.set(kept.id, { kept, nodes });
  }

  async remove(id: string) {
    this.trees.delete(id);
  }
}

// Where trees are kept: this browser's IndexedDB, one database a person, and nowhere else. A node is a
// record of its own, so that keeping a change writes what changed and not the tree.
import type { NodeId, Tree, TreeNode } from "./tree.ts";

export interface KeptTree {
  readonly id: string;
  readonly name: string;
  readonly root: NodeId;
  readonly selected: NodeId;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

interface NodeRecord {
  readonly tree: string;
  readonly node: TreeNode;
}

const TREES = "trees";
const NODES = "nodes";

export interface TreeStore {
  /** Latest first. */
  list(): Promise<readonly KeptTree[]>;
  /** Null where its nodes are not all there. */
  open(kept: KeptTree): Promise<Tree | null>;
  /** Writes what differs from `before`, which is what the last call kept; null writes all. */
  keep(kept: KeptTree, tree: Tree, before: Tree | null): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Rejects where the browser keeps nothing for this page. */
export async function openTreeStore(personId: string): Promise<TreeStore> {
  const asked = indexedDB.open(`continuo-loom-${personId}`, 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore(TREES, { keyPath: "id" });
    asked.result.createObjectStore(NODES, { keyPath: ["tree", "node.id"] });
  };
  const database = await answer(asked);
  return {
    async list() {
      const found: KeptTree[] = await answer(
        database.transaction(TREES).objectStore(TREES).getAll(),
      );
      return found.sort((a, b) => b.changedAt - a.changedAt);
    },
    async open({ id, root, selected }) {
      const records: NodeRecord[] = await answer(
        database.transaction(NODES).objectStore(NODES).getAll(allOf(id)),
      );
      const nodes = new Map(records.map(({ node }) => [node.id, node]));
      const isWhole = [...nodes.values()].every(({ children }) =>
        children.every((child) => nodes.has(child)),
      );
      if (!nodes.has(root) || !isWhole) return null;
      return { root, selected: nodes.has(selected) ? selected : root, nodes };
    },
    keep(kept, tree, before) {
      const transaction = database.transaction([TREES, NODES], "readwrite");
      transaction.objectStore(TREES).put(kept);
      const nodes = transaction.objectStore(NODES);
      if (before === null) nodes.delete(allOf(kept.id));
      for (const node of tree.nodes.values()) {
        if (before?.nodes.get(node.id) !== node) nodes.put({ tree: kept.id, node });
      }
      for (const id of before?.nodes.keys() ?? []) {
        if (!tree.nodes.has(id)) nodes.delete([kept.id, id]);
      }
      return done(transaction);
    },
    remove(id) {
      const transaction = database.transaction([TREES, NODES], "readwrite");
      transaction.objectStore(TREES).delete(id);
      transaction.objectStore(NODES).delete(allOf(id));
      return done(transaction);
    },
  };
}

/** Every node's key of one tree: an array sorts after every string. */
function allOf(tree: string): IDBKeyRange {
  return IDBKeyRange.bound([tree], [tree, []]);
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function done(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

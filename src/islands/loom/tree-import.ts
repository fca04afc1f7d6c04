// Reads a tree from a file of the Loom's own, or of two other looms: socketteer's (`root` with nested
// `children`, as its data/*.json), and loomsidian's export (`nodes` by id with `parentId`, as the
// NoteState of its common.ts). No I/O.
import { written } from "./pieces.ts";
import { type NodeId, newNode, type Tree, type TreeNode } from "./tree.ts";
import { FILE_FORMAT, fromFile, type NamedTree, NODES_MOST, type Read } from "./tree-file.ts";

type Json = Readonly<Record<string, unknown>>;

/** `newId` names nodes whose file gives them no name that is their own. */
export function readTreeFile(text: string, newId: () => NodeId): Read<NamedTree> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return problem("The file is no JSON. Choose a file that a loom has exported.");
  }
  if (!isObject(file)) return problem("The file holds no tree.");
  if (file.format === FILE_FORMAT) return fromFile(file);
  if (isObject(file.root)) return fromNested(file.root, file.selected_node_id, newId);
  if (isObject(file.nodes)) return fromParents(file.nodes, file.current, newId);
  return problem(
    "This is no loom's file that this page knows: its own, socketteer's loom and loomsidian.",
  );
}

/** socketteer's loom: a node has `text`, `children`, and often `id`, `tags` and `bookmark`. */
function fromNested(root: Json, selected: unknown, newId: () => NodeId): Read<NamedTree> {
  const nodes = new Map<NodeId, TreeNode>();
  const rootId = idOf(root, nodes, newId);
  const open: { json: Json; id: NodeId; parent: NodeId | null }[] = [
    { json: root, id: rootId, parent: null },
  ];
  nodes.set(rootId, newNode(rootId, null, []));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { json, id, parent } = next;
    const { text = "", children: list = [] } = json;
    if (typeof text !== "string") return problem("A node's `text` must be a string.");
    if (!Array.isArray(list) || !list.every(isObject)) {
      return problem("A node's `children` must be a list of nodes.");
    }
    if (nodes.size + list.length > NODES_MOST) return tooMany();
    const children: NodeId[] = [];
    for (const child of list) {
      const childId = idOf(child, nodes, newId);
      nodes.set(childId, newNode(childId, id, []));
      children.push(childId);
      open.push({ json: child, id: childId, parent: id });
    }
    nodes.set(id, {
      ...newNode(id, parent, written(text)),
      children,
      bookmarked: json.bookmark === true || hasTag(json, "bookmark"),
      hidden: parent !== null && hasTag(json, "archived"),
    });
  }
  return named(rootId, selected, nodes);
}

/** loomsidian: nodes by id, each with `text`, `parentId`, `collapsed` and `bookmarked`. */
function fromParents(list: Json, current: unknown, newId: () => NodeId): Read<NamedTree> {
  const entries = Object.entries(list);
  if (entries.length > NODES_MOST) return tooMany();
  if (!entries.every((entry): entry is [string, Json] => isObject(entry[1]))) {
    return problem("Each of `nodes` must be a node.");
  }
  const children = new Map<NodeId | null, NodeId[]>();
  for (const [id, { parentId = null, text }] of entries) {
    if (typeof text !== "string") return problem(`The node ${id} has no \`text\`.`);
    if (parentId !== null && (typeof parentId !== "string" || !Object.hasOwn(list, parentId))) {
      return problem(`The node ${id} has a \`parentId\` that is no node.`);
    }
    const siblings = children.get(parentId) ?? [];
    siblings.push(id);
    children.set(parentId, siblings);
  }
  const roots = children.get(null) ?? [];
  const [only] = roots;
  if (only === undefined) return problem("No node is the first: each has a `parentId`.");
  // Several beginnings are branches of an empty one.
  const root = roots.length === 1 ? only : newId();
  const nodes = new Map<NodeId, TreeNode>();
  if (root !== only) nodes.set(root, { ...newNode(root, null, []), children: roots });
  for (const [id, { parentId = null, text, collapsed, bookmarked }] of entries) {
    const parent = typeof parentId === "string" ? parentId : id === root ? null : root;
    nodes.set(id, {
      ...newNode(id, parent, written(String(text))),
      children: children.get(id) ?? [],
      folded: collapsed === true,
      bookmarked: bookmarked === true,
    });
  }
  return reached(root, nodes) === nodes.size
    ? named(root, current, nodes)
    : problem("Some nodes are each other's parents: the file holds no tree.");
}

function reached(root: NodeId, nodes: ReadonlyMap<NodeId, TreeNode>): number {
  let count = 0;
  const open = [root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    count += 1;
    for (const child of nodes.get(id)?.children ?? []) open.push(child);
  }
  return count;
}

function named(root: NodeId, selected: unknown, nodes: Tree["nodes"]): Read<NamedTree> {
  const isThere = typeof selected === "string" && nodes.has(selected);
  return {
    ok: true,
    value: { name: "", tree: { root, selected: isThere ? selected : root, nodes } },
  };
}

/** Its own id where that is one and nobody else's. */
function idOf({ id }: Json, taken: ReadonlyMap<NodeId, TreeNode>, newId: () => NodeId): NodeId {
  return typeof id === "string" && id !== "" && !taken.has(id) ? id : newId();
}

function hasTag({ tags }: Json, tag: string): boolean {
  return Array.isArray(tags) && tags.includes(tag);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tooMany(): Read<NamedTree> {
  return problem(`The file has more than ${NODES_MOST} nodes; it is not read.`);
}

function problem(what: string): Read<NamedTree> {
  return { ok: false, problem: what };
}

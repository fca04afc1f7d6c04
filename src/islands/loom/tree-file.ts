// The Loom's own file, `continuo-loom` version 1: JSON that holds all of a tree and nothing else. No
// I/O.
//
//   {"format": "continuo-loom", "version": 1, "name": "…", "selected": "<id>", "nodes": [
//     {"id": "…", "parent": null, "pieces": ["text that a person wrote"]},
//     {"id": "…", "parent": "<id>", "pieces": [
//       {"text": " a", "model": "local", "id": 257, "logprob": -2.1, "rank": 1,
//        "top": [{"id": 257, "logprob": -2.1}, …]}, …],
//      "origin": {"model": "local", "seed": 7, "temperature": 1,
//        "asked": {"n": 4, "index": 0, "max_tokens": 24}},
//      "finish": "length"}, …]}
//
// Nodes stand parents first and siblings in their order, so that a reader needs one pass and a file
// cannot say of a tree that it is none. A node's text is its pieces' texts, one after the other; `from`
// is there where a split has cut a token. `bookmarked`, `hidden` and `folded` are there where true.
import type { Piece, Pieces, Score } from "./pieces.ts";
import { type NodeId, newNode, type Origin, subtree, type Tree, type TreeNode } from "./tree.ts";

export const FILE_FORMAT = "continuo-loom";
const FILE_VERSION = 1;

/** Of any loom's file. A browser holds as many with ease; beyond it something else than a tree was chosen. */
export const NODES_MOST = 100_000;

/** A tree with its name, as a file has it. */
export interface NamedTree {
  readonly name: string;
  readonly tree: Tree;
}

/** `problem` is a sentence that says what is wrong where. */
export type Read<T> = { ok: true; value: T } | { ok: false; problem: string };

type Json = Readonly<Record<string, unknown>>;

export function toFile({ name, tree }: NamedTree): Json {
  return {
    format: FILE_FORMAT,
    version: FILE_VERSION,
    name,
    selected: tree.selected,
    nodes: subtree(tree, tree.root).map(nodeToFile),
  };
}

function nodeToFile(node: TreeNode): Json {
  const { id, parent, pieces, origin, finish, bookmarked, hidden, folded } = node;
  return {
    id,
    parent,
    pieces: pieces.map(({ text, score, from }) =>
      score === null ? text : { text, ...(from > 0 && { from }), ...score },
    ),
    ...(origin !== null && { origin }),
    ...(finish !== null && { finish }),
    ...(bookmarked && { bookmarked }),
    ...(hidden && { hidden }),
    ...(folded && { folded }),
  };
}

/** What is no tree is refused with the place of the first problem. */
export function fromFile(file: Json): Read<NamedTree> {
  try {
    return { ok: true, value: readTree(file) };
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, problem: error.message };
    throw error;
  }
}

class Malformed extends Error {}

function readTree(file: Json): NamedTree {
  const { version, nodes: list } = file;
  if (version !== FILE_VERSION) {
    throw new Malformed(`The file is of version ${version}; this page reads ${FILE_VERSION}.`);
  }
  if (!Array.isArray(list) || list.length === 0) throw new Malformed("`nodes` must be a list.");
  if (list.length > NODES_MOST) {
    throw new Malformed(`The file has ${list.length} nodes; at most ${NODES_MOST} are read.`);
  }
  const nodes = new Map<NodeId, TreeNode>();
  const children = new Map<NodeId, NodeId[]>();
  for (const [index, value] of list.entries()) {
    const node = readNode(value, `nodes[${index}]`);
    const isFirst = index === 0;
    if (nodes.has(node.id)) throw new Malformed(`nodes[${index}].id stands there twice.`);
    if (isFirst !== (node.parent === null)) {
      throw new Malformed(`nodes[${index}].parent: the first node has none, all others have one.`);
    }
    const siblings = node.parent === null ? [] : children.get(node.parent);
    if (siblings === undefined) {
      throw new Malformed(`nodes[${index}].parent must be a node that stands before it.`);
    }
    siblings.push(node.id);
    const below: NodeId[] = [];
    children.set(node.id, below);
    nodes.set(node.id, { ...node, children: below });
  }
  const [root] = nodes.keys();
  if (root === undefined) throw new Malformed("`nodes` must be a list.");
  const { selected, name } = file;
  const isThere = typeof selected === "string" && nodes.has(selected);
  return {
    name: typeof name === "string" ? name : "",
    tree: { root, selected: isThere ? selected : root, nodes },
  };
}

function readNode(value: unknown, at: string): TreeNode {
  const json = object(value, at);
  const { id, parent, pieces, origin, finish, bookmarked, hidden, folded } = json;
  if (!Array.isArray(pieces)) throw new Malformed(`${at}.pieces must be a list.`);
  return {
    ...newNode(
      string(id, `${at}.id`),
      parent === null ? null : string(parent, `${at}.parent`),
      pieces.map((piece, index) => readPiece(piece, `${at}.pieces[${index}]`)) satisfies Pieces,
    ),
    origin: origin === undefined ? null : readOrigin(origin, `${at}.origin`),
    finish: finish === undefined ? null : string(finish, `${at}.finish`),
    bookmarked: bookmarked === true,
    hidden: hidden === true && parent !== null,
    folded: folded === true,
  };
}

function readPiece(value: unknown, at: string): Piece {
  if (typeof value === "string") return { text: value, score: null, from: 0 };
  const json = object(value, at);
  return {
    text: string(json.text, `${at}.text`),
    from: json.from === undefined ? 0 : number(json.from, `${at}.from`),
    score: readScore(json, at),
  };
}

function readScore({ model, id, logprob, rank, top }: Json, at: string): Score {
  if (!Array.isArray(top)) throw new Malformed(`${at}.top must be a list.`);
  return {
    model: string(model, `${at}.model`),
    id: number(id, `${at}.id`),
    logprob: number(logprob, `${at}.logprob`),
    rank: rank === null ? null : number(rank, `${at}.rank`),
    top: top.map((one, index) => {
      const json = object(one, `${at}.top[${index}]`);
      return {
        id: number(json.id, `${at}.top[${index}].id`),
        logprob: number(json.logprob, `${at}.top[${index}].logprob`),
      };
    }),
  };
}

function readOrigin(value: unknown, at: string): Origin {
  const { model, seed, temperature, asked, chosen } = object(value, at);
  return {
    model: string(model, `${at}.model`),
    seed: seed === null ? null : number(seed, `${at}.seed`),
    temperature: number(temperature, `${at}.temperature`),
    ...(asked !== undefined && { asked: object(asked, `${at}.asked`) }),
    ...(chosen !== undefined && { chosen: number(chosen, `${at}.chosen`) }),
  };
}

function object(value: unknown, at: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Malformed(`${at} must be an object.`);
  }
  return value as Json;
}

function string(value: unknown, at: string): string {
  if (typeof value !== "string") throw new Malformed(`${at} must be a string.`);
  return value;
}

function number(value: unknown, at: string): number {
  if (typeof value !== "number") throw new Malformed(`${at} must be a number.`);
  return value;
}

// Places in the text of a path: where a cursor stops, and what stands there. No I/O, no elements.
import { type Piece, partsCharacter, textOf } from "./pieces.ts";
import { type NodeId, pathTo, type Tree, type TreeNode } from "./tree.ts";

/** A place in a branch's text, in UTF-16 units from its beginning. */
export interface Cursor {
  readonly id: NodeId;
  readonly at: number;
}

/** A token, or a word that a person wrote with the spaces before it. */
export interface Unit {
  readonly at: number;
  readonly text: string;
  readonly piece: Piece;
}

export function unitsOf(node: TreeNode): readonly Unit[] {
  const units: Unit[] = [];
  let at = 0;
  for (const piece of node.pieces) {
    const words = piece.score === null ? (piece.text.match(/\s*\S+|\s+/g) ?? []) : [piece.text];
    for (const text of words) {
      if (text !== "") units.push({ at, text, piece });
      at += text.length;
    }
  }
  return units;
}

/** The piece that a place is in, and where it begins; null at the end. */
export function pieceAt(node: TreeNode, at: number): { piece: Piece; start: number } | null {
  let start = 0;
  for (const piece of node.pieces) {
    if (at < start + piece.text.length) return { piece, start };
    start += piece.text.length;
  }
  return null;
}

/** The next place or the one before, also of the branch beside; the same where the path ends. */
export function stepFrom(
  tree: Tree,
  cursor: Cursor,
  { step, byCharacter }: { step: 1 | -1; byCharacter: boolean },
): Cursor {
  const path = pathTo(tree, tree.selected);
  const index = path.findIndex(({ id }) => id === cursor.id);
  const node = path[index];
  if (node === undefined) return { id: tree.selected, at: 0 };
  const stops = byCharacter ? charactersOf(node) : unitsOf(node).map(({ at }) => at);
  const to =
    step === 1 ? stops.find((at) => at > cursor.at) : stops.findLast((at) => at < cursor.at);
  if (to !== undefined) return { id: node.id, at: to };
  for (let next = path[index + step], skipped = 1; next !== undefined; skipped += 1) {
    const places = byCharacter ? charactersOf(next) : unitsOf(next).map(({ at }) => at);
    const at = step === 1 ? places[0] : places.at(-1);
    if (at !== undefined) return { id: next.id, at };
    next = path[index + step * (skipped + 1)];
  }
  return cursor;
}

/** What stands around a place, for whoever does not see the mark. */
export function placeInWords(node: TreeNode, at: number): string {
  const text = textOf(node.pieces);
  const before = text.slice(0, at).split(/\s+/).at(-1) ?? "";
  const after = text.slice(at, at + 24).replaceAll("\n", "⏎");
  if (text === "") return "The branch is empty.";
  return at === 0 ? `At the beginning: “${after}”` : `Between “${before}” and “${after}”`;
}

function charactersOf(node: TreeNode): readonly number[] {
  const text = textOf(node.pieces);
  const places = Array.from({ length: text.length }, (_, at) => at);
  return places.filter((at) => !partsCharacter(text, at));
}

// Texts that a person chooses: a branch of their own, another text for one that is there, or a token
// that the Model might have given.
import { askText } from "./dialogs.ts";
import { textOf } from "./pieces.ts";
import { alternativeAt } from "./scored-pieces.ts";
import { type Cursor, pieceAt } from "./text-places.ts";
import type { AlternativeChoice } from "./token-panel.ts";
import { type NodeId, nodeOf, type Tree } from "./tree.ts";
import * as changes from "./tree-changes.ts";
import type { Workspace } from "./workspace.ts";

export async function writeBelow(workspace: Workspace, parent: NodeId): Promise<void> {
  const asking = { title: "Write a branch", verb: "Write", text: "", rows: 8 };
  const text = await askText(asking);
  // It may be gone meanwhile: what grows can end empty.
  if (text === null || text === "" || !workspace.has(parent)) return;
  workspace.step(changes.writeBelow(workspace.tree, parent, crypto.randomUUID(), text));
}

export async function editText(workspace: Workspace, id: NodeId): Promise<void> {
  const node = nodeOf(workspace.tree, id);
  const before = textOf(node.pieces);
  const hasNumbers = node.children.length > 0 || node.pieces.some(({ score }) => score !== null);
  const hint = hasNumbers
    ? "Numbers of tokens after a change are taken away: they were true of another text."
    : "Ctrl and Enter saves.";
  const title = id === workspace.tree.root ? "How the text begins" : "Edit the branch";
  const text = await askText({ title, verb: "Save", text: before, rows: 12, hint });
  if (text === null || !workspace.has(id)) return;
  workspace.step(changes.edit(workspace.tree, id, text));
}

/** Where the mark is. */
export function splitAt(tree: Tree, cursor: Cursor | null, newId: NodeId): changes.Change {
  if (cursor !== null) return changes.split(tree, cursor.id, cursor.at, newId);
  const why = "Mark a place in the text first: click a token, or press t and the arrow keys.";
  return { ok: false, why };
}

/** The branch that begins with it, beside what was given; else a sentence that says why there is none. */
export function branchAside(
  workspace: Workspace,
  { id, start, tokenId }: AlternativeChoice,
  textIn: (model: string) => string | undefined,
): { id: NodeId; model: string } | string {
  const node = nodeOf(workspace.tree, id);
  const asker = pieceAt(node, start)?.piece.score?.model;
  if (asker !== undefined && textIn(asker) === undefined) {
    return `The token's text is not known yet. Where ${asker} is running it comes in a moment; where it is not, let it grow something, then choose again.`;
  }
  const pieces = alternativeAt(node, { start, tokenId, textOf: textIn });
  const model = pieces?.[0]?.score?.model;
  if (pieces === null || model === undefined) {
    return "That token is only a piece of a character; nothing can begin with it.";
  }
  // The Model that goes on from it says how.
  const branch = { id: crypto.randomUUID(), pieces, origin: null };
  const place = { id, at: start, rest: crypto.randomUUID() };
  const change = changes.branchAt(workspace.tree, place, branch);
  if (!change.ok) return change.why;
  workspace.step(change);
  return { id: branch.id, model };
}

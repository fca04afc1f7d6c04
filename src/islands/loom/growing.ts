// What has to wait until a Model has written: its text comes in by the branch's id, and is what goes on
// from the text before it. No I/O.
import type { CommandName } from "./commands.ts";
import { type NodeId, pathTo, subtree, type Tree } from "./tree.ts";

/** "branch" begins another one at a token. */
type Act = CommandName | "branch";

/** What changes a branch's text, or goes on from it. */
const acts: readonly Act[] = ["grow", "write", "edit", "split", "merge", "merge-path", "branch"];

/** A sentence where it cannot be done at this branch yet, else null. */
export function whyNotYet(
  name: Act,
  { tree, id, growing }: { tree: Tree; id: NodeId; growing: ReadonlySet<NodeId> },
): string | null {
  if (growing.size === 0 || !acts.includes(name)) return null;
  const grows = (node: { id: NodeId }) => growing.has(node.id);
  if (pathTo(tree, id).some(grows)) {
    return "A Model is still writing here. Stop it first (Escape), or wait until it has ended.";
  }
  // What is written below goes on from the text as it was.
  if (name === "edit" && subtree(tree, id).some(grows)) {
    return "A Model is still writing below. Stop it first (Escape), or wait until it has ended.";
  }
  return null;
}

// Everything that can be done in the Loom, with its keys: the buttons, the help sheet and the keyboard
// all come from this table.

export type CommandName =
  | "grow"
  | "stop"
  | "write"
  | "edit"
  | "split"
  | "merge"
  | "merge-path"
  | "keep"
  | "cut"
  | "bookmark"
  | "hide"
  | "show-hidden"
  | "next-bookmark"
  | "previous-bookmark"
  | "undo"
  | "redo"
  | "switch-view"
  | "zoom-in"
  | "zoom-out"
  | "fit"
  | "read"
  | "help";

export interface Command {
  readonly name: CommandName;
  /** As `KeyboardEvent.key` says them. */
  readonly keys: readonly string[];
  readonly title: string;
  readonly says: string;
  /** Whether it has a button in the bar. */
  readonly hasButton?: boolean;
}

export const commands: readonly Command[] = [
  {
    name: "grow",
    keys: ["g", "Enter"],
    title: "Grow",
    says: "Let the Model go on from the selected branch, as many times as Branches says",
    hasButton: true,
  },
  { name: "stop", keys: ["Escape"], title: "Stop", says: "Stop what grows", hasButton: true },
  { name: "write", keys: ["w"], title: "Write", says: "Write a branch yourself", hasButton: true },
  { name: "edit", keys: ["e"], title: "Edit", says: "Change the branch's text", hasButton: true },
  {
    name: "split",
    keys: ["s"],
    title: "Split",
    says: "Split the branch at the place that is marked in the text",
    hasButton: true,
  },
  {
    name: "merge",
    keys: ["m"],
    title: "Merge",
    says: "Merge the branch with the one before it",
    hasButton: true,
  },
  {
    name: "merge-path",
    keys: ["M"],
    title: "Merge path",
    says: "Merge the whole path where no other branches begin",
  },
  {
    name: "keep",
    keys: ["k"],
    title: "Keep",
    says: "Keep this branch only: cut the others beside it",
    hasButton: true,
  },
  {
    name: "cut",
    keys: ["x", "Delete"],
    title: "Cut",
    says: "Cut the branch and all below it",
    hasButton: true,
  },
  {
    name: "bookmark",
    keys: ["b"],
    title: "Bookmark",
    says: "Set or take away a bookmark",
    hasButton: true,
  },
  { name: "next-bookmark", keys: ["]"], title: "Next bookmark", says: "Go to the next bookmark" },
  {
    name: "previous-bookmark",
    keys: ["["],
    title: "Previous bookmark",
    says: "Go to the bookmark before",
  },
  {
    name: "hide",
    keys: ["h"],
    title: "Hide",
    says: "Put the branch out of sight, or back",
    hasButton: true,
  },
  {
    name: "show-hidden",
    keys: ["H"],
    title: "Show hidden",
    says: "Show what is hidden, or stop showing it",
    hasButton: true,
  },
  { name: "undo", keys: ["u"], title: "Undo", says: "Undo the last change", hasButton: true },
  { name: "redo", keys: ["r"], title: "Redo", says: "Do it again", hasButton: true },
  {
    name: "switch-view",
    keys: ["v"],
    title: "List or graph",
    says: "Show the tree as a list or as a graph",
    hasButton: true,
  },
  { name: "zoom-in", keys: ["+", "="], title: "Zoom in", says: "Zoom into the graph" },
  { name: "zoom-out", keys: ["-"], title: "Zoom out", says: "Zoom out of the graph" },
  { name: "fit", keys: ["0"], title: "Fit", says: "Bring all of the graph into sight" },
  { name: "read", keys: ["t"], title: "Text", says: "Go into the text, token by token" },
  { name: "help", keys: ["?"], title: "Keys", says: "Show this sheet", hasButton: true },
];

/** Keys that are no command by themselves. */
const moves: readonly { keys: string; says: string }[] = [
  { keys: "↑ ↓", says: "In the list: the branch above or below. In the graph: beside" },
  { keys: "→ ←", says: "Unfold or go in; fold or go back" },
  { keys: "Home End", says: "The first branch, the last one" },
  { keys: "→ ← in the text", says: "The next token, the one before; with Shift by one character" },
  { keys: "Enter in the text", says: "To the alternatives of the marked token" },
  { keys: "Escape in the text", says: "Back to the tree" },
  { keys: "Ctrl Z, Ctrl Shift Z", says: "Undo, redo" },
];

export function commandOf(key: string): CommandName | null {
  return commands.find(({ keys }) => keys.includes(key))?.name ?? null;
}

/** The help sheet's lines. */
export const sheet: readonly { keys: string; says: string }[] = [
  ...commands.map(({ keys, says }) => ({ keys: keys.join(" or "), says })),
  ...moves,
];

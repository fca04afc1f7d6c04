// The tree as an indented list: one line a branch, and only the lines in sight are elements, so that
// thousands cost what a screenful does.
import { arrange, inOneLine, make, oncePerFrame, setAttributes, setText } from "../dom/make.ts";
import { textOf } from "./pieces.ts";
import { type NodeId, nodeOf, type Row, rowsOf, type Tree, type TreeNode } from "./tree.ts";

/** As in loom.css. */
const ROW_PX = 28;
const INDENT_PX = 16;
/** Deeper lines stand no further in, or nothing of their text would be in sight; a number says it. */
const INDENTS_MOST = 12;
/** Drawn above and below what is in sight, so that a quick scroll finds lines. */
const ROWS_AROUND = 8;
const SNIPPET_CHARACTERS = 120;

interface ListShown {
  readonly tree: Tree;
  readonly showsHidden: boolean;
  /** Those that a Model is writing. */
  readonly growing: ReadonlySet<NodeId>;
}

export interface ListView {
  readonly element: HTMLElement;
  show(shown: ListShown): void;
  /** The lines as they stand, from above. */
  rows(): readonly Row[];
}

export interface ListEvents {
  select(id: NodeId): void;
  fold(id: NodeId, folded: boolean): void;
}

export function makeListView(events: ListEvents): ListView {
  const lines = make("div", { class: "loom-lines" });
  const element = make(
    "div",
    { class: "loom-list", role: "tree", tabindex: 0, "aria-label": "Branches" },
    lines,
  );
  let shown: ListShown | null = null;
  let rows: readonly Row[] = [];
  /** Of the lines that are elements, by their branches. */
  let drawn = new Map<NodeId, Line>();

  function draw(): void {
    if (shown === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_PX) - ROWS_AROUND);
    const count = Math.ceil(element.clientHeight / ROW_PX) + 2 * ROWS_AROUND;
    const inSight = rows.slice(first, first + count);
    lines.style.height = `${rows.length * ROW_PX}px`;
    const before = drawn;
    drawn = new Map();
    for (const [index, row] of inSight.entries()) {
      const line = before.get(row.id) ?? newLine(row.id);
      drawLine(line, row, first + index, shown);
      drawn.set(row.id, line);
    }
    arrange(
      lines,
      [...drawn.values()].map((line) => line.element),
    );
    const active = inSight.some(({ id }) => id === shown?.tree.selected) ? SELECTED_ID : null;
    if (active === null) element.removeAttribute("aria-activedescendant");
    else element.setAttribute("aria-activedescendant", active);
  }
  const redraw = oncePerFrame(draw);

  element.addEventListener("scroll", redraw);
  new ResizeObserver(redraw).observe(element);
  element.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const id = target.closest<HTMLElement>("[data-id]")?.dataset.id;
    if (id === undefined || shown === null) return;
    if (target.closest(".loom-twisty") === null) events.select(id);
    else events.fold(id, !nodeOf(shown.tree, id).folded);
  });

  return {
    element,
    rows: () => rows,
    show(next) {
      const isMoved = shown?.tree.selected !== next.tree.selected;
      if (shown?.tree.nodes !== next.tree.nodes || shown.showsHidden !== next.showsHidden) {
        rows = rowsOf(next.tree, next.showsHidden);
      }
      shown = next;
      lines.style.height = `${rows.length * ROW_PX}px`;
      if (isMoved)
        scrollTo(
          element,
          rows.findIndex(({ id }) => id === next.tree.selected),
        );
      draw();
    },
  };
}

const SELECTED_ID = "loom-selected-line";

function scrollTo(element: HTMLElement, index: number): void {
  if (index < 0) return;
  const top = index * ROW_PX;
  const bottom = top + ROW_PX - element.clientHeight;
  if (element.scrollTop > top) element.scrollTop = top;
  else if (element.scrollTop < bottom) element.scrollTop = bottom;
}

interface Line {
  readonly element: HTMLElement;
  readonly twisty: HTMLElement;
  readonly text: HTMLElement;
}

function newLine(id: NodeId): Line {
  const twisty = make("span", { class: "loom-twisty", "aria-hidden": "true" });
  const text = make("span", { class: "loom-snippet", dir: "auto" });
  const element = make("div", { class: "loom-line", role: "treeitem", "data-id": id });
  return { element, twisty, text };
}

/** In its elements as long as the branch is in sight: a press on them counts while its text comes in. */
function drawLine(line: Line, row: Row, index: number, { tree, growing }: ListShown): void {
  const { element, twisty, text } = line;
  const node = nodeOf(tree, row.id);
  const isSelected = row.id === tree.selected;
  setAttributes(element, {
    id: isSelected && SELECTED_ID,
    "aria-level": row.depth + 1,
    "aria-posinset": row.position,
    "aria-setsize": row.siblings,
    "aria-expanded": row.below === 0 ? undefined : String(!node.folded),
    "aria-selected": String(isSelected),
  });
  setText(twisty, row.below === 0 ? "" : node.folded ? "▸" : "▾");
  setText(text, snippet(textOf(node.pieces)));
  const before = [...element.querySelectorAll(".loom-mark")];
  const marks = marksOf(row, node, growing).map((words, at) => {
    const mark = before[at] ?? make("span", { class: "loom-mark" });
    setText(mark, words);
    return mark;
  });
  arrange(element, [twisty, text, ...marks]);
  element.style.top = `${index * ROW_PX}px`;
  element.style.paddingInlineStart = `${8 + Math.min(row.depth, INDENTS_MOST) * INDENT_PX}px`;
}

function marksOf(row: Row, node: TreeNode, growing: ReadonlySet<NodeId>): string[] {
  return [
    node.bookmarked && "★ bookmark",
    node.hidden && "hidden",
    growing.has(row.id) && "growing",
    node.folded && row.below > 0 && `${row.below} folded`,
    row.depth > INDENTS_MOST && `level ${row.depth + 1}`,
  ].filter((mark) => mark !== false);
}

function snippet(text: string): string {
  return text === "" ? "(empty)" : inOneLine(text, SNIPPET_CHARACTERS).trimStart();
}

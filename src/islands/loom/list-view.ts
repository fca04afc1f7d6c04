// The tree as an indented list: one line a branch, and only the lines in sight are elements, so that
// thousands cost what a screenful does.
import { inOneLine, make, oncePerFrame } from "../dom/make.ts";
import { textOf } from "./pieces.ts";
import { type NodeId, nodeOf, type Row, rowsOf, type Tree } from "./tree.ts";

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

  function draw(): void {
    if (shown === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_PX) - ROWS_AROUND);
    const count = Math.ceil(element.clientHeight / ROW_PX) + 2 * ROWS_AROUND;
    const inSight = rows.slice(first, first + count);
    lines.style.height = `${rows.length * ROW_PX}px`;
    const drawn = inSight.map((row, index) => line(row, first + index, shown as ListShown));
    lines.replaceChildren(...drawn);
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

function line(row: Row, index: number, { tree, growing }: ListShown): HTMLElement {
  const node = nodeOf(tree, row.id);
  const isSelected = row.id === tree.selected;
  const twisty = row.below === 0 ? "" : node.folded ? "▸" : "▾";
  const element = make(
    "div",
    {
      class: "loom-line",
      role: "treeitem",
      "data-id": row.id,
      id: isSelected ? SELECTED_ID : undefined,
      "aria-level": row.depth + 1,
      "aria-posinset": row.position,
      "aria-setsize": row.siblings,
      "aria-expanded": row.below === 0 ? undefined : String(!node.folded),
      "aria-selected": String(isSelected),
    },
    make("span", { class: "loom-twisty", "aria-hidden": "true" }, twisty),
    make("span", { class: "loom-snippet", dir: "auto" }, snippet(textOf(node.pieces))),
  );
  const marks = [
    node.bookmarked && "★ bookmark",
    node.hidden && "hidden",
    growing.has(row.id) && "growing",
    node.folded && row.below > 0 && `${row.below} folded`,
    row.depth > INDENTS_MOST && `level ${row.depth + 1}`,
  ].filter((mark) => mark !== false);
  for (const mark of marks) element.append(make("span", { class: "loom-mark" }, mark));
  element.style.top = `${index * ROW_PX}px`;
  element.style.paddingInlineStart = `${8 + Math.min(row.depth, INDENTS_MOST) * INDENT_PX}px`;
  return element;
}

function snippet(text: string): string {
  return text === "" ? "(empty)" : inOneLine(text, SNIPPET_CHARACTERS).trimStart();
}

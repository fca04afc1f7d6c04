// The text of the path to the selected branch, token by token, and where it goes on from there. A place
// in it can be chosen, by pointer or arrow keys, to look at the token there or to split.

import { inOneLine, make } from "../dom/make.ts";
import { described } from "../model-text/numbers.ts";
import { levelOf, type Measure } from "../model-text/scale.ts";
import { textOf } from "./pieces.ts";
import { tokenOf } from "./scored-pieces.ts";
import { type Cursor, unitsOf } from "./text-places.ts";
import { type NodeId, nodeOf, pathTo, shownChildren, type Tree, type TreeNode } from "./tree.ts";

export interface ReadingEvents {
  select(id: NodeId): void;
  place(cursor: Cursor): void;
}

export interface ReadingPane {
  readonly element: HTMLElement;
  /** What takes the arrow keys. */
  readonly text: HTMLElement;
  show(tree: Tree, showsHidden: boolean, cursor: Cursor | null): void;
  colourBy(measure: Measure): void;
}

/** Branches to go on to that are shown with their text; the list has all. */
const NEXT_MOST = 24;
const NEXT_CHARACTERS = 240;

export function makeReadingPane(events: ReadingEvents): ReadingPane {
  const text = make("div", {
    class: "loom-text model-text",
    tabindex: 0,
    role: "group",
    "aria-label": "Text of the path to the selected branch",
  });
  const next = make("div", { class: "loom-next" });
  const element = make("div", { class: "loom-reading" }, text, next);
  let measure: Measure = "bits";
  // A branch that did not change is not drawn again.
  let drawn = new WeakMap<TreeNode, HTMLElement>();
  let selected: NodeId | null = null;
  let last: Parameters<ReadingPane["show"]> | null = null;

  function show(...shown: Parameters<ReadingPane["show"]>): void {
    const [tree, showsHidden, cursor] = shown;
    last = shown;
    const parts = pathTo(tree, tree.selected).map((node) => {
      const part = drawn.get(node) ?? drawPart(node, measure);
      drawn.set(node, part);
      part.classList.toggle("selected", node.id === tree.selected);
      return part;
    });
    const isSame = parts.length === text.children.length;
    if (!isSame || parts.some((part, index) => text.children[index] !== part)) {
      text.replaceChildren(...parts);
    }
    markCursor(text, cursor);
    next.replaceChildren(...drawNext(tree, showsHidden, events));
    if (selected !== tree.selected) {
      selected = tree.selected;
      if (cursor === null) parts.at(-1)?.scrollIntoView({ block: "nearest" });
    }
  }

  text.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const id = target.closest<HTMLElement>("[data-id]")?.dataset.id;
    const at = target.closest<HTMLElement>("[data-at]")?.dataset.at;
    if (id !== undefined && at !== undefined) events.place({ id, at: Number(at) });
  });

  return {
    element,
    text,
    show,
    colourBy(chosen) {
      measure = chosen;
      drawn = new WeakMap();
      if (last !== null) show(...last);
    },
  };
}

function drawPart(node: TreeNode, measure: Measure): HTMLElement {
  const part = make("span", { class: "loom-part", "data-id": node.id });
  for (const { at, text, piece } of unitsOf(node)) {
    const token = tokenOf(piece);
    const level = token === null ? null : levelOf(measure, token);
    const kind = token === null ? "written" : `token${level === null ? "" : ` level-${level}`}`;
    const title = token === null ? undefined : described(text, token);
    part.append(make("span", { class: kind, "data-at": at, title }, text));
  }
  return part;
}

function markCursor(text: HTMLElement, cursor: Cursor | null): void {
  for (const old of text.querySelectorAll(".cursor")) old.classList.remove("cursor");
  if (cursor === null) return;
  const part = text.querySelector(`[data-id="${CSS.escape(cursor.id)}"]`);
  const units = [...(part?.querySelectorAll<HTMLElement>("[data-at]") ?? [])];
  const unit = units.findLast(({ dataset }) => Number(dataset.at) <= cursor.at);
  unit?.classList.add("cursor");
  unit?.scrollIntoView({ block: "nearest" });
}

function drawNext(tree: Tree, showsHidden: boolean, events: ReadingEvents): HTMLElement[] {
  const children = shownChildren(tree, tree.selected, showsHidden);
  if (children.length === 0) return isBlank(tree) ? [firstSteps()] : [];
  const cards = children.slice(0, NEXT_MOST).map((id) => {
    const node = nodeOf(tree, id);
    const words = textOf(node.pieces);
    const card = make(
      "button",
      { type: "button", class: "loom-card", "data-next": id },
      words === "" ? "…" : inOneLine(words, NEXT_CHARACTERS),
    );
    card.addEventListener("click", () => events.select(id));
    return make("li", {}, card);
  });
  const more = children.length - cards.length;
  return [
    make(
      "h3",
      {},
      children.length === 1 ? "1 branch goes on" : `${children.length} branches go on`,
    ),
    make("ol", {}, ...cards),
    ...(more > 0 ? [make("p", { class: "hint" }, `${more} more stand in the list.`)] : []),
  ];
}

function isBlank(tree: Tree): boolean {
  return tree.nodes.size === 1 && nodeOf(tree, tree.root).pieces.length === 0;
}

function firstSteps(): HTMLElement {
  return make(
    "p",
    { class: "loom-first" },
    "Press Edit and write how the text begins. Then press Grow: the Model goes on from there, in as many branches as you ask for. Choose one, and grow again.",
  );
}

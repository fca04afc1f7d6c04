// The text of the path to the selected branch, token by token, and where it goes on from there. A place
// in it can be chosen, by pointer or arrow keys, to look at the token there or to split.

import { arrange, inOneLine, make, setAttributes, setText } from "../dom/make.ts";
import { described } from "../model-text/numbers.ts";
import { levelOf, type Measure } from "../model-text/scale.ts";
import { textOf } from "./pieces.ts";
import { tokenOf } from "./scored-pieces.ts";
import { type Cursor, type Unit, unitsOf } from "./text-places.ts";
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
  const next = makeNext(events.select);
  const element = make("div", { class: "loom-reading" }, text, next.element);
  let measure: Measure = "bits";
  // A branch that did not change is not drawn again; one that did, in its own element.
  const drawn = new WeakMap<TreeNode, Part>();
  let path = new Map<NodeId, Part>();
  let selected: NodeId | null = null;
  let last: Parameters<ReadingPane["show"]> | null = null;

  function show(...shown: Parameters<ReadingPane["show"]>): void {
    const [tree, showsHidden, cursor] = shown;
    last = shown;
    const before = path;
    path = new Map();
    for (const node of pathTo(tree, tree.selected)) {
      const part = drawn.get(node) ?? before.get(node.id) ?? newPart(node.id);
      drawPart(part, node, measure);
      part.element.classList.toggle("selected", node.id === tree.selected);
      drawn.set(node, part);
      path.set(node.id, part);
    }
    const parts = [...path.values()].map((part) => part.element);
    arrange(text, parts);
    markCursor(text, cursor);
    next.show(tree, showsHidden);
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
      if (last !== null) show(...last);
    },
  };
}

/** A branch's element, and what it shows. */
interface Part {
  readonly element: HTMLElement;
  node: TreeNode | null;
  measure: Measure | null;
  units: readonly Unit[];
}

function newPart(id: NodeId): Part {
  const element = make("span", { class: "loom-part", "data-id": id });
  return { element, node: null, measure: null, units: [] };
}

function drawPart(part: Part, node: TreeNode, measure: Measure): void {
  if (part.node === node && part.measure === measure) return;
  const units = unitsOf(node);
  const { children } = part.element;
  const drawn = units.map((unit, index) => {
    const element = children[index] ?? make("span");
    const before = part.measure === measure ? part.units[index] : undefined;
    const isSame = before?.piece === unit.piece && before.at === unit.at;
    if (!isSame || before.text !== unit.text) drawUnit(element, unit, measure);
    return element;
  });
  arrange(part.element, drawn);
  Object.assign(part, { node, measure, units });
}

function drawUnit(element: Element, { at, text, piece }: Unit, measure: Measure): void {
  const token = tokenOf(piece);
  const level = token === null ? null : levelOf(measure, token);
  const kind = token === null ? "written" : `token${level === null ? "" : ` level-${level}`}`;
  const title = token === null ? undefined : described(text, token);
  setAttributes(element, { class: kind, "data-at": at, title });
  setText(element, text);
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

/** Where the text goes on: a card a branch, which stays its own while the text of the branch comes in. */
function makeNext(select: (id: NodeId) => void) {
  const heading = make("h3");
  const list = make("ol");
  const more = make("p", { class: "hint" });
  const first = firstSteps();
  const element = make("div", { class: "loom-next" });
  let drawn = new Map<NodeId, HTMLElement>();

  function newItem(id: NodeId): HTMLElement {
    const card = make("button", { type: "button", class: "loom-card", "data-next": id });
    card.addEventListener("click", () => select(id));
    return make("li", {}, card);
  }

  function show(tree: Tree, showsHidden: boolean): void {
    const children = shownChildren(tree, tree.selected, showsHidden);
    const before = drawn;
    drawn = new Map();
    for (const id of children.slice(0, NEXT_MOST)) {
      const item = before.get(id) ?? newItem(id);
      const words = textOf(nodeOf(tree, id).pieces);
      for (const card of item.children) {
        setText(card, words === "" ? "…" : inOneLine(words, NEXT_CHARACTERS));
      }
      drawn.set(id, item);
    }
    arrange(list, [...drawn.values()]);
    setText(
      heading,
      children.length === 1 ? "1 branch goes on" : `${children.length} branches go on`,
    );
    const hidden = children.length - drawn.size;
    setText(more, `${hidden} more stand in the list.`);
    if (children.length === 0) arrange(element, isBlank(tree) ? [first] : []);
    else arrange(element, hidden > 0 ? [heading, list, more] : [heading, list]);
  }

  return { element, show };
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

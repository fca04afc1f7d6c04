// The token at the chosen place: its numbers, the Model's alternatives, and what can be done there.
import { make } from "../dom/make.ts";
import { drawAlternatives } from "../model-text/alternatives.ts";
import { described } from "../model-text/numbers.ts";
import { ranked } from "../model-text/scored-token.ts";
import { tokenOf } from "./scored-pieces.ts";
import { type Cursor, pieceAt } from "./text-places.ts";
import type { TextsWhenWarm } from "./texts-when-warm.ts";
import { type NodeId, nodeOf, type Tree, type TreeNode } from "./tree.ts";

/** Another token in place of the one that begins there. */
export interface AlternativeChoice {
  readonly id: NodeId;
  readonly start: number;
  readonly tokenId: number;
}

export interface TokenPanelEvents {
  split(): void;
  branch(choice: AlternativeChoice): void;
}

export interface TokenPanel {
  readonly element: HTMLElement;
  show(tree: Tree, cursor: Cursor | null): void;
  /** Goes to the first alternative, if there is one. */
  focus(): void;
}

export function makeTokenPanel(texts: TextsWhenWarm, events: TokenPanelEvents): TokenPanel {
  const words = make("p", { class: "loom-token-says" });
  const split = make("button", { type: "button", class: "button second" }, "Split here");
  const hint = make("p", { class: "hint", hidden: true });
  const list = make("ol", { class: "alternatives", "aria-label": "Alternatives" });
  const element = make(
    "section",
    { class: "loom-token", "aria-label": "The marked token", hidden: true },
    words,
    split,
    hint,
    list,
  );
  split.addEventListener("click", events.split);
  let shown: { node: TreeNode; at: number } | null = null;

  function draw(node: TreeNode, cursor: Cursor): void {
    hint.hidden = true;
    const found = pieceAt(node, cursor.at);
    const token = found === null ? null : tokenOf(found.piece);
    const score = found?.piece.score ?? null;
    if (found === null || token === null || score === null) {
      words.textContent =
        found === null
          ? "The end of the branch."
          : "Written by hand: no Model gave numbers for it.";
      list.replaceChildren();
      return;
    }
    words.textContent = described(found.piece.text, token);
    const whole = found.piece.from === 0;
    const own = found.piece.text;
    drawAlternatives(list, {
      rows: whole ? ranked(token) : [],
      chosen: score.id,
      textOf: (id) => texts.known(score.model, id) ?? (id === score.id ? own : undefined),
      onChoose: ({ id: tokenId }) => events.branch({ id: cursor.id, start: found.start, tokenId }),
    });
    const unknown = score.top.filter(({ id }) => texts.known(score.model, id) === undefined);
    if (unknown.length === 0) return;
    const asked = shown;
    const first = unknown.map(({ id }) => id);
    texts.soon(node, { model: score.model, first }, (isWarm) => {
      if (shown !== asked) return;
      if (isWarm) draw(node, cursor);
      else {
        hint.textContent = `${score.model} is not running, and reading does not start it. Tokens whose texts are not known yet stand there by their numbers.`;
        hint.hidden = false;
      }
    });
  }

  return {
    element,
    show(tree, cursor) {
      element.hidden = cursor === null;
      const node = cursor === null ? null : nodeOf(tree, cursor.id);
      if (cursor === null || node === null) {
        shown = null;
        return;
      }
      if (shown?.node === node && shown.at === cursor.at) return;
      shown = { node, at: cursor.at };
      draw(node, cursor);
    },
    focus() {
      const first = list.querySelector<HTMLElement>("button") ?? split;
      first.focus();
    },
  };
}

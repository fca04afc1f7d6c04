// The token at the chosen place: its numbers, the Model's alternatives, and what can be done there.
import type { TokenTexts } from "../api/token-texts.ts";
import { make } from "../dom/make.ts";
import { drawAlternatives } from "../model-text/alternatives.ts";
import { described } from "../model-text/numbers.ts";
import { tokenOf } from "./scored-pieces.ts";
import { type Cursor, pieceAt } from "./text-places.ts";
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

export function makeTokenPanel(texts: TokenTexts, events: TokenPanelEvents): TokenPanel {
  const words = make("p", { class: "loom-token-says" });
  const split = make("button", { type: "button", class: "button second" }, "Split here");
  const list = make("ol", { class: "alternatives", "aria-label": "Alternatives" });
  const element = make(
    "section",
    { class: "loom-token", "aria-label": "The marked token", hidden: true },
    words,
    split,
    list,
  );
  split.addEventListener("click", events.split);
  let shown: { node: TreeNode; at: number } | null = null;

  function draw(node: TreeNode, cursor: Cursor): void {
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
    drawAlternatives(list, {
      rows: whole ? score.top : [],
      chosen: score.id,
      textOf: (id) => texts.known(score.model, id),
      onChoose: ({ id: tokenId }) => events.branch({ id: cursor.id, start: found.start, tokenId }),
    });
    const unknown = score.top.filter(({ id }) => texts.known(score.model, id) === undefined);
    if (unknown.length === 0) return;
    const asked = shown;
    const again = () => {
      if (shown === asked) draw(node, cursor);
    };
    // Without their texts they stand there by their ids.
    texts
      .learn(
        score.model,
        unknown.map(({ id }) => id),
      )
      .then(again, () => undefined);
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

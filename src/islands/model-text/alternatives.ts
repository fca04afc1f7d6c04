// The likeliest tokens of one place, as a list of buttons with bars. Choosing one is the caller's.
import { arrange, make, setText } from "../dom/make.ts";
import { bits, nats, percent, visible } from "./numbers.ts";
import type { Ranked } from "./scored-token.ts";

export interface AlternativesOptions {
  rows: readonly Ranked[];
  /** Which of them stands in the text. */
  chosen: number | null;
  textOf(id: number): string | undefined;
  onChoose(chosen: Ranked): void;
}

/**
 * Bars are probabilities: the whole width is 100 %. A row that stands there only gets its name, for names
 * come in while it is looked at: its button keeps the focus, and a press that has begun.
 */
export function drawAlternatives(list: HTMLElement, options: AlternativesOptions): void {
  const { rows, chosen, textOf, onChoose } = options;
  const drawn = new Map([...list.children].map((item) => [item.getAttribute("data-row"), item]));
  const items = rows.map((row) => {
    const isChosen = row.id === chosen;
    const key = JSON.stringify([row, isChosen]);
    const item = drawn.get(key) ?? drawItem(row, isChosen, key);
    const text = textOf(row.id);
    const name = item.querySelector(".name");
    if (name !== null) setText(name, text === undefined ? `token ${row.id}` : visible(text));
    const button = item.querySelector("button");
    if (button !== null) button.onclick = () => onChoose(row);
    return item;
  });
  arrange(list, items);
}

function drawItem({ id, logprob, rank }: Ranked, isChosen: boolean, key: string): HTMLElement {
  const bar = make("span", { class: "bar" });
  bar.style.inlineSize = `${Math.exp(logprob) * 100}%`;
  const button = make(
    "button",
    {
      type: "button",
      class: isChosen ? "alternative chosen" : "alternative",
      "aria-current": isChosen ? "true" : undefined,
      title: `token ${id}, ${bits(logprob)} bits`,
    },
    bar,
    make("span", { class: "rank" }, rank === null ? "–" : String(rank)),
    make("span", { class: "name" }),
    make("span", { class: "share" }, percent(logprob)),
    make("span", { class: "nats" }, nats(logprob)),
  );
  return make("li", { "data-row": key }, button);
}

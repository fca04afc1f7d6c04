// The likeliest tokens of one place, as a list of buttons with bars. Choosing one is the caller's.
import { bits, nats, percent, visible } from "./numbers.ts";
import type { Ranked } from "./scored-token.ts";

export interface AlternativesOptions {
  rows: readonly Ranked[];
  /** Which of them stands in the text. */
  chosen: number | null;
  textOf(id: number): string | undefined;
  onChoose(chosen: Ranked): void;
}

/** Bars are probabilities: the whole width is 100 %. */
export function drawAlternatives(list: HTMLElement, options: AlternativesOptions): void {
  const { rows, chosen, textOf, onChoose } = options;
  list.replaceChildren(
    ...rows.map((row) => {
      const { id, logprob, rank } = row;
      const button = document.createElement("button");
      button.type = "button";
      button.className = id === chosen ? "alternative chosen" : "alternative";
      if (id === chosen) button.setAttribute("aria-current", "true");
      const bar = document.createElement("span");
      bar.className = "bar";
      bar.style.inlineSize = `${Math.exp(logprob) * 100}%`;
      const text = textOf(id);
      button.append(
        bar,
        part("rank", rank === null ? "–" : String(rank)),
        part("name", text === undefined ? `token ${id}` : visible(text)),
        part("share", percent(logprob)),
        part("nats", nats(logprob)),
      );
      button.title = `token ${id}, ${bits(logprob)} bits`;
      button.addEventListener("click", () => onChoose(row));
      const item = document.createElement("li");
      item.append(button);
      return item;
    }),
  );
}

function part(name: string, text: string): HTMLElement {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}

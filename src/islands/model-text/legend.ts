import { RANKS_MOST } from "./numbers.ts";
import { legendOf, type Measure, scales } from "./scale.ts";

/** What each colour of the tokens means; `ranksMost` is how many of the likeliest were asked for. */
export function drawLegend(list: HTMLElement, measure: Measure, ranksMost = RANKS_MOST): void {
  list.setAttribute("aria-label", scales[measure].title);
  list.replaceChildren(
    ...legendOf(measure, ranksMost).map(({ level, label }) => {
      const item = document.createElement("li");
      item.className = `level-${level}`;
      item.textContent = label;
      return item;
    }),
  );
}

import { type Measure, scales } from "./scale.ts";

/** What each colour of the tokens means. */
export function drawLegend(list: HTMLElement, measure: Measure): void {
  const { title, steps } = scales[measure];
  list.setAttribute("aria-label", title);
  list.replaceChildren(
    ...steps.map(({ label }, level) => {
      const item = document.createElement("li");
      item.className = `level-${level}`;
      item.textContent = label;
      return item;
    }),
  );
}

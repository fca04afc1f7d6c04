// By what tokens are coloured, and what each colour means.

import { make } from "../dom/make.ts";
import { drawLegend } from "../model-text/legend.ts";
import { type Measure, scales } from "../model-text/scale.ts";
import { ALTERNATIVES } from "./growth.ts";

const measures: readonly Measure[] = ["bits", "logprob", "rank"];

export function makeScaleBar(colourBy: (measure: Measure) => void): HTMLElement {
  const choice = make(
    "select",
    {},
    ...measures.map((measure) => make("option", { value: measure }, scales[measure].title)),
  );
  const legend = make("ul", { class: "legend" });
  choice.addEventListener("change", () => {
    const measure = measures[choice.selectedIndex] ?? "bits";
    drawLegend(legend, measure, ALTERNATIVES);
    colourBy(measure);
  });
  drawLegend(legend, "bits", ALTERNATIVES);
  return make("div", { class: "loom-scale" }, make("label", {}, "Colour", choice), legend);
}

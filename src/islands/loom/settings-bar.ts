// What a growth is asked for with: the Model, and the page's form of the API's fields. Remembered in
// this browser.
import { requestLimits } from "../../contract/request-limits.ts";
import { keep, readKept } from "../dom/kept.ts";
import { make } from "../dom/make.ts";
import { MAX_TOKENS, readSettings, typedInto, typeInto } from "../request/settings.ts";
import type { GrowthSettings } from "./growth.ts";

export interface ModelChoice {
  readonly id: string;
  readonly maxLogprobs: number;
}

const KEPT_AS = "continuo-loom-settings";

export interface SettingsBar {
  readonly element: HTMLElement;
  /** The selected branch's seed, and how to keep it. */
  readonly seed: HTMLElement;
  /** A sentence where a field cannot be read. */
  read(): GrowthSettings | string;
  /** The tokens that all branches of one growth may have together. */
  most(): number;
  /** The selected branch's seed, and what it is the seed of. */
  show(known: { seed: number; words: string } | null): void;
}

export interface SettingsBarEvents {
  changed(): void;
}

export function makeSettingsBar(
  models: readonly ModelChoice[],
  form: HTMLFormElement,
  events: SettingsBarEvents,
): SettingsBar {
  const kept: Readonly<Record<string, unknown>> = { ...Object(readKept("localStorage", KEPT_AS)) };
  const model = make(
    "select",
    { id: "loom-model", name: "model" },
    ...models.map(({ id }) => make("option", { value: id, selected: kept.model === id }, id)),
  );
  const label = make("label", { for: "loom-model" }, "Model");
  form.querySelector(".setting-row")?.prepend(make("div", { class: "setting" }, label, model));
  typeInto(form, kept);
  form.hidden = false;
  const changed = () => {
    keep("localStorage", KEPT_AS, { ...typedInto(form), model: model.value });
    events.changed();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", changed);

  const words = make("span");
  const seed = make("span", { class: "mono" });
  const title = "With this seed the first branch that grows from there is the same";
  const pin = make("button", { type: "button", class: "plain", title }, "Pin it");
  const seedLine = make("p", { class: "loom-seed", hidden: true }, words, seed, " ", pin);
  pin.addEventListener("click", () => {
    const field = form.elements.namedItem("seed");
    if (field instanceof HTMLInputElement) field.value = seed.textContent ?? "";
    changed();
  });

  function read(): GrowthSettings | string {
    const chosen = models.find(({ id }) => id === model.value);
    if (chosen === undefined) return "Choose a Model.";
    try {
      const { n = 1, ...fields } = readSettings(form);
      const branches = Number(n);
      // As many stand there before the API could say that they are too many.
      if (!Number.isInteger(branches) || branches < 1 || branches > requestLimits.n) {
        return `Branches must be a whole number from 1 to ${requestLimits.n}.`;
      }
      return { model: chosen.id, logprobsMost: chosen.maxLogprobs, branches, fields };
    } catch (failure) {
      return failure instanceof Error ? failure.message : String(failure);
    }
  }

  return {
    element: form,
    seed: seedLine,
    read,
    most() {
      const settings = read();
      if (typeof settings === "string") return 0;
      return settings.branches * Number(settings.fields.max_tokens ?? MAX_TOKENS);
    },
    show(known) {
      seedLine.hidden = known === null;
      if (known === null) return;
      words.textContent = `${known.words} `;
      seed.textContent = String(known.seed);
    },
  };
}

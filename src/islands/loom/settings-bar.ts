// What a growth is asked for with. Remembered in this browser.
import { make } from "./dom.ts";
import type { GrowthSettings } from "./growth.ts";

export interface ModelChoice {
  readonly id: string;
  readonly maxLogprobs: number;
}

interface NumberField {
  readonly name: "branches" | "tokens" | "temperature" | "topP" | "minP";
  readonly label: string;
  readonly title: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number | "any";
}

/** The bounds are the API's, whose word counts. */
const fields: readonly NumberField[] = [
  {
    ...{ name: "branches", label: "Branches", title: "n: how many at once" },
    ...{ value: 4, min: 1, max: 128, step: 1 },
  },
  {
    ...{ name: "tokens", label: "Tokens each", title: "max_tokens" },
    ...{ value: 24, min: 1, max: 100_000, step: 1 },
  },
  {
    ...{ name: "temperature", label: "Temperature", title: "temperature" },
    ...{ value: 1, min: 0, max: 2, step: "any" },
  },
  {
    ...{ name: "topP", label: "Top p", title: "top_p" },
    ...{ value: 1, min: 0, max: 1, step: "any" },
  },
  {
    ...{ name: "minP", label: "Min p", title: "min_p" },
    ...{ value: 0, min: 0, max: 1, step: "any" },
  },
];

const KEPT_AS = "continuo-loom-settings";

export interface SettingsBar {
  readonly element: HTMLElement;
  /** Null after it has shown what is wrong with a field. */
  read(): GrowthSettings | null;
}

export function makeSettingsBar(models: readonly ModelChoice[]): SettingsBar {
  const kept = readKept();
  const model = make(
    "select",
    { name: "model" },
    ...models.map(({ id }) => make("option", { value: id, selected: kept.model === id }, id)),
  );
  const inputs = fields.map(({ name, min, max, step, value, title }) =>
    make("input", {
      ...{ name, min, max, step, title, type: "number", required: true },
      value: kept[name] ?? value,
      inputmode: step === 1 ? "numeric" : "decimal",
    }),
  );
  const element = make(
    "form",
    { class: "loom-settings" },
    make("label", {}, "Model", model),
    ...fields.map(({ label }, index) => make("label", {}, label, inputs[index] ?? "")),
  );
  element.addEventListener("submit", (event) => event.preventDefault());
  element.addEventListener("change", () => {
    const values = [...new FormData(element)].map(([name, value]) => [name, String(value)]);
    localStorage.setItem(KEPT_AS, JSON.stringify(Object.fromEntries(values)));
  });
  return {
    element,
    read() {
      const chosen = models.find(({ id }) => id === model.value);
      if (chosen === undefined || !element.reportValidity()) return null;
      const [branches, tokens, temperature, topP, minP] = inputs.map((input) =>
        Number(input.value),
      );
      return {
        model: chosen.id,
        logprobsMost: chosen.maxLogprobs,
        branches: branches ?? 1,
        tokens: tokens ?? 1,
        temperature: temperature ?? 1,
        topP: topP ?? 1,
        minP: minP ?? 0,
      };
    },
  };
}

/** Of another version, or of somebody's hand, it may be anything. */
function readKept(): Partial<Record<string, string>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}");
    return typeof kept === "object" && kept !== null ? { ...kept } : {};
  } catch {
    return {};
  }
}

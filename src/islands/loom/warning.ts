// What stays in sight as long as it is true.
import { make } from "../dom/make.ts";

export interface Warning {
  readonly element: HTMLElement;
  /** Null where there is nothing to warn of. */
  show(words: string | null): void;
}

export function makeWarning(): Warning {
  const element = make("p", { class: "notice notice-problem", role: "alert", hidden: true });
  return {
    element,
    show(words) {
      element.hidden = words === null;
      // Set again it would be read out again.
      if (element.textContent !== (words ?? "")) element.textContent = words;
    },
  };
}

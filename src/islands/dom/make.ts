// Elements in one expression each.

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An attribute that is false or undefined is left out, and one that is true stands without a value. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

export interface OncePerFrame {
  (): void;
  /** What was asked for is done now, and not in the next frame. */
  atOnce(): void;
}

/** At most once a frame, with what is true then. */
export function oncePerFrame(draw: () => void): OncePerFrame {
  let isAsked = false;
  const atOnce = () => {
    if (!isAsked) return;
    isAsked = false;
    draw();
  };
  const soon = () => {
    if (!isAsked) requestAnimationFrame(atOnce);
    isAsked = true;
  };
  return Object.assign(soon, { atOnce });
}

/** Line ends and tabs as signs, so that a text stands in one line and still shows them. */
export function inOneLine(text: string, most: number): string {
  const line = text
    .slice(0, most)
    .replaceAll(/\r\n|\n|\r/g, "⏎")
    .replaceAll("\t", "⇥");
  return text.length > most ? `${line}…` : line;
}

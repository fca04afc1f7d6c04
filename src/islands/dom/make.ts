// Elements in one expression each.

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** One that is false or undefined is taken away, and one that is true stands without a value. */
export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Where it says so already, nothing is drawn again, and what is marked in it stays so. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * These and no others stand there, in this order. What stays is not taken out and put back: it would
 * lose the focus, and a press that has begun on it.
 */
export function arrange(parent: Element, children: readonly Element[]): void {
  const staying = new Set(children);
  for (const child of [...parent.children]) if (!staying.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const child of children) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
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

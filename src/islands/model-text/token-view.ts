// Model text as tokens: coloured, reached by keyboard and pointer, chosen one by one or as a span.
// Arrow keys move, Shift extends, Enter opens. Tokens are appended without touching those before.
import { described } from "./numbers.ts";
import { levelOf, type Measure } from "./scale.ts";
import { type ScoredToken, type SpanScore, scoreSpan } from "./scored-token.ts";

export interface TokenViewEvents {
  /** Hovered or focused; null when left. */
  onPoint(index: number | null): void;
  onOpen(index: number, how: "key" | "pointer"): void;
  /** Of the chosen span, else of all. */
  onScore(score: SpanScore | null, span: [number, number] | null): void;
}

const KEYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

export class TokenView {
  readonly element: HTMLElement;
  readonly #events: TokenViewEvents;
  #measure: Measure;
  #tokens: ScoredToken[] = [];
  #current = 0;
  /** Where a span began; it ends at the current token. */
  #anchor: number | null = null;

  constructor(element: HTMLElement, measure: Measure, events: TokenViewEvents) {
    this.element = element;
    this.#measure = measure;
    this.#events = events;
    element.addEventListener("keydown", (event) => this.#onKey(event));
    element.addEventListener("click", (event) => this.#onClick(event));
    element.addEventListener("pointerover", (event) => {
      events.onPoint(indexOf(event.target));
    });
    element.addEventListener("pointerleave", () => events.onPoint(null));
    element.addEventListener("focusin", (event) => events.onPoint(indexOf(event.target)));
  }

  get tokens(): readonly ScoredToken[] {
    return this.#tokens;
  }

  /** The whole text anew. */
  show(tokens: readonly ScoredToken[]): void {
    this.#tokens = [...tokens];
    this.#current = Math.min(this.#current, Math.max(0, tokens.length - 1));
    this.#anchor = null;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(...this.#tokens.map((token, at) => this.#draw(token, at)));
    if (hadFocus) this.focus();
    this.#tell();
  }

  /** The token that was last moved to. */
  focus(): void {
    this.#child(this.#current)?.focus();
  }

  append(tokens: readonly ScoredToken[]): void {
    const from = this.#tokens.length;
    this.#tokens.push(...tokens);
    this.element.append(...tokens.map((token, at) => this.#draw(token, from + at)));
    this.#tell();
  }

  colourBy(measure: Measure): void {
    this.#measure = measure;
    for (const [at, element] of [...this.element.children].entries()) {
      const token = this.#tokens[at];
      if (token !== undefined) element.className = this.#classOf(token);
    }
    this.#markSpan();
  }

  /** Points one token out, and says why; null takes it back. */
  mark(at: number | null, why: string): void {
    for (const old of this.element.querySelectorAll(".marked")) {
      old.classList.remove("marked");
      old.removeAttribute("aria-description");
    }
    const element = at === null ? undefined : this.#child(at);
    element?.classList.add("marked");
    element?.setAttribute("aria-description", why);
  }

  #draw(token: ScoredToken, at: number): HTMLElement {
    const element = document.createElement("span");
    element.className = this.#classOf(token);
    element.dataset.at = String(at);
    element.tabIndex = at === this.#current ? 0 : -1;
    element.textContent = token.text;
    element.setAttribute("role", "button");
    const name = token.text === "" ? "piece of a character" : token.text;
    element.setAttribute("aria-label", described(name, token));
    return element;
  }

  #classOf(token: ScoredToken): string {
    const level = levelOf(this.#measure, token);
    const piece = token.text === "" ? " piece" : "";
    return `token ${token.from}${level === null ? "" : ` level-${level}`}${piece}`;
  }

  #onKey(event: KeyboardEvent): void {
    const at = indexOf(event.target);
    if (at === null) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#events.onOpen(at, "key");
      return;
    }
    if (event.key === "Escape") this.#select(null);
    const step = KEYS[event.key];
    const end = this.#tokens.length - 1;
    const to = step === undefined ? { Home: 0, End: end }[event.key] : at + step;
    if (to === undefined || to < 0 || to > end) return;
    event.preventDefault();
    this.#moveTo(to, event.shiftKey ? (this.#anchor ?? at) : null);
  }

  #onClick(event: MouseEvent): void {
    const at = indexOf(event.target);
    if (at === null) return;
    if (event.shiftKey) {
      this.#moveTo(at, this.#anchor ?? this.#current);
      return;
    }
    this.#moveTo(at, null);
    this.#events.onOpen(at, "pointer");
  }

  #moveTo(at: number, anchor: number | null): void {
    this.#child(this.#current)?.setAttribute("tabindex", "-1");
    this.#current = at;
    const element = this.#child(at);
    element?.setAttribute("tabindex", "0");
    element?.focus();
    this.#select(anchor);
  }

  #select(anchor: number | null): void {
    this.#anchor = anchor;
    this.#markSpan();
    this.#tell();
  }

  #span(): [number, number] | null {
    if (this.#anchor === null) return null;
    return [Math.min(this.#anchor, this.#current), Math.max(this.#anchor, this.#current)];
  }

  #markSpan(): void {
    const span = this.#span();
    for (const [at, element] of [...this.element.children].entries()) {
      element.classList.toggle("chosen", span !== null && at >= span[0] && at <= span[1]);
    }
  }

  #tell(): void {
    const span = this.#span();
    const tokens = span === null ? this.#tokens : this.#tokens.slice(span[0], span[1] + 1);
    this.#events.onScore(scoreSpan(tokens), span);
  }

  #child(at: number): HTMLElement | undefined {
    return this.element.children[at] as HTMLElement | undefined;
  }
}

function indexOf(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-at]") : null;
  return element === null ? null : Number(element.dataset.at);
}

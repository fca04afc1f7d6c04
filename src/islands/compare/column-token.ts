// The token of a column that is looked at, and what else could have stood there.
import { element } from "../dom/elements.ts";
import { drawAlternatives } from "../model-text/alternatives.ts";
import { described } from "../model-text/numbers.ts";
import { type Ranked, ranked, type ScoredToken } from "../model-text/scored-token.ts";

/** Of the likeliest of a token: as many as a column has room for. */
const ALTERNATIVES_SHOWN = 10;

export interface ColumnTokenEvents {
  textOf(id: number): string | undefined;
  /** After it `textOf` has all of them. */
  learn(ids: readonly number[]): Promise<void>;
  choose(token: ScoredToken, chosen: Ranked): void;
  /** Back to the text. */
  leave(): void;
}

export class ColumnToken {
  readonly #place: HTMLElement;
  readonly #says: HTMLElement;
  readonly #list: HTMLElement;
  readonly #events: ColumnTokenEvents;
  /** Opened again, it closes. */
  #opened: ScoredToken | undefined;

  constructor(column: string, events: ColumnTokenEvents) {
    this.#place = element(`${column}-token`);
    this.#says = element(`${column}-token-says`);
    this.#list = element(`${column}-alternatives`);
    this.#events = events;
    this.#place.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      // It leads back to the text, and stops nothing.
      event.stopPropagation();
      events.leave();
    });
  }

  hide(): void {
    this.#place.hidden = true;
  }

  async open(token: ScoredToken | undefined, how: "key" | "pointer"): Promise<void> {
    const place = this.#place;
    const isOpen = token === this.#opened && !place.hidden;
    this.#opened = token;
    place.hidden = isOpen || token === undefined;
    if (isOpen || token === undefined) return;
    const rows = ranked(token).slice(0, ALTERNATIVES_SHOWN);
    const draw = () => {
      this.#says.textContent = described(token.text || "a piece of a character", token);
      drawAlternatives(this.#list, {
        rows,
        chosen: token.id,
        textOf: (id) => this.#events.textOf(id),
        onChoose: (chosen) => this.#events.choose(token, chosen),
      });
    };
    draw();
    if (how === "key") place.querySelector("button")?.focus();
    try {
      await this.#events.learn(rows.map(({ id }) => id));
    } catch {
      // Without their texts they stand there by their ids.
      return;
    }
    draw();
  }
}

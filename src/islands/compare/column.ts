// One column: a Model with its settings, and what it makes of the text. What goes wrong in it stays in it.
import type { ApiClient, Fields } from "../api/client.ts";
import type { TokenTexts } from "../api/token-texts.ts";
import { element } from "../dom/elements.ts";
import { pointedWords } from "../model-text/numbers.ts";
import type { Measure } from "../model-text/scale.ts";
import { type Ranked, type ScoredToken, scoreSpan } from "../model-text/scored-token.ts";
import { TokenView } from "../model-text/token-view.ts";
import { readSettings, typedInto, typeInto } from "../request/settings.ts";
import { Workbench } from "../workbench/workbench.ts";
import type { CodeColumn } from "./code.ts";
import { ColumnToken } from "./column-token.ts";
import type { KeptColumn } from "./kept-columns.ts";
import type { Continuation } from "./partings.ts";

export interface ColumnEvents {
  /** Something of its text is another. */
  changed(): void;
  /** It began or ended. */
  running(): void;
  left(available: number | null): void;
}

export class Column {
  readonly name: string;
  readonly view: TokenView;
  readonly #token: ColumnToken;
  readonly #workbench: Workbench;
  readonly #events: ColumnEvents;
  #isRunning = false;
  /** The API's `finish_reason`; null while it writes, and where it was stopped or broke off. */
  #reason: string | null = null;
  #seed: number | null = null;

  constructor(
    name: string,
    parts: { api: ApiClient; texts: TokenTexts; measure: Measure },
    events: ColumnEvents,
  ) {
    this.name = name;
    this.#events = events;
    this.#token = new ColumnToken(name, {
      textOf: (id) => parts.texts.known(this.#workbench.model, id),
      learn: (ids) => parts.texts.learn(this.#workbench.model, ids),
      choose: (token, chosen) => this.#branch(token, chosen),
      leave: () => this.view.focus(),
    });
    this.view = new TokenView(this.#part("text"), parts.measure, {
      onPoint: (at) => {
        const token = at === null ? null : (this.view.tokens[at] ?? null);
        this.#part("pointed").textContent = pointedWords(token);
      },
      onOpen: (at, how) => void this.#token.open(this.view.tokens[at], how),
      onScore: () => undefined,
    });
    this.#workbench = new Workbench(
      parts.api,
      {
        show: (tokens) => this.#show(tokens),
        append: (tokens) => {
          this.view.append(tokens);
          this.#showFacts();
          events.changed();
        },
        // The text stands above all columns.
        lead: () => undefined,
        say: (words) => this.#say(words),
        fail: (words) => this.fail(words),
        ended: (reason) => {
          this.#say(reason === "stop" ? "Ended by itself." : "Ended at the most tokens.");
          this.#reason = reason;
          this.#part("reason").textContent = reason;
        },
        head: ({ seed, available }) => {
          events.left(available);
          this.#seed = seed;
          this.#part("seed-used").textContent = String(seed ?? "–");
          this.#part("pin").hidden = seed === null;
        },
        running: (runs) => {
          this.#isRunning = runs;
          if (runs) this.#forgetReason();
          this.#part<HTMLButtonElement>("stop").disabled = !runs;
          this.element.setAttribute("aria-busy", String(runs));
          events.running();
          events.changed();
        },
      },
      parts.texts,
    );
    this.#part("stop").addEventListener("click", () => this.stop());
    this.#part("pin").addEventListener("click", () => {
      this.#part<HTMLInputElement>("field-seed").value = String(this.#seed ?? "");
      // As by hand, so that the code shows it.
      this.form.dispatchEvent(new Event("input", { bubbles: true }));
    });
    this.form.addEventListener("input", () => {
      this.#part("problem").hidden = true;
    });
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  get element(): HTMLElement {
    return this.#part("column");
  }

  get form(): HTMLFormElement {
    return this.#part<HTMLFormElement>("settings");
  }

  get model(): HTMLSelectElement {
    return this.#part<HTMLSelectElement>("model");
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get continuation(): Continuation {
    const texts = this.view.tokens.map(({ text }) => text);
    return { name: this.name, texts, isDone: this.#reason === "stop" };
  }

  /** What it would send; null, and said why, where a field cannot be read. */
  #settings(): Fields | null {
    try {
      return readSettings(this.form);
    } catch (failure) {
      this.fail(failure instanceof Error ? failure.message : String(failure));
      return null;
    }
  }

  /** Null where a field cannot be read; that is said once it is sent, and not while it is written. */
  code(): CodeColumn | null {
    try {
      return { name: this.name, model: this.model.value, settings: readSettings(this.form) };
    } catch {
      return null;
    }
  }

  /** Always from the shared text, and not from where it ended. */
  send(typed: string): void {
    this.clear();
    const settings = this.#settings();
    if (settings === null) return;
    void this.#workbench.continue(this.model.value, typed, settings);
  }

  stop(): void {
    this.#workbench.stop();
  }

  clear(): void {
    this.#workbench.clear();
    this.#part("problem").hidden = true;
    this.#part("status").textContent = "";
    this.#forgetReason();
    this.#part("seed-used").textContent = "–";
    this.#part("pin").hidden = true;
  }

  /** Its Model and what stands in every field. */
  get kept(): KeptColumn {
    return { model: this.model.value, fields: typedInto(this.form) };
  }

  /** As its own or another one was. A Model that is not there any more leaves the one that is chosen. */
  takeOver({ model, fields }: KeptColumn): void {
    if ([...this.model.options].some(({ value }) => value === model)) this.model.value = model;
    typeInto(this.form, fields);
  }

  /** Marks the token that parts from the first column; says it in words where they are known. */
  part(at: number | null, words: string): void {
    this.view.mark(at, "the columns part here");
    const line = this.#part("parting");
    // Set again it would be read out again.
    if (line.textContent !== words) line.textContent = words;
  }

  fail(words: string): void {
    this.#part("status").textContent = "";
    this.#part("problem").textContent = words;
    this.#part("problem").hidden = false;
  }

  #say(words: string): void {
    this.#part("problem").hidden = true;
    this.#part("status").textContent = words;
  }

  #forgetReason(): void {
    this.#reason = null;
    this.#part("reason").textContent = "–";
  }

  #show(tokens: readonly ScoredToken[]): void {
    this.view.show(tokens.filter(({ from }) => from === "model"));
    if (tokens.length === 0) this.#token.hide();
    this.#showFacts();
    this.#events.changed();
  }

  #showFacts(): void {
    const { tokens } = this.view;
    const score = scoreSpan(tokens);
    this.#part("tokens").textContent = String(tokens.length);
    this.#part("bits").textContent = score === null ? "–" : score.bitsPerToken.toFixed(3);
    this.#part("perplexity").textContent = score === null ? "–" : score.perplexity.toFixed(2);
  }

  #branch(token: ScoredToken, chosen: Ranked): void {
    const settings = this.#settings();
    if (settings === null) return;
    this.#token.hide();
    this.element.focus();
    void this.#workbench.branch(token, chosen, settings);
  }

  #part<E extends HTMLElement = HTMLElement>(part: string): E {
    return element<E>(`${this.name}-${part}`);
  }
}

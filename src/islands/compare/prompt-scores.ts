// What each Model thinks of the shared text itself: its log-probability in numbers, and token by token.
import type { ApiClient } from "../api/client.ts";
import type { TokenTexts } from "../api/token-texts.ts";
import { element, row } from "../dom/elements.ts";
import { make } from "../dom/make.ts";
import { pointedWords } from "../model-text/numbers.ts";
import type { Measure } from "../model-text/scale.ts";
import { type ScoredToken, scoreSpan } from "../model-text/scored-token.ts";
import { TokenView } from "../model-text/token-view.ts";
import { Workbench } from "../workbench/workbench.ts";

export interface PromptScoresEvents {
  running(): void;
  left(available: number | null): void;
}

interface Scored {
  model: string;
  workbench: Workbench;
  view: TokenView;
  block: HTMLElement;
  line: HTMLTableRowElement;
}

export class PromptScores {
  readonly #api: ApiClient;
  readonly #texts: TokenTexts;
  readonly #events: PromptScoresEvents;
  #measure: Measure;
  #shown: Scored[] = [];
  #running = 0;

  constructor(
    parts: { api: ApiClient; texts: TokenTexts; measure: Measure },
    events: PromptScoresEvents,
  ) {
    this.#api = parts.api;
    this.#texts = parts.texts;
    this.#measure = parts.measure;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** A Model that several columns have is asked once: settings change nothing about a score. */
  show(typed: string, models: readonly string[]): void {
    this.stop();
    this.#shown = [...new Set(models)].map((model) => this.#begin(model));
    element("score-rows").replaceChildren(...this.#shown.map(({ line }) => line));
    element("score-texts").replaceChildren(...this.#shown.map(({ block }) => block));
    element("scores").hidden = false;
    for (const { workbench, model } of this.#shown) void workbench.score(model, typed);
  }

  stop(): void {
    for (const { workbench } of this.#shown) workbench.stop();
  }

  colourBy(measure: Measure): void {
    this.#measure = measure;
    for (const { view } of this.#shown) view.colourBy(measure);
  }

  #begin(model: string): Scored {
    const status = make("p", { role: "status", class: "quiet" });
    const problem = make("p", { class: "notice notice-problem", role: "alert", hidden: true });
    const tokens = make("div", {
      class: "model-text",
      role: "group",
      "aria-label": `The text in ${model}`,
    });
    const pointed = make("p", { class: "pointed quiet mono" }, pointedWords(null));
    const block = make("div", { class: "block" }, make("h3", {}, model), status, problem);
    block.append(tokens, pointed);
    const line = row([model, ...Array.from({ length: 6 }, () => "…")]);
    const view = new TokenView(tokens, this.#measure, {
      onPoint: (at) => {
        pointed.textContent = pointedWords(at === null ? null : (view.tokens[at] ?? null));
      },
      onOpen: () => undefined,
      onScore: () => undefined,
    });
    const workbench = new Workbench(
      this.#api,
      {
        show: (scored) => {
          view.show(scored);
          if (scored.length > 0) fill(line, scored);
        },
        append: () => undefined,
        lead: (text) => {
          if (text !== "") tokens.textContent = text;
        },
        say: (words) => {
          status.textContent = words;
        },
        fail: (words) => {
          status.textContent = "";
          problem.textContent = words;
          problem.hidden = false;
          for (const cell of [...line.cells].slice(1)) cell.textContent = "–";
        },
        ended: () => undefined,
        head: ({ available }) => this.#events.left(available),
        running: (runs) => {
          this.#running += runs ? 1 : -1;
          this.#events.running();
        },
      },
      this.#texts,
    );
    return { model, workbench, view, block, line };
  }
}

/** In the order of the table's columns. */
function fill(line: HTMLTableRowElement, tokens: readonly ScoredToken[]): void {
  const score = scoreSpan(tokens);
  const scored = tokens.filter(({ logprob }) => logprob !== null);
  const bytes = new TextEncoder().encode(scored.map(({ text }) => text).join("")).length;
  const values =
    score === null
      ? [String(tokens.length), "–", "–", "–", "–", "–"]
      : [
          String(tokens.length),
          score.nats.toFixed(4),
          score.bits.toFixed(2),
          score.bitsPerToken.toFixed(3),
          (score.bits / bytes).toFixed(3),
          score.perplexity.toFixed(2),
        ];
  for (const [at, value] of values.entries()) {
    const cell = line.cells[at + 1];
    if (cell !== undefined) cell.textContent = value;
  }
}

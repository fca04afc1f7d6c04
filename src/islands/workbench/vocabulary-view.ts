// The whole vocabulary at one place: how spread it is, its likeliest tokens, and any other by search.
import type { Completion } from "../api/answers.ts";
import type { ApiClient } from "../api/client.ts";
import type { TokenTexts } from "../api/token-texts.ts";
import { element, row } from "../dom/elements.ts";
import { drawAlternatives } from "../model-text/alternatives.ts";
import { nats, percent, visible } from "../model-text/numbers.ts";
import type { Ranked } from "../model-text/scored-token.ts";
import { massOf, readVocabulary, type Vocabulary } from "../model-text/vocabulary.ts";

/** What is listed; the rest is found by search. */
const ROWS_SHOWN = 200;
const MASSES = [1, 10, 100, 1_000, 10_000] as const;

export interface VocabularyPlace {
  model: string;
  /** All ids before the place. */
  before: readonly number[];
  chosen: number;
  onChoose(chosen: Ranked): void;
}

export class VocabularyView {
  readonly #api: ApiClient;
  readonly #texts: TokenTexts;
  readonly #section = element("vocabulary");
  #shown: { place: VocabularyPlace; vocabulary: Vocabulary } | null = null;

  constructor(api: ApiClient, texts: TokenTexts) {
    this.#api = api;
    this.#texts = texts;
    element<HTMLFormElement>("vocabulary-search").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#search();
    });
  }

  /** Rejects as the client does. */
  async show(place: VocabularyPlace): Promise<void> {
    const [answer] = await this.#api.post<Completion>("/v1/completions", {
      ...{ model: place.model, prompt: place.before, max_tokens: 1, logprobs: -1 },
      return_tokens_as_token_ids: true,
    });
    const vocabulary = readVocabulary(answer);
    if (vocabulary === null) throw new Error("The Model gave no distribution for this place.");
    const top = vocabulary.rows.slice(0, ROWS_SHOWN);
    await this.#texts.learn(
      place.model,
      top.map(({ id }) => id),
    );
    this.#shown = { place, vocabulary };
    this.#draw(vocabulary);
    drawAlternatives(element("vocabulary-top"), {
      rows: top.map((one, at) => ({ ...one, rank: at + 1 })),
      chosen: place.chosen,
      textOf: (id) => this.#texts.known(place.model, id),
      onChoose: place.onChoose,
    });
    element("vocabulary-found").textContent = "";
    this.#section.hidden = false;
    element("vocabulary-title").focus();
  }

  hide(): void {
    this.#section.hidden = true;
    this.#shown = null;
  }

  #draw(vocabulary: Vocabulary): void {
    const { rows, sum, entropyBits, bins } = vocabulary;
    element("vocabulary-sum").textContent = sum.toFixed(6);
    element("vocabulary-entropy").textContent = `${entropyBits.toFixed(3)} bits`;
    element("vocabulary-size").textContent = rows.length.toLocaleString("en-US");
    element("vocabulary-masses").replaceChildren(
      ...MASSES.map((most) => {
        const share = `${(massOf(vocabulary, most) * 100).toFixed(2)} %`;
        return row([most.toLocaleString("en-US"), share]);
      }),
    );
    const widest = Math.max(...bins.map(({ tokens }) => tokens));
    element("vocabulary-bins").replaceChildren(
      ...bins.map(({ exponent, tokens, mass }) => {
        const bar = document.createElement("span");
        bar.className = "bin";
        bar.style.inlineSize = `${(tokens / widest) * 100}%`;
        const range = exponent === 0 ? "1" : `from 10${superscript(exponent)}`;
        const cells = row([range, tokens.toLocaleString("en-US"), `${(mass * 100).toFixed(2)} %`]);
        cells.children[1]?.append(bar);
        return cells;
      }),
    );
  }

  async #search(): Promise<void> {
    const found = element("vocabulary-found");
    const shown = this.#shown;
    if (shown === null) return;
    const { place, vocabulary } = shown;
    const text = element<HTMLInputElement>("vocabulary-query").value;
    try {
      found.textContent = await this.#find(text, place.model, vocabulary);
    } catch (failure) {
      found.textContent = failure instanceof Error ? failure.message : String(failure);
    }
  }

  async #find(text: string, model: string, { rows }: Vocabulary): Promise<string> {
    if (text === "") return "Write the token as it stands in the text; a space before it counts.";
    const body = { model, prompt: text, add_special_tokens: false };
    const [{ tokens }] = await this.#api.post<{ tokens: number[] }>("/v1/tokenize", body);
    const [id] = tokens;
    if (tokens.length !== 1 || id === undefined) {
      return `“${visible(text)}” is ${tokens.length} tokens here. Search for one of them.`;
    }
    const at = rows.findIndex((one) => one.id === id);
    const logprob = rows[at]?.logprob;
    if (logprob === undefined) return `Token ${id} has no probability here.`;
    const place = (at + 1).toLocaleString("en-US");
    return `“${visible(text)}”, token ${id}: rank ${place}, ${percent(logprob)}, ${nats(logprob)} nats`;
  }
}

function superscript(exponent: number): string {
  const digits = [...String(-exponent)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]);
  return `⁻${digits.join("")}`;
}

// The text of single tokens, by the Model's own tokenizer. Many ids are asked for at once, each between
// two signs that no token has: a call for each would use up the minute's starts.
import type { ApiClient } from "./client.ts";

/** "Symbol for record separator". Its bytes end whatever piece of a character stands before it. */
const BETWEEN = "\u241e";

/** What a call asks for; the answer is some tens of kilobytes. */
const IDS_A_CALL = 1_000;

export class TokenTexts {
  readonly #api: ApiClient;
  readonly #texts = new Map<string, Map<number, string>>();
  readonly #between = new Map<string, Promise<number[]>>();

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** As far as it is known; a piece of a character has U+FFFD. */
  known(model: string, id: number): string | undefined {
    return this.#texts.get(model)?.get(id);
  }

  /** After it `known` has all of them. */
  async learn(model: string, ids: Iterable<number>): Promise<void> {
    const texts = this.#texts.get(model) ?? new Map<number, string>();
    this.#texts.set(model, texts);
    const unknown = [...new Set(ids)].filter((id) => !texts.has(id));
    for (let at = 0; at < unknown.length; at += IDS_A_CALL) {
      const asked = unknown.slice(at, at + IDS_A_CALL);
      const found = await this.#ask(model, asked);
      for (const [index, id] of asked.entries()) texts.set(id, found[index] ?? `token ${id}`);
    }
  }

  async #ask(model: string, ids: readonly number[]): Promise<string[]> {
    let between = this.#between.get(model);
    if (between === undefined) {
      between = this.#separator(model);
      this.#between.set(model, between);
      between.catch(() => this.#between.delete(model));
    }
    const mark = await between;
    const tokens = [...mark, ...ids.flatMap((id) => [id, ...mark])];
    const [{ prompt }] = await this.#api.post<{ prompt: string }>("/v1/detokenize", {
      model,
      tokens,
    });
    const parts = prompt.split(BETWEEN).slice(1, -1);
    return parts.length === ids.length ? parts : [];
  }

  async #separator(model: string): Promise<number[]> {
    const body = { model, prompt: BETWEEN, add_special_tokens: false };
    const [{ tokens }] = await this.#api.post<{ tokens: number[] }>("/v1/tokenize", body);
    return tokens;
  }
}

// The numbers of one token, of a span, and of what else could have stood there.

import { element } from "../dom/elements.ts";
import { drawAlternatives } from "../model-text/alternatives.ts";
import { BEYOND, bits, nats, percent, visible } from "../model-text/numbers.ts";
import {
  type Ranked,
  ranked,
  type ScoredToken,
  type SpanScore,
} from "../model-text/scored-token.ts";
import type { Workbench } from "./workbench.ts";

type OnChoose = (token: ScoredToken, chosen: Ranked) => void;

export function showScore(score: SpanScore | null, isSpan: boolean): void {
  element("score").hidden = score === null;
  if (score === null) return;
  element("score-of").textContent = isSpan ? "The chosen span" : "All scored tokens";
  element("score-tokens").textContent = String(score.tokens);
  element("score-nats").textContent = score.nats.toFixed(4);
  element("score-bits").textContent = score.bits.toFixed(2);
  element("score-each").textContent = score.bitsPerToken.toFixed(3);
  element("score-perplexity").textContent = score.perplexity.toFixed(2);
}

export class TokenSide {
  readonly #workbench: Workbench;
  readonly #onChoose: OnChoose;
  #open: ScoredToken | null = null;

  constructor(workbench: Workbench, onChoose: OnChoose) {
    this.#workbench = workbench;
    this.#onChoose = onChoose;
  }

  get open(): ScoredToken | null {
    return this.#open;
  }

  /** Draws the texts of alternatives once they are known. Rejects as the client does. */
  async show(token: ScoredToken): Promise<void> {
    const { id, logprob, rank, alternatives, text } = token;
    const { texts, model, tokens } = this.#workbench;
    this.#open = token;
    element("token-side").hidden = false;
    element("token-name").textContent = text === "" ? "a piece of a character" : visible(text);
    element("token-id").textContent = String(id);
    element("token-probability").textContent = logprob === null ? "not scored" : percent(logprob);
    element("token-nats").textContent = logprob === null ? "–" : nats(logprob);
    element("token-bits").textContent = logprob === null ? "–" : bits(logprob);
    element("token-rank").textContent = logprob === null ? "–" : `${rank ?? BEYOND}`;
    element<HTMLButtonElement>("whole").disabled = tokens[0] === token;
    this.#drawAlternatives(token);
    await texts.learn(
      model,
      alternatives.map((one) => one.id),
    );
    if (this.#open === token) this.#drawAlternatives(token);
  }

  hide(): void {
    this.#open = null;
    element("token-side").hidden = true;
  }

  #drawAlternatives(token: ScoredToken): void {
    drawAlternatives(element("alternatives"), {
      rows: ranked(token),
      chosen: token.id,
      textOf: (id) => this.#workbench.texts.known(this.#workbench.model, id),
      onChoose: (chosen) => this.#onChoose(token, chosen),
    });
  }
}

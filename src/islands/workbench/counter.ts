// Tokens before sending: what the text has, what the answer may have, what is left.
import type { ApiClient } from "../api/client.ts";
import { element } from "./elements.ts";

/** After the last key: a call for each would use up the minute's starts. */
const WAIT_MS = 500;

export class Counter {
  readonly #api: ApiClient;
  readonly #line = element("counter");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #tokens: number | null = null;
  #available: number | null = null;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  soon(model: string, text: string, maxTokens: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#count(model, text, maxTokens), WAIT_MS);
  }

  /** As an answer's headers say it. */
  left(available: number | null): void {
    if (available !== null) this.#available = available;
  }

  async #count(model: string, text: string, maxTokens: number): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    if (text === "") {
      this.#line.textContent = "Write something to continue.";
      return;
    }
    try {
      const body = { model, prompt: text };
      const [{ count }, { available }] = await this.#api.post<{ count: number }>(
        "/v1/tokenize",
        body,
      );
      if (asked !== this.#asked) return;
      this.#tokens = count;
      this.left(available);
      this.#show(maxTokens);
    } catch (failure) {
      const words = failure instanceof Error ? failure.message : String(failure);
      if (asked === this.#asked) this.#line.textContent = words;
    }
  }

  #show(maxTokens: number): void {
    const count = this.#tokens ?? 0;
    const left = this.#available;
    const words = `${whole(count)} tokens; with up to ${whole(maxTokens)} more this costs at most ${whole(count + maxTokens)}`;
    this.#line.textContent = left === null ? `${words}.` : `${words} of your ${whole(left)}.`;
    this.#line.classList.toggle("too-much", left !== null && count + maxTokens > left);
  }
}

function whole(value: number): string {
  return value.toLocaleString("en-US");
}

// Tokens before sending: what the prompts have, what the answers may have, what is left. A Model that is
// Cold is not started to count: hardly a prompt has more tokens than bytes.
import type { ApiClient } from "../api/client.ts";
import { modelState } from "../api/model-state.ts";

/** After the last key: a call for each would use up the minute's starts. */
const WAIT_MS = 500;

/** As the API's own bound has it: for what a tokenizer puts around a text. */
const TOKENS_AROUND = 2;

/** One request that would be sent. */
export interface Ask {
  model: string;
  /** A text, or the ids it is already known by. */
  prompt: string | readonly number[];
  /** The most tokens of all its choices together. */
  most: number;
}

interface Counted {
  tokens: number;
  isExact: boolean;
}

export class Counter {
  readonly #api: ApiClient;
  readonly #line: HTMLElement;
  readonly #whenEmpty: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  /** By Model, of the prompts that stood there last. */
  #known = new Map<string, { text: string; tokens: number }>();
  #available: number | null = null;
  /** Whether a request has ended since that was read: its headers came while its Hold stood. */
  #hasRun = false;

  constructor(api: ApiClient, line: HTMLElement) {
    this.#api = api;
    this.#line = line;
    this.#whenEmpty = line.textContent ?? "";
  }

  /** `asks` is called once nothing changes any more. */
  soon(asks: () => readonly Ask[]): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#count(asks()), WAIT_MS);
  }

  /** As an answer's headers say it. */
  left(available: number | null): void {
    if (available !== null) this.#available = available;
  }

  /** A request has ended, however it did. */
  ran(): void {
    this.#hasRun = true;
  }

  async #count(asks: readonly Ask[]): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    if (asks.length === 0 || asks.some(({ prompt }) => prompt.length === 0)) {
      this.#line.textContent = this.#whenEmpty;
      this.#line.classList.remove("too-much");
      return;
    }
    try {
      const counted: Counted[] = [];
      // One after the other: those that ask the same Model ask it once.
      for (const ask of asks) counted.push(await this.#countOne(ask));
      if (this.#hasRun) await this.#readAccount();
      if (asked === this.#asked) this.#show(asks, counted);
    } catch (failure) {
      const words = failure instanceof Error ? failure.message : String(failure);
      if (asked === this.#asked) this.#line.textContent = words;
    }
  }

  async #countOne({ model, prompt }: Ask): Promise<Counted> {
    if (typeof prompt !== "string") return { tokens: prompt.length, isExact: true };
    const known = this.#known.get(model);
    if (known?.text === prompt) return { tokens: known.tokens, isExact: true };
    const [{ warm }, head] = await modelState(this.#api, model);
    this.left(head.available);
    if (warm !== "warm") {
      const bytes = new TextEncoder().encode(prompt).length;
      return { tokens: bytes + TOKENS_AROUND, isExact: false };
    }
    const body = { model, prompt };
    const [{ count }, { available }] = await this.#api.post<{ count: number }>(
      "/v1/tokenize",
      body,
    );
    this.left(available);
    this.#known.set(model, { text: prompt, tokens: count });
    return { tokens: count, isExact: true };
  }

  async #readAccount(): Promise<void> {
    // Another one may end while this is read.
    this.#hasRun = false;
    const [{ tokens }] = await this.#api.get<{ tokens: { available: number } }>("/v1/account");
    this.left(tokens.available);
  }

  #show(asks: readonly Ask[], counted: readonly Counted[]): void {
    const tokens = counted.reduce((sum, one) => sum + one.tokens, 0);
    const most = asks.reduce((sum, one) => sum + one.most, 0);
    const left = this.#available;
    const cold = asks.filter((_, at) => counted[at]?.isExact === false).map(({ model }) => model);
    const isExact = cold.length === 0;
    const prompts = asks.length === 1 ? "" : ` in ${asks.length} prompts`;
    const words = `${isExact ? "" : "Up to about "}${whole(tokens)} tokens${prompts}; with up to ${whole(most)} more this costs at most ${whole(tokens + most)}`;
    const ofLeft = left === null ? "." : ` of your ${whole(left)}.`;
    this.#line.textContent = `${words}${ofLeft}${isExact ? "" : coldWords(cold)}`;
    this.#line.classList.toggle("too-much", left !== null && tokens + most > left);
  }
}

function coldWords(models: readonly string[]): string {
  const names = [...new Set(models)].join(" and ");
  return ` ${names} is not running, so its tokens are not counted yet. Sending starts it and waits.`;
}

function whole(value: number): string {
  return value.toLocaleString("en-US");
}

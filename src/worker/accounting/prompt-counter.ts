// How many tokens a request's prompts have: ids are counted, text is bounded by its bytes until the
// backend's own tokenizer has counted it, at most once.
import type { Model } from "../../contract/catalogue.ts";
import type { CompletionRequest } from "../../contract/completion-request.ts";
import { promptTokenBound } from "../../core/request-size.ts";
import type { Backend } from "../forward/forward-completion.ts";
import { countTokens } from "../forward/tokenize.ts";
import { Refused } from "../refuse.ts";

export class PromptCounter {
  readonly #request: CompletionRequest;
  readonly #backend: Backend;
  readonly #requestId: string;
  readonly #bound: { perPrompt: readonly number[]; exact: boolean };
  #counting: Promise<readonly number[]> | null = null;
  #counts: readonly number[] | null;

  constructor(
    request: CompletionRequest,
    served: { model: Model; backend: Backend },
    requestId: string,
  ) {
    this.#request = request;
    this.#backend = served.backend;
    this.#requestId = requestId;
    this.#bound = promptTokenBound(request);
    this.#counts = this.#bound.exact ? this.#bound.perPrompt : null;
  }

  /** What is known without asking: the exact total, or a bound. */
  get known(): { total: number; exact: boolean } {
    return { total: sum(this.#counts ?? this.#bound.perPrompt), exact: this.#counts !== null };
  }

  /** The exact total. Throws `Refused` when the backend cannot count. */
  async count(): Promise<number> {
    return sum(await this.countEach());
  }

  async countEach(): Promise<readonly number[]> {
    if (this.#counts !== null) return this.#counts;
    this.#counting ??= this.#ask();
    this.#counts = await this.#counting;
    return this.#counts;
  }

  async #ask(): Promise<readonly number[]> {
    const { prompts, flags } = this.#request;
    if (prompts.kind === "ids") return prompts.ids.map((ids) => ids.length);
    const addSpecialTokens = flags.add_special_tokens ?? true;
    const texts = { texts: prompts.texts, addSpecialTokens };
    // Not bound to the client: a hang-up is what asks for the count.
    const counted = await countTokens(this.#backend, texts, this.#requestId, null);
    if (!counted.ok) {
      this.#counting = null;
      throw new Refused(counted.error);
    }
    return counted.counts;
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

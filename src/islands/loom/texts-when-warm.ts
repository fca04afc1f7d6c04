// The texts of a branch's alternatives, learned while a person reads. Reading starts no Model: one that
// is not Warm is not asked. No elements.
import type { ApiClient } from "../api/client.ts";
import { modelState } from "../api/model-state.ts";
import type { TokenTexts } from "../api/token-texts.ts";
import type { TreeNode } from "./tree.ts";

/** After the last move: a call for each token that is passed would use up the minute's starts. */
const WAIT_MS = 150;

/** What one call asks for. */
const IDS_MOST = 1_000;

type Then = (isWarm: boolean) => void;

export class TextsWhenWarm {
  readonly #api: ApiClient;
  readonly #texts: TokenTexts;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: ApiClient, texts: TokenTexts) {
    this.#api = api;
    this.#texts = texts;
  }

  known(model: string, id: number): string | undefined {
    return this.#texts.known(model, id);
  }

  /** Forgets what was asked for before. `then` hears whether the Model was there to be asked. */
  soon(node: TreeNode, place: { model: string; first: readonly number[] }, then: Then): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#learn(node, place).then(then, () => undefined);
    }, WAIT_MS);
  }

  /** Of the whole branch at once, those that are looked at before all others. */
  async #learn(
    { pieces }: TreeNode,
    { model, first }: { model: string; first: readonly number[] },
  ): Promise<boolean> {
    const [{ warm }] = await modelState(this.#api, model);
    if (warm !== "warm") return false;
    const own = pieces.flatMap(({ score }) => (score?.model === model ? score.top : []));
    const ids = new Set([...first, ...own.map(({ id }) => id)]);
    const unknown = [...ids].filter((id) => this.known(model, id) === undefined);
    await this.#texts.learn(model, unknown.slice(0, IDS_MOST));
    return true;
  }
}

// What lets a Model write: the settings, what a growth would cost, and growths from the selected branch
// or from another token. Says what stands in the way.
import type { ApiClient } from "../api/client.ts";
import type { TokenTexts } from "../api/token-texts.ts";
import { make } from "../dom/make.ts";
import { Counter } from "../request/counter.ts";
import { branchAside } from "./branch-texts.ts";
import { type GrowthEvents, type GrowthSettings, Growths } from "./growth.ts";
import { seedOf } from "./origins.ts";
import { type ModelChoice, makeSettingsBar } from "./settings-bar.ts";
import type { AlternativeChoice } from "./token-panel.ts";
import { type NodeId, nodeOf, pathText } from "./tree.ts";
import type { Workspace } from "./workspace.ts";

/** What the server has put on the page. */
export interface PageParts {
  readonly models: readonly ModelChoice[];
  readonly settings: HTMLFormElement;
}

interface GrowerParts {
  readonly api: ApiClient;
  readonly texts: TokenTexts;
  readonly workspace: Workspace;
}

export class Grower {
  /** The settings. */
  readonly form: HTMLElement;
  /** The cost, and the selected branch's seed. */
  readonly facts: HTMLElement;
  readonly growths: Growths;
  readonly #settings;
  readonly #counter: Counter;
  readonly #texts: TokenTexts;
  readonly #workspace: Workspace;
  readonly #events: Omit<GrowthEvents, "left" | "ran">;

  constructor(parts: GrowerParts, page: PageParts, events: Omit<GrowthEvents, "left" | "ran">) {
    this.#texts = parts.texts;
    this.#workspace = parts.workspace;
    this.#events = events;
    const line = make("p", { class: "loom-counter quiet" }, "Write how the text begins.");
    this.#counter = new Counter(parts.api, line);
    const left = (available: number | null) => this.#counter.left(available);
    const ran = () => this.#counter.ran();
    this.growths = new Growths(parts, { ...events, left, ran });
    this.#settings = makeSettingsBar(page.models, page.settings, { changed: () => this.#count() });
    this.form = this.#settings.element;
    this.facts = make("div", { class: "loom-said" }, line, this.#settings.seed);
  }

  grow(id: NodeId): void {
    const settings = this.#read();
    if (settings === null) return;
    if (pathText(this.#workspace.tree, id) !== "") void this.growths.growFrom(id, settings);
    else this.#events.problem("A Model goes on with a text. Press Edit and write how it begins.");
  }

  /** A branch with what the Model might have said in place of a token, and how to go on from it. */
  branch(choice: AlternativeChoice): { id: NodeId; goOn(): void } | null {
    const settings = this.#read();
    if (settings === null) return null;
    const branch = branchAside(this.#workspace, choice, (model) =>
      this.#texts.known(model, choice.tokenId),
    );
    if (typeof branch === "string") {
      this.#events.problem(branch);
      return null;
    }
    const { id, model } = branch;
    return { id, goOn: () => void this.growths.goOn(id, { ...settings, model }) };
  }

  /** Shows what is true of the branch that is selected now. */
  show(): void {
    const { tree } = this.#workspace;
    this.#settings.show(seedOf(nodeOf(tree, tree.selected)));
    this.#count();
  }

  /** Null after it has said what is wrong with a field. */
  #read(): GrowthSettings | null {
    const settings = this.#settings.read();
    if (typeof settings !== "string") return settings;
    this.#events.problem(settings);
    return null;
  }

  #count(): void {
    this.#counter.soon(() => {
      const settings = this.#settings.read();
      if (typeof settings === "string") return [];
      const { tree } = this.#workspace;
      const prompt = pathText(tree, tree.selected);
      return [{ model: settings.model, prompt, most: this.#settings.most() }];
    });
  }
}

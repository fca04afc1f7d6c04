// Which tree is open, and what can be done with a whole one: begin, name, delete, take in, save.

import { make } from "../dom/make.ts";
import { askName, askYes } from "./dialogs.ts";
import { newTree, pathText, type Tree } from "./tree.ts";
import { toFile } from "./tree-file.ts";
import { readTreeFile } from "./tree-import.ts";
import type { KeptTree, TreeStore } from "./tree-store.ts";
import type { OpenedTree, Workspace } from "./workspace.ts";

/** What a browser reads at once without standing still for long. */
const FILE_MOST_BYTES = 256 * 1024 * 1024;

export interface TreeBarEvents {
  says(words: string): void;
  problem(words: string): void;
  /** Before the open tree is deleted. */
  deleting(): void;
}

export class TreeBar {
  readonly element: HTMLElement;
  readonly #choice = make("select", { name: "tree" });
  readonly #file = make("input", { type: "file", accept: ".json,application/json", hidden: true });
  readonly #store: TreeStore;
  readonly #workspace: Workspace;
  readonly #events: TreeBarEvents;
  #trees: readonly KeptTree[] = [];

  constructor(store: TreeStore, workspace: Workspace, events: TreeBarEvents) {
    this.#store = store;
    this.#workspace = workspace;
    this.#events = events;
    this.#choice.addEventListener("change", () => void this.#choose());
    this.#file.addEventListener("change", () => void this.#takeChosen());
    this.element = this.#assemble();
  }

  /** Reads the names anew. */
  async refresh(): Promise<void> {
    this.#trees = await this.#store.list();
    const { kept } = this.#workspace;
    const others = this.#trees.filter(({ id }) => id !== kept.id);
    this.#choice.replaceChildren(
      ...[kept, ...others].map(({ id, name }) => make("option", { value: id }, name)),
    );
    this.#choice.value = kept.id;
  }

  #assemble(): HTMLElement {
    const label = make("label", {}, "Tree", this.#choice);
    const element = make("div", { class: "loom-trees" }, label, this.#file);
    const actions: readonly [string, string, () => unknown][] = [
      ["New", "Begin another tree", () => this.#open(newKept(this.#names()))],
      ["Rename", "Give this tree another name", () => this.#rename()],
      ["Delete", "Delete this tree from this browser", () => this.#remove()],
      ["Import", "Take in a tree from a file of this or another loom", () => this.#file.click()],
      ["Export", "Save this tree as a file", () => this.#save()],
      ["Save text", "Save the text of the path to the selected branch", () => this.#saveText()],
    ];
    for (const [name, title, act] of actions) {
      const button = make("button", { type: "button", class: "plain", title }, name);
      button.addEventListener("click", () => void act());
      element.append(button);
    }
    return element;
  }

  #names(): readonly string[] {
    return [this.#workspace.kept, ...this.#trees].map(({ name }) => name);
  }

  /** False where a tree could not be kept: the one before, which then stays, or this one. */
  async #open(opened: OpenedTree): Promise<boolean> {
    const isKept = (await this.#workspace.open(opened)) && (await this.#workspace.save());
    await this.refresh();
    return isKept;
  }

  async #choose(): Promise<void> {
    const kept = this.#trees.find(({ id }) => id === this.#choice.value);
    const tree = kept === undefined ? null : await this.#store.open(kept);
    if (kept !== undefined && tree !== null) {
      await this.#open({ kept, tree, isStored: true });
      return;
    }
    this.#events.problem(
      "This browser has lost parts of that tree. Import it from a file, if you have one.",
    );
    this.#choice.value = this.#workspace.kept.id;
  }

  async #takeChosen(): Promise<void> {
    const [chosen] = this.#file.files ?? [];
    if (chosen === undefined) return;
    const problem = await this.#takeIn(chosen);
    this.#file.value = "";
    if (problem !== null) this.#events.problem(problem);
  }

  /** A sentence about what is wrong with the file, or null. */
  async #takeIn(chosen: File): Promise<string | null> {
    if (chosen.size > FILE_MOST_BYTES) return "The file is larger than 256 MB; it is not read.";
    const read = readTreeFile(await chosen.text(), () => crypto.randomUUID());
    if (!read.ok) return read.problem;
    const { name, tree } = read.value;
    const named = name === "" ? chosen.name.replace(/\.json$/i, "") : name;
    const kept = keptOf(unlike(named, this.#names()), tree);
    const isKept = await this.#open({ kept, tree, isStored: false });
    if (isKept) this.#events.says(`Taken in: ${tree.nodes.size} branches.`);
    return null;
  }

  async #rename(): Promise<void> {
    const { name: before } = this.#workspace.kept;
    const name = await askName({ title: "Name of the tree", verb: "Rename", name: before });
    if (name === null) return;
    this.#workspace.rename(name);
    await this.#workspace.save();
    await this.refresh();
  }

  async #remove(): Promise<void> {
    const { kept, tree } = this.#workspace;
    const hint = `“${kept.name}” and its ${tree.nodes.size} branches are kept nowhere else. This cannot be undone.`;
    if (!(await askYes({ title: "Delete this tree?", verb: "Delete the tree", hint }))) return;
    this.#events.deleting();
    await this.#workspace.save();
    await this.#store.remove(kept.id);
    this.#workspace.forget();
    await this.#open(await latestTree(this.#store));
  }

  #save(): void {
    const { kept, tree } = this.#workspace;
    download(`${kept.name}.json`, JSON.stringify(toFile({ name: kept.name, tree })));
  }

  #saveText(): void {
    const { kept, tree } = this.#workspace;
    download(`${kept.name}.txt`, pathText(tree, tree.selected));
  }
}

/** The one that was changed last, or a new one where there is none that is whole. */
export async function latestTree(store: TreeStore): Promise<OpenedTree> {
  for (const kept of await store.list()) {
    const tree = await store.open(kept);
    if (tree !== null) return { kept, tree, isStored: true };
  }
  return newKept([]);
}

function newKept(taken: readonly string[]): OpenedTree {
  const tree = newTree(crypto.randomUUID(), []);
  return { kept: keptOf(unlike("Tree", taken), tree), tree, isStored: false };
}

function keptOf(name: string, { root, selected }: Tree): KeptTree {
  return { id: crypto.randomUUID(), name, root, selected, changedAt: 0 };
}

/** With a number behind it where the name is taken. */
function unlike(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let number = 2; ; number += 1) {
    if (!taken.includes(`${name} ${number}`)) return `${name} ${number}`;
  }
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  make("a", { href: url, download: name.replaceAll(/[\\/:*?"<>|]/g, "-") }).click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

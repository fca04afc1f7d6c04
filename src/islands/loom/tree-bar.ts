// Which tree is open, and what can be done with a whole one: begin, name, delete, take in, save.
import { askName, askYes } from "./dialogs.ts";
import { make } from "./dom.ts";
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
  /** Before another tree is opened. */
  leaving(): void;
}

export interface TreeBar {
  readonly element: HTMLElement;
  /** Reads the names anew. */
  refresh(): Promise<void>;
}

export function makeTreeBar(
  store: TreeStore,
  workspace: Workspace,
  events: TreeBarEvents,
): TreeBar {
  const choice = make("select", { name: "tree" });
  const file = make("input", { type: "file", accept: ".json,application/json", hidden: true });
  const element = make("div", { class: "loom-trees" }, make("label", {}, "Tree", choice), file);
  const actions: readonly [string, string, () => Promise<void> | void][] = [
    ["New", "Begin another tree", () => open(newKept(names()))],
    ["Rename", "Give this tree another name", rename],
    ["Delete", "Delete this tree from this browser", remove],
    ["Import", "Take in a tree from a file of this or another loom", () => file.click()],
    ["Export", "Save this tree as a file", save],
    ["Save text", "Save the text of the path to the selected branch", saveText],
  ];
  for (const [name, title, act] of actions) {
    const button = make("button", { type: "button", class: "plain", title }, name);
    button.addEventListener("click", () => void act());
    element.append(button);
  }
  let trees: readonly KeptTree[] = [];
  const names = () => trees.map(({ name }) => name);

  async function open(opened: OpenedTree): Promise<void> {
    events.leaving();
    await workspace.open(opened);
    await workspace.save();
    await refresh();
  }

  async function refresh(): Promise<void> {
    trees = await store.list();
    const { kept } = workspace;
    const others = trees.filter(({ id }) => id !== kept.id);
    choice.replaceChildren(
      ...[kept, ...others].map(({ id, name }) => make("option", { value: id }, name)),
    );
    choice.value = kept.id;
  }

  choice.addEventListener("change", async () => {
    const kept = trees.find(({ id }) => id === choice.value);
    const tree = kept === undefined ? null : await store.open(kept);
    if (kept === undefined || tree === null) {
      events.problem(
        "This browser has lost parts of that tree. Import it from a file, if you have one.",
      );
      choice.value = workspace.kept.id;
      return;
    }
    await open({ kept, tree, isStored: true });
  });

  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    if (chosen === undefined) return;
    const problem = await takeIn(chosen);
    file.value = "";
    if (problem !== null) events.problem(problem);
  });

  async function takeIn(chosen: File): Promise<string | null> {
    if (chosen.size > FILE_MOST_BYTES) return "The file is larger than 256 MB; it is not read.";
    const read = readTreeFile(await chosen.text(), () => crypto.randomUUID());
    if (!read.ok) return read.problem;
    const { name, tree } = read.value;
    const named = name === "" ? chosen.name.replace(/\.json$/i, "") : name;
    await open({ kept: keptOf(unlike(named, names()), tree), tree, isStored: false });
    events.says(`Taken in: ${tree.nodes.size} branches.`);
    return null;
  }

  async function rename(): Promise<void> {
    const asking = { title: "Name of the tree", verb: "Rename", name: workspace.kept.name };
    const name = await askName(asking);
    if (name === null) return;
    workspace.rename(name);
    await workspace.save();
    await refresh();
  }

  async function remove(): Promise<void> {
    const { id, name } = workspace.kept;
    const hint = `“${name}” and its ${workspace.tree.nodes.size} branches are kept nowhere else. This cannot be undone.`;
    if (!(await askYes({ title: "Delete this tree?", verb: "Delete the tree", hint }))) return;
    events.leaving();
    await workspace.save();
    await store.remove(id);
    await openLatest();
  }

  async function openLatest(): Promise<void> {
    const opened = await latestTree(store);
    workspace.forget();
    await open(opened);
  }

  function save(): void {
    const { kept, tree } = workspace;
    download(`${kept.name}.json`, JSON.stringify(toFile({ name: kept.name, tree })));
  }

  function saveText(): void {
    const { kept, tree } = workspace;
    download(`${kept.name}.txt`, pathText(tree, tree.selected));
  }

  return { element, refresh };
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

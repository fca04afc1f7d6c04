// The open tree: its history, and its way into the store after every change. No elements; whoever shows
// it is told when something changed.
import type { NodeId, Tree } from "./tree.ts";
import type { Change } from "./tree-changes.ts";
import { type History, inAll, newHistory, record, redo, replace, undo } from "./tree-history.ts";
import type { KeptTree, TreeStore } from "./tree-store.ts";

/** What streams in meanwhile is written at once. */
const KEEP_AFTER_MS = 500;

export interface WorkspaceEvents {
  changed(): void;
  /** A sentence about what could not be done. */
  problem(words: string): void;
}

export class Workspace {
  /** Whether lines and boxes of hidden branches are shown. */
  showsHidden = false;
  #history: History;
  #kept: KeptTree;
  /** What the store has; null where it has nothing of this tree. */
  #stored: Tree | null;
  #saving: Promise<void> = Promise.resolve();
  #timer: number | undefined;
  #release: (() => void) | undefined;
  /** False where another tab has the tree: two would write over each other. */
  #isMine = true;
  readonly #store: TreeStore;
  readonly #events: WorkspaceEvents;

  constructor(store: TreeStore, opened: OpenedTree, events: WorkspaceEvents) {
    this.#store = store;
    this.#events = events;
    this.#kept = opened.kept;
    this.#history = newHistory(opened.tree);
    this.#stored = opened.isStored ? opened.tree : null;
    this.#take(opened.kept.id);
  }

  get tree(): Tree {
    return this.#history.present;
  }

  get kept(): KeptTree {
    return this.#kept;
  }

  get canUndo(): boolean {
    return this.#history.past.length > 0;
  }

  get canRedo(): boolean {
    return this.#history.future.length > 0;
  }

  /** Another tree in place of this one. */
  async open({ kept, tree, isStored }: OpenedTree): Promise<void> {
    await this.save();
    this.#release?.();
    this.#kept = kept;
    this.#history = newHistory(tree);
    this.#stored = isStored ? tree : null;
    this.#take(kept.id);
    this.#tell();
  }

  /** Nothing more is written of the tree that is open: it was deleted. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isMine = false;
  }

  /** A step that can be undone. */
  step(change: Change | Tree): boolean {
    if ("ok" in change && !change.ok) {
      this.#events.problem(change.why);
      return false;
    }
    this.#history = record(this.#history, "ok" in change ? change.tree : change);
    this.#tell();
    return true;
  }

  /** Going about: no step. */
  move(tree: Tree): void {
    this.#history = replace(this.#history, tree);
    this.#tell();
  }

  /** What streams in: into every tree that knows the branch. */
  everywhere(change: (tree: Tree) => Tree): void {
    this.#history = inAll(this.#history, change);
    this.#tell();
  }

  undo(): void {
    this.#go(undo(this.#history), "There is nothing to undo.");
  }

  redo(): void {
    this.#go(redo(this.#history), "There is nothing to do again.");
  }

  rename(name: string): void {
    // As of a new one: what is stored has another name.
    this.#kept = { ...this.#kept, name, changedAt: 0 };
    this.#tell();
  }

  toggleHidden(): void {
    this.showsHidden = !this.showsHidden;
    this.#events.changed();
  }

  has(id: NodeId): boolean {
    return this.tree.nodes.has(id);
  }

  /** Writes what is not written yet; resolves when it is. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { tree } = this;
    if (!this.#isMine || (tree === this.#stored && this.#kept.changedAt > 0)) return this.#saving;
    const { root, selected } = tree;
    const kept = { ...this.#kept, root, selected, changedAt: Date.now() };
    this.#kept = kept;
    const before = this.#stored;
    this.#stored = tree;
    this.#saving = this.#saving
      .then(() => this.#store.keep(kept, tree, before))
      .catch((failure: unknown) => {
        this.#stored = null;
        const why = failure instanceof Error ? failure.message : "";
        this.#events.problem(`This browser did not keep the change; export the tree. ${why}`);
      });
    return this.#saving;
  }

  #go(history: History | null, otherwise: string): void {
    if (history === null) {
      this.#events.problem(otherwise);
      return;
    }
    this.#history = history;
    this.#tell();
  }

  #tell(): void {
    this.#events.changed();
    this.#timer ??= window.setTimeout(() => void this.save(), KEEP_AFTER_MS);
  }

  /** The lock lives as long as the page or until another tree is opened. */
  #take(id: string): void {
    this.#isMine = true;
    void navigator.locks.request(`loom ${id}`, { ifAvailable: true }, (lock) => {
      if (this.#kept.id !== id) return undefined;
      this.#isMine = lock !== null;
      if (lock === null) {
        this.#events.problem(
          "This tree is open in another tab of this browser. What you change here is not kept.",
        );
        return undefined;
      }
      return new Promise<void>((resolve) => {
        this.#release = resolve;
      });
    });
  }
}

export interface OpenedTree {
  readonly kept: KeptTree;
  readonly tree: Tree;
  /** Whether the store has it as it is. */
  readonly isStored: boolean;
}

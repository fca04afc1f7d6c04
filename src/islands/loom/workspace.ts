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
  /** The tree is another, or has another name, by no act of the person. */
  reopened(): void;
  /** Before another tree is opened: what writes into this one has to stop. */
  leaving(): void;
}

export class Workspace {
  /** Whether lines and boxes of hidden branches are shown. */
  showsHidden = false;
  #history: History;
  #kept: KeptTree;
  /** What the store has; null where it has nothing of this tree. */
  #stored: Tree | null;
  #saving: Promise<boolean> = Promise.resolve(true);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the lock of the tree, or the wait for it. */
  #leave: () => void = () => undefined;
  /** Where another tab has the tree, two would write over each other. */
  #place: "here" | "another tab" | "nowhere" = "here";
  /** Why the last write failed; null where none has since. */
  #failure: string | null = null;
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

  /** What has to stay in sight as long as it is true; null where everything is kept. */
  get warning(): string | null {
    if (this.#place === "another tab") {
      return "This tree is open in another tab of this browser. What you change here is not kept before that tab is closed; then it becomes a tree of its own.";
    }
    return this.#failure;
  }

  /** Another tree in place of this one, which stays, and false, where it could not be kept. */
  async open({ kept, tree, isStored }: OpenedTree): Promise<boolean> {
    do {
      if (!(await this.save())) return false;
      // With what has begun while that was written; what came of it is written, too.
      this.#events.leaving();
    } while (this.#isChanged);
    this.#leave();
    this.#kept = kept;
    this.#history = newHistory(tree);
    this.#stored = isStored ? tree : null;
    this.#failure = null;
    this.#take(kept.id);
    this.#tell();
    return true;
  }

  /** Nothing more is written of the tree that is open: it was deleted. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#place = "nowhere";
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

  /** Writes what is not written yet; false, and said why, where the browser did not keep it. */
  save(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  get #isChanged(): boolean {
    const { changedAt } = this.#kept;
    return this.#place === "here" && (this.tree !== this.#stored || changedAt === 0);
  }

  /** One at a time: the next one's difference is to what this one has written. */
  async #write(): Promise<boolean> {
    if (!this.#isChanged) return true;
    const { tree } = this;
    const before = this.#kept;
    const { root, selected } = tree;
    const kept = { ...before, root, selected, changedAt: Date.now() };
    try {
      await this.#store.keep(kept, tree, this.#stored);
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : "";
      this.#failed(
        `This browser did not keep the last change, and another try comes with the next one. Export the tree; then it can be deleted here without loss. ${why}`,
      );
      return false;
    }
    this.#failed(null);
    this.#stored = tree;
    // A name that was given meanwhile is not written yet.
    if (this.#kept === before) this.#kept = kept;
    return true;
  }

  #failed(why: string | null): void {
    if (why === this.#failure) return;
    this.#failure = why;
    this.#events.changed();
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
    this.#timer ??= setTimeout(() => void this.save(), KEEP_AFTER_MS);
  }

  /** The lock lives as long as the page or until another tree is opened. */
  #take(id: string): void {
    this.#place = "here";
    const name = `loom ${id}`;
    const left = Promise.withResolvers<void>();
    const waiting = new AbortController();
    this.#leave = () => {
      left.resolve();
      waiting.abort();
    };
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock !== null || waiting.signal.aborted) return left.promise;
      this.#place = "another tab";
      this.#events.changed();
      const whenFree = async () => {
        await this.#takeOver(waiting.signal);
        await left.promise;
      };
      // It rejects where another tree is opened meanwhile.
      navigator.locks.request(name, waiting, whenFree).catch(() => undefined);
      return undefined;
    });
  }

  /** The other tab has closed. What it kept is newer than this; what was changed here stays beside it. */
  async #takeOver(signal: AbortSignal): Promise<void> {
    const kept = (await this.#store.list()).find(({ id }) => id === this.#kept.id);
    const tree = kept === undefined ? null : await this.#store.open(kept);
    if (signal.aborted) return;
    if (this.tree.nodes !== this.#stored?.nodes || kept === undefined || tree === null) {
      const { name } = this.#kept;
      const id = crypto.randomUUID();
      this.#leave();
      this.#kept = { ...this.#kept, id, name: `${name} (copy)`, changedAt: 0 };
      this.#stored = null;
      this.#take(id);
    } else {
      this.#kept = kept;
      this.#history = newHistory(tree);
      this.#stored = tree;
      this.#place = "here";
    }
    this.#tell();
    this.#events.reopened();
  }
}

export interface OpenedTree {
  readonly kept: KeptTree;
  readonly tree: Tree;
  /** Whether the store has it as it is. */
  readonly isStored: boolean;
}

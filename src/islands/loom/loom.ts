// The Loom on its page: its parts, and what each command does.
import { ApiClient } from "../api/client.ts";
import { TokenTexts } from "../api/token-texts.ts";
import { make, oncePerFrame } from "../dom/make.ts";
import { editText, splitAt, writeBelow } from "./branch-texts.ts";
import { makeCommandBar } from "./command-bar.ts";
import type { CommandName } from "./commands.ts";
import { showSheet } from "./dialogs.ts";
import { makeGraphView } from "./graph-view.ts";
import { Grower, type PageParts } from "./grower.ts";
import { whyNotYet } from "./growing.ts";
import { listenToKeys } from "./keyboard.ts";
import { makeListView } from "./list-view.ts";
import { moveInGraph, moveInList } from "./moving.ts";
import { makeReadingPane } from "./reading-pane.ts";
import { makeScaleBar } from "./scale-bar.ts";
import { type Cursor, placeInWords, stepFrom } from "./text-places.ts";
import { TextsWhenWarm } from "./texts-when-warm.ts";
import { type AlternativeChoice, makeTokenPanel } from "./token-panel.ts";
import { isOnPath, type NodeId, nearBookmark, nodeOf, type Tree } from "./tree.ts";
import { TreeBar } from "./tree-bar.ts";
import * as changes from "./tree-changes.ts";
import type { TreeStore } from "./tree-store.ts";
import { makeWarning } from "./warning.ts";
import { type OpenedTree, Workspace } from "./workspace.ts";

export class Loom {
  readonly #element: HTMLElement;
  readonly #workspace: Workspace;
  readonly #grower: Grower;
  readonly #bar;
  readonly #list;
  readonly #graph;
  readonly #reading;
  readonly #token;
  readonly #buttons = new Map<CommandName, HTMLButtonElement>();
  readonly #status = make("p", { class: "loom-status", role: "status" });
  readonly #warning = makeWarning();
  /** The place in the text that is looked at. */
  #cursor: Cursor | null = null;
  #isGraph = false;
  readonly #redraw = oncePerFrame(() => this.#draw());

  constructor(store: TreeStore, opened: OpenedTree, page: PageParts) {
    const problem = (words: string) => this.#say(words, true);
    const says = (words: string) => this.#say(words);
    const stop = () => this.#grower.growths.stop();
    const reopened = () => void this.#bar.refresh();
    const tells = { changed: this.#redraw, problem, reopened, leaving: stop };
    this.#workspace = new Workspace(store, opened, tells);
    const api = new ApiClient();
    const texts = new TokenTexts(api);
    this.#grower = new Grower({ api, texts, workspace: this.#workspace }, page, { says, problem });
    this.#bar = new TreeBar(store, this.#workspace, { says, problem, deleting: stop });
    const select = (id: NodeId) => this.#move(changes.select(this.#tree, id));
    this.#list = makeListView({
      select,
      fold: (id, folded) => this.#move(changes.fold(this.#tree, id, folded)),
    });
    this.#graph = makeGraphView(select);
    this.#reading = makeReadingPane({ select, place: (cursor) => this.#place(cursor) });
    this.#token = makeTokenPanel(new TextsWhenWarm(api, texts), {
      split: () => this.#do("split"),
      branch: (choice) => this.#branch(choice),
    });
    this.#element = this.#assemble();
    this.#listen();
  }

  /** In its place once it can show everything: a frame between would show what then moves. */
  async begin(place: HTMLElement): Promise<void> {
    await this.#bar.refresh();
    place.replaceChildren(this.#element);
    this.#draw();
    // A page that goes away may not come back.
    document.addEventListener("visibilitychange", () => void this.#workspace.save());
  }

  get #tree(): Tree {
    return this.#workspace.tree;
  }

  #assemble(): HTMLElement {
    const bar = makeCommandBar(this.#buttons, (name) => this.#do(name));
    const views = make("div", { class: "loom-tree" }, this.#list.element, this.#graph.element);
    const scale = makeScaleBar((measure) => this.#reading.colourBy(measure));
    const text = make("div", { class: "loom-side" }, scale);
    text.append(this.#reading.element, this.#token.element);
    const panes = make("div", { class: "loom-panes" }, views, text);
    this.#graph.element.hidden = true;
    const { element: trees } = this.#bar;
    const { form, facts } = this.#grower;
    const { element: warning } = this.#warning;
    return make("div", { class: "loom" }, trees, form, facts, bar, warning, this.#status, panes);
  }

  #listen(): void {
    const [list, graph] = [this.#list.element, this.#graph.element];
    const panes = list.closest<HTMLElement>(".loom-panes") ?? this.#element;
    const places = { panes, list, graph, text: this.#reading.text };
    const go = (tree: Tree | null) => tree !== null && this.#move(tree);
    listenToKeys(places, {
      catchUp: () => this.#redraw.atOnce(),
      command: (name) => this.#do(name),
      moveInList: (key) => go(moveInList(this.#tree, this.#list.rows(), key)),
      moveInGraph: (key) => {
        const layout = this.#graph.layout();
        const { showsHidden } = this.#workspace;
        return layout !== null && go(moveInGraph(this.#tree, layout, showsHidden, key));
      },
      moveInText: (key, byCharacter) => this.#moveInText(key, byCharacter),
      openToken: () => this.#token.focus(),
      leaveText: () => this.#leaveText(),
    });
  }

  /** By name, from a key or a button. */
  #do(name: CommandName): void {
    const workspace = this.#workspace;
    const { tree, showsHidden } = workspace;
    const id = tree.selected;
    const acts: Record<CommandName, () => void> = {
      grow: () => this.#grower.grow(id),
      stop: () => this.#grower.growths.stop(),
      write: () => void writeBelow(workspace, id),
      edit: () => void editText(workspace, id),
      split: () => this.#split(),
      merge: () => workspace.step(changes.merge(tree, id)),
      "merge-path": () => workspace.step(changes.mergePath(tree, id)),
      keep: () => workspace.step(changes.keepOnly(tree, id)),
      cut: () => workspace.step(changes.cut(tree, id)),
      bookmark: () => workspace.step(changes.bookmark(tree, id)),
      hide: () => workspace.step(changes.hide(tree, id, showsHidden)),
      "show-hidden": () => workspace.toggleHidden(),
      "next-bookmark": () => this.#toBookmark(1),
      "previous-bookmark": () => this.#toBookmark(-1),
      undo: () => workspace.undo(),
      redo: () => workspace.redo(),
      "switch-view": () => this.#switchView(),
      "zoom-in": () => this.#graph.zoom(1),
      "zoom-out": () => this.#graph.zoom(-1),
      fit: () => this.#graph.fit(),
      read: () => this.#read(),
      help: showSheet,
    };
    this.#say("");
    // A split is where the mark is.
    const place = name === "split" ? (this.#cursor?.id ?? id) : id;
    if (this.#hasToWait(name, place)) return;
    acts[name]();
    this.#grower.growths.stopUnseen();
  }

  /** Says it. */
  #hasToWait(name: CommandName | "branch", id: NodeId): boolean {
    const { growing } = this.#grower.growths;
    const why = whyNotYet(name, { tree: this.#tree, id, growing });
    if (why !== null) this.#say(why, true);
    return why !== null;
  }

  #split(): void {
    const id = crypto.randomUUID();
    if (!this.#workspace.step(splitAt(this.#tree, this.#cursor, id))) return;
    this.#cursor = null;
    this.#move(changes.select(this.#tree, id));
  }

  /** What the Model might have said in place of a token; it goes on from there. */
  #branch(choice: AlternativeChoice): void {
    if (this.#hasToWait("branch", choice.id)) return;
    const branch = this.#grower.branch(choice);
    if (branch === null) return;
    this.#cursor = null;
    this.#move(changes.select(this.#tree, branch.id));
    this.#treeElement.focus();
    branch.goOn();
  }

  #toBookmark(step: 1 | -1): void {
    const id = nearBookmark(this.#tree, step, this.#workspace.showsHidden);
    if (id !== null) this.#move(changes.select(this.#tree, id));
    else this.#say("There is no bookmark. Press b to set one.", true);
  }

  #switchView(): void {
    const hadFocus = this.#treeElement === document.activeElement;
    this.#isGraph = !this.#isGraph;
    this.#list.element.hidden = this.#isGraph;
    this.#graph.element.hidden = !this.#isGraph;
    this.#draw();
    if (this.#isGraph) this.#graph.fit();
    if (hadFocus) this.#treeElement.focus();
  }

  get #treeElement(): HTMLElement {
    return this.#isGraph ? this.#graph.element : this.#list.element;
  }

  /** Into the text, at the selected branch's beginning. */
  #read(): void {
    const { selected } = this.#tree;
    this.#place(this.#cursor?.id === selected ? this.#cursor : { id: selected, at: 0 });
    this.#reading.text.focus();
  }

  #leaveText(): void {
    this.#cursor = null;
    this.#draw();
    this.#treeElement.focus();
  }

  #moveInText(key: string, byCharacter: boolean): boolean {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step !== 1 && step !== -1) return false;
    const cursor = this.#cursor ?? { id: this.#tree.selected, at: 0 };
    this.#place(stepFrom(this.#tree, cursor, { step, byCharacter }));
    return true;
  }

  #place(cursor: Cursor): void {
    this.#cursor = cursor;
    this.#say(placeInWords(nodeOf(this.#tree, cursor.id), cursor.at));
    this.#draw();
  }

  #move(tree: Tree): true {
    this.#workspace.move(tree);
    return true;
  }

  /** What it is said of is shown by then. */
  #say(words: string, isProblem = false): void {
    this.#redraw.atOnce();
    this.#status.textContent = words;
    this.#status.classList.toggle("problem", isProblem);
  }

  #draw(): void {
    // Before it is in its place nothing can be scrolled into sight.
    if (!this.#element.isConnected) return;
    const { tree, showsHidden, warning } = this.#workspace;
    this.#warning.show(warning);
    if (this.#cursor !== null && !isOnPath(tree, this.#cursor.id)) this.#cursor = null;
    if (this.#isGraph) this.#graph.show(tree, showsHidden);
    else this.#list.show({ tree, showsHidden, growing: this.#grower.growths.growing });
    this.#reading.show(tree, showsHidden, this.#cursor);
    this.#token.show(tree, this.#cursor);
    this.#grower.show();
    this.#buttons.get("show-hidden")?.setAttribute("aria-pressed", String(showsHidden));
    this.#buttons.get("switch-view")?.setAttribute("aria-pressed", String(this.#isGraph));
  }
}

// Which key does what, by where the focus is. Single letters count only in the tree and in the text, so
// that nobody who types elsewhere, or speaks to their browser, does something by accident.
import { type CommandName, commandOf } from "./commands.ts";

export interface KeyPlaces {
  /** The list, the graph and the text. */
  readonly panes: HTMLElement;
  readonly list: HTMLElement;
  readonly graph: HTMLElement;
  readonly text: HTMLElement;
}

export interface KeyEvents {
  /** Draws what has changed: a fast hand is ahead of the next frame, and keys go by what is drawn. */
  catchUp(): void;
  command(name: CommandName): void;
  moveInList(key: string): boolean;
  moveInGraph(key: string): boolean;
  /** In the text: whether by one character. */
  moveInText(key: string, byCharacter: boolean): boolean;
  /** From the text to the alternatives, and back to the tree. */
  openToken(): void;
  leaveText(): void;
}

export function listenToKeys(places: KeyPlaces, events: KeyEvents): void {
  places.panes.addEventListener("keydown", (event) => {
    events.catchUp();
    if (takes(event, places, events)) event.preventDefault();
  });
}

/** Whether the key meant something here. */
function takes(event: KeyboardEvent, places: KeyPlaces, events: KeyEvents): boolean {
  const { key, target, shiftKey } = event;
  if (event.altKey) return false;
  if (event.ctrlKey || event.metaKey) return takesUndo(key, shiftKey, events);
  const isButton = target instanceof HTMLElement && target.closest("button, a, select") !== null;
  if (isButton && (key === "Enter" || key === " ")) return false;
  if (target === places.text) {
    if (key === "Enter") events.openToken();
    else if (key === "Escape") events.leaveText();
    if (key === "Enter" || key === "Escape") return true;
    if (events.moveInText(key, shiftKey)) return true;
  }
  if (target === places.list && !shiftKey && events.moveInList(key)) return true;
  if (target === places.graph && !shiftKey && events.moveInGraph(key)) return true;
  const name = commandOf(key);
  // Held, it would ask a Model many times a second.
  if (name !== null && !(event.repeat && name === "grow")) events.command(name);
  return name !== null;
}

function takesUndo(key: string, shiftKey: boolean, { command }: KeyEvents): boolean {
  const letter = key.toLowerCase();
  if (letter !== "z" && letter !== "y") return false;
  command(letter === "y" || shiftKey ? "redo" : "undo");
  return true;
}

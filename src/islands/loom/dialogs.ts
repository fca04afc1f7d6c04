// What the Loom asks for: a text, a name, a yes; and the sheet of keys.

import { make } from "../dom/make.ts";
import { sheet } from "./commands.ts";

interface Asking {
  readonly title: string;
  readonly verb: string;
  /** Says what will happen, below the title. */
  readonly hint?: string;
}

/** Resolves with what was written, or null where it was put away. */
export function askText(asking: Asking & { text: string; rows: number }): Promise<string | null> {
  const area = make("textarea", { rows: asking.rows, "aria-label": "Text", class: "mono" });
  area.value = asking.text;
  return ask(asking, area, () => area.value);
}

export function askName(asking: Asking & { name: string }): Promise<string | null> {
  const most = 200;
  const input = make("input", { maxlength: most, required: true, "aria-label": "Name" });
  input.value = asking.name;
  return ask(asking, input, () => input.value.trim() || null);
}

export async function askYes(asking: Asking): Promise<boolean> {
  return (await ask(asking, null, () => "yes")) !== null;
}

export function showSheet(): void {
  const lines = sheet.flatMap(({ keys, says }) => [
    make(
      "dt",
      {},
      ...keys.split(" or ").flatMap((key, at) => (at === 0 ? [kbd(key)] : [" or ", kbd(key)])),
    ),
    make("dd", {}, says),
  ]);
  const close = make("button", { class: "button", value: "close" }, "Close");
  open(
    make(
      "dialog",
      { class: "loom-dialog", "aria-labelledby": TITLE_ID },
      make("h2", { id: TITLE_ID }, "Keys of the Loom"),
      make("p", { class: "hint" }, "They work while the focus is in the tree or the text."),
      make("form", { method: "dialog", class: "loom-close" }, close),
      make("dl", { class: "loom-keys" }, ...lines),
    ),
  );
}

const TITLE_ID = "loom-dialog-title";

function kbd(key: string): HTMLElement {
  return make("kbd", {}, key);
}

function ask(
  { title, verb, hint }: Asking,
  field: HTMLElement | null,
  value: () => string | null,
): Promise<string | null> {
  const done = make("button", { class: "button", value: "done" }, verb);
  const cancel = make("button", { type: "button", class: "button second" }, "Cancel");
  const dialog = make(
    "dialog",
    { class: "loom-dialog", "aria-labelledby": TITLE_ID },
    make(
      "form",
      { method: "dialog" },
      make("h2", { id: TITLE_ID }, title),
      ...(hint === undefined ? [] : [make("p", { class: "hint" }, hint)]),
      ...(field === null ? [] : [field]),
      make("div", { class: "actions" }, done, cancel),
    ),
  );
  cancel.addEventListener("click", () => dialog.close(""));
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) done.form?.requestSubmit(done);
  });
  open(dialog);
  field?.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "done" ? value() : null));
  });
}

function open(dialog: HTMLDialogElement): void {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

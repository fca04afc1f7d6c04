// The buttons of what can be done with a branch.

import { make } from "../dom/make.ts";
import { type CommandName, commands } from "./commands.ts";

/** `buttons` gets each by its command's name. */
export function makeCommandBar(
  buttons: Map<CommandName, HTMLButtonElement>,
  act: (name: CommandName) => void,
): HTMLElement {
  const bar = make("div", { class: "loom-commands", role: "group", "aria-label": "Branch" });
  for (const { name, title, says, keys, hasButton } of commands) {
    if (!hasButton) continue;
    const attributes = { type: "button", class: "loom-command", title: `${says} (${keys[0]})` };
    const button = make("button", attributes, title);
    button.addEventListener("click", () => act(name));
    buttons.set(name, button);
    bar.append(button);
  }
  return bar;
}

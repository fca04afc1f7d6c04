// The person's saved prompts: kept where they say so, and nothing else is.
import type { ErrorBody } from "../api/answers.ts";
import { element } from "../dom/elements.ts";

interface Named {
  id: string;
  name: string;
}

export interface SavedPromptsEvents {
  text(): string;
  onLoad(text: string): void;
}

export class SavedPrompts {
  readonly #events: SavedPromptsEvents;
  readonly #said = element("saved-said");

  constructor(events: SavedPromptsEvents) {
    this.#events = events;
    element<HTMLDetailsElement>("saved").addEventListener("toggle", () =>
      this.#do(() => this.#list()),
    );
    element<HTMLFormElement>("save-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#do(() => this.#save());
    });
  }

  async #save(): Promise<void> {
    const name = element<HTMLInputElement>("save-name").value;
    await call("/app/prompts", { name, text: this.#events.text() });
    await this.#list();
    this.#said.textContent = `Saved as “${name.trim()}”.`;
  }

  async #list(): Promise<void> {
    const { prompts } = await call<{ prompts: Named[] }>("/app/prompts");
    element("saved-list").replaceChildren(...prompts.map((prompt) => this.#draw(prompt)));
    element("saved-none").hidden = prompts.length > 0;
  }

  #draw({ id, name }: Named): HTMLElement {
    const load = button(name, () => this.#do(() => this.#load(id)));
    const remove = button("Delete", () => {
      if (remove.textContent === "Delete") remove.textContent = "Delete for good";
      else this.#do(() => this.#remove(id));
    });
    remove.setAttribute("aria-description", name);
    const item = document.createElement("li");
    item.append(load, remove);
    return item;
  }

  async #load(id: string): Promise<void> {
    const { name, text } = await call<Named & { text: string }>(`/app/prompts/${id}`);
    element<HTMLInputElement>("save-name").value = name;
    this.#events.onLoad(text);
  }

  async #remove(id: string): Promise<void> {
    await call(`/app/prompts/${id}/remove`, {});
    await this.#list();
    this.#said.textContent = "Deleted.";
  }

  #do(work: () => Promise<void>): void {
    this.#said.textContent = "";
    work().catch((failure: unknown) => {
      this.#said.textContent = failure instanceof Error ? failure.message : String(failure);
    });
  }
}

/** A POST where there is a body. Rejects with the service's own sentence. */
async function call<T>(path: string, body?: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const post = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(path, body === undefined ? {} : post);
  const read = (await answer.json().catch(() => null)) as (T & Partial<ErrorBody>) | null;
  if (answer.ok && read !== null) return read;
  throw new Error(read?.error?.message ?? "The service did not answer. Try again in a moment.");
}

function button(text: string, onPress: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "plain";
  made.textContent = text;
  made.addEventListener("click", onPress);
  return made;
}

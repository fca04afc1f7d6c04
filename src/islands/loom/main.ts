// The entry of the Loom's script: finds its place on the page and what the server put there.
import { pressButtonsOnce } from "../dom/held-keys.ts";
import { make } from "../dom/make.ts";
import { Loom } from "./loom.ts";
import type { ModelChoice } from "./settings-bar.ts";
import { latestTree } from "./tree-bar.ts";
import { openTreeStore } from "./tree-store.ts";

const place = document.getElementById("loom");
if (place !== null) {
  start(place).catch((failure: unknown) => {
    const why = failure instanceof Error ? failure.message : String(failure);
    place.replaceChildren(
      make(
        "p",
        { class: "notice notice-problem", role: "alert" },
        `The Loom could not open this browser's storage, where trees are kept. Allow it for this site and load the page again. (${why})`,
      ),
    );
  });
}

async function start(element: HTMLElement): Promise<void> {
  const { person = "", models = "[]" } = element.dataset;
  const store = await openTreeStore(person);
  const settings = element.querySelector("form");
  if (settings === null) throw new Error("the page has no form of settings");
  const page = { models: JSON.parse(models) as ModelChoice[], settings };
  const loom = new Loom(store, await latestTree(store), page);
  pressButtonsOnce();
  await loom.begin(element);
}

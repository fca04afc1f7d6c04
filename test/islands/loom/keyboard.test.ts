import { afterEach, expect, test, vi } from "vitest";
import { type KeyEvents, listenToKeys } from "../../../src/islands/loom/keyboard.ts";

afterEach(() => vi.unstubAllGlobals());

/** What the keys bring about, pressed in the list: held ones repeat. */
function told(keys: readonly { key: string; repeat?: boolean }[]): string[] {
  // Node has events, and no elements.
  const NoElement = class {};
  vi.stubGlobal("HTMLElement", NoElement);
  const place = new EventTarget() as HTMLElement;
  const said: string[] = [];
  const none = () => false;
  const events: KeyEvents = {
    ...{ command: (name) => said.push(name), moveInList: none, moveInGraph: none },
    ...{ moveInText: none, openToken: none, leaveText: none },
    catchUp: () => said.push("caught up"),
  };
  listenToKeys({ panes: place, list: place, graph: place, text: NoElement as never }, events);
  for (const key of keys) {
    place.dispatchEvent(Object.assign(new Event("keydown"), { repeat: false, ...key }));
  }
  return said;
}

function commanded(keys: readonly { key: string; repeat?: boolean }[]): string[] {
  return told(keys).filter((one) => one !== "caught up");
}

test("a held key grows once; undo goes on while it is held", () => {
  const held = (key: string) => [{ key }, { key, repeat: true }, { key, repeat: true }];
  expect(commanded(held("g"))).toEqual(["grow"]);
  expect(commanded(held("Enter"))).toEqual(["grow"]);
  expect(commanded(held("u"))).toEqual(["undo", "undo", "undo"]);
});

test("each key goes by what has changed before it, drawn or not", () => {
  const keys = [{ key: "u" }, { key: "x" }];
  expect(told(keys)).toEqual(["caught up", "undo", "caught up", "cut"]);
});

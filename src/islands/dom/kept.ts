// What a page keeps in this browser beside what it shows. A browser may have no room, or keep nothing for
// this page: then the page begins anew the next time, and works as ever until then.

/** `sessionStorage` lives as long as the tab, and no other tab has it. */
type StorageName = "localStorage" | "sessionStorage";

/** Null where nothing is kept. Of another version, or of somebody's hand, it may be anything. */
export function readKept(storage: StorageName, name: string): unknown {
  try {
    return JSON.parse(globalThis[storage].getItem(name) ?? "null");
  } catch {
    return null;
  }
}

export function keep(storage: StorageName, name: string, value: object): void {
  try {
    // Where this one finds no room, the one before would be taken for it.
    globalThis[storage].removeItem(name);
    globalThis[storage].setItem(name, JSON.stringify(value));
  } catch {
    // It is not kept.
  }
}

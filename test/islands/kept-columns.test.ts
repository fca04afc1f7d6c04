import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepComparison, readComparison } from "../../src/islands/compare/kept-columns.ts";

const column = { model: "local", fields: { temperature: "0.5", stop: "" } };
const comparison = { text: "Call me", columns: { A: column, C: column } };

/** A browser's, in memory. */
class Storage {
  readonly items = new Map<string, string>();
  isFull = false;

  getItem(name: string): string | null {
    return this.items.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    if (this.isFull) throw new DOMException("There is no room.", "QuotaExceededError");
    this.items.set(name, value);
  }

  removeItem(name: string): void {
    this.items.delete(name);
  }
}

let storage = new Storage();

beforeEach(() => {
  storage = new Storage();
  vi.stubGlobal("sessionStorage", storage);
});
afterEach(() => vi.unstubAllGlobals());

test("a comparison comes back for the person whose it is, and for nobody else", () => {
  expect(readComparison("me")).toBeNull();
  keepComparison("me", comparison);
  expect(readComparison("me")).toEqual(comparison);
  expect(readComparison("somebody else")).toBeNull();
});

test("what a hand or another version has written is left out, and what can be read comes back", () => {
  const columns = { A: column, B: null, C: { model: 7, fields: {} }, D: { model: "local" } };
  const write = (kept: unknown) => {
    keepComparison("me", comparison);
    for (const name of storage.items.keys()) storage.items.set(name, JSON.stringify(kept));
  };
  write({ person: "me", text: "Call me", columns });
  expect(readComparison("me")).toEqual({ text: "Call me", columns: { A: column } });
  for (const kept of [null, 7, [], { person: "me" }, { person: "me", text: "", columns: null }]) {
    write(kept);
    expect(readComparison("me")).toBeNull();
  }
  for (const name of storage.items.keys()) storage.items.set(name, "{");
  expect(readComparison("me")).toBeNull();
});

test("a browser without room forgets the comparison, and never gives back one from before", () => {
  keepComparison("me", comparison);
  storage.isFull = true;
  keepComparison("me", { ...comparison, text: "a long one" });
  expect(readComparison("me")).toBeNull();
});

test("a browser that refuses its storage is one that keeps nothing", () => {
  const refuse = () => {
    throw new DOMException("Access is denied.", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", undefined);
  Object.defineProperty(globalThis, "sessionStorage", { get: refuse, configurable: true });
  keepComparison("me", comparison);
  expect(readComparison("me")).toBeNull();
});

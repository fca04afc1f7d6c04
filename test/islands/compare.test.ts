import { expect, test } from "vitest";
import { loopOf } from "../../src/islands/compare/code.ts";
import {
  type Continuation,
  type Parting,
  partingsOf,
  partingWords,
} from "../../src/islands/compare/partings.ts";

function said(name: string, texts: string[], isDone = true): Continuation {
  return { name, texts, isDone };
}

function words(first: Continuation, other: Continuation): string {
  const [parting] = partingsOf([first, other]);
  return partingWords(first, other, parting as Parting, (text) => text);
}

test("columns part at the first character that differs, in whichever token has it", () => {
  const a = said("A", [" the", " whale"]);
  const b = said("B", [" the w", "hite"]);
  const c = said("C", [" a"]);
  expect(partingsOf([a, b, c])).toEqual([
    { name: "B", shared: 7, tokens: [1, 1], isKnown: true },
    { name: "C", shared: 1, tokens: [0, 0], isKnown: true },
  ]);
  expect(words(a, b)).toBe("B and A are alike for 7 characters: A has “ whale”, B has “hite”.");
});

test("a text that ends where another goes on parts there, and two of one text do not", () => {
  const a = said("A", ["one", " two"]);
  expect(words(a, said("B", ["one"]))).toBe(
    "B and A are alike for 3 characters: A has “ two”, B ends there.",
  );
  expect(words(a, said("B", ["one two"]))).toBe("B and A say the same.");
  expect(words(a, said("B", ["two"]))).toBe(
    "B and A differ from the start: A has “one”, B has “two”.",
  );
});

test("while a column is written that may still go on alike, nothing is known", () => {
  const a = said("A", ["one", " two"]);
  expect(partingsOf([a, said("B", ["one"], false)])[0]?.isKnown).toBe(false);
  expect(partingsOf([a, said("B", ["won"], false)])[0]?.isKnown).toBe(true);
});

test("of a column that did not end by itself, only what came is compared, and nothing is marked", () => {
  const a = said("A", ["one", " two"]);
  const cut = said("B", ["one"], false);
  expect(words(a, cut)).toBe("B and A are alike as far as B goes.");
  expect(words(said("A", ["one"], false), said("B", ["one", " two"]))).toBe(
    "B and A are alike as far as A goes.",
  );
  expect(words(a, said("B", ["one two"], false))).toBe("B and A are alike as far as both go.");
  expect(words(a, said("B", ["one", " too"], false))).toBe(
    "B and A are alike for 5 characters: A has “ two”, B has “ too”.",
  );
});

test("two characters that begin alike in memory part before and not within them", () => {
  const [parting] = partingsOf([said("A", ["a\u{1f40b}"]), said("B", ["a\u{1f433}"])]);
  expect(parting?.shared).toBe(1);
});

test("the loop has each column's fields, with those that the SDK has no argument for beside them", () => {
  const columns = [
    { name: "A", model: "local", settings: { temperature: 1, top_k: 5 } },
    { name: "B", model: "other", settings: { ignore_eos: true } },
  ];
  const python = loopOf("python", "https://example.org", 'say "so"', columns);
  expect(python).toContain('prompt = "say \\"so\\""');
  expect(python).toContain(
    '"A": {"model": "local", "temperature": 1, "extra_body": {"top_k": 5}},',
  );
  expect(python).toContain('"B": {"model": "other", "extra_body": {"ignore_eos": True}},');
  const typescript = loopOf("typescript", "https://example.org", "x", columns);
  expect(typescript).toContain('A: { model: "local", temperature: 1, top_k: 5 },');
});

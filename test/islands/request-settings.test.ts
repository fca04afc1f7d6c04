import { expect, test } from "vitest";
import { readSettings } from "../../src/islands/request/settings.ts";

function read(kind: string, value: string): unknown {
  const fields = [{ name: "field", value, dataset: { kind } }];
  const form = { querySelectorAll: () => fields } as unknown as HTMLFormElement;
  return readSettings(form).field;
}

test("a number is plain, or has commas between its thousands", () => {
  const texts = ["0.5", " 12 ", "1e-3", "-.5", "1,234", "1,234,567.5"];
  expect(texts.map((text) => read("number", text))).toEqual([
    0.5, 12, 0.001, -0.5, 1_234, 1_234_567.5,
  ]);
});

test.each(["0,1", "0,125", "1,5", "1,2345", "12,34", ",5", "1,234,5"])(
  "%s is refused and not another number",
  (text) => {
    expect(() => read("number", text)).toThrow(
      `field: “${text}” is no number. Write decimals with a point, as 0.1, and thousands as 1,234.`,
    );
  },
);

test("what is no number at all is refused without advice about commas", () => {
  for (const text of ["warm", "1 000", "Infinity"]) {
    expect(() => read("number", text)).toThrow(/is no number\.$/);
  }
});

test("ids stand between commas or spaces", () => {
  expect(read("ids", "1,234, 7\n9")).toEqual([1, 234, 7, 9]);
});

test("a line keeps its spaces, at its beginning and at its end", () => {
  expect(read("lines", " the\n\nend \n")).toEqual([" the", "end "]);
  expect(read("lines", "\\n\\n ")).toEqual(["\n\n "]);
  expect(read("lines", "\n")).toBeUndefined();
});

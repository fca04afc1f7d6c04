// The fields beside the text, as the API takes them. An empty one is left out, so that the API's default
// holds; what is in range the API judges, in its own words.
import type { Fields } from "../api/client.ts";

/** As the API has it where the field is empty. */
export const MAX_TOKENS = 16;

type Reader = (text: string) => unknown;

/** By `data-kind`. Each throws a sentence for what it cannot read. */
const readers: Readonly<Record<string, Reader>> = {
  number: readNumber,
  flag: (text) => text === "true",
  ids: (text) =>
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(readNumber),
  lines: (text) => text.split(/\r?\n/).filter(Boolean).map(unescaped),
  object: readObject,
};

/** Throws an Error that names the field. */
export function readSettings(form: HTMLFormElement): Fields {
  const fields: Record<string, unknown> = {};
  for (const input of form.querySelectorAll<HTMLInputElement>("[data-kind]")) {
    const { kind = "" } = input.dataset;
    // Spaces are part of a line.
    const isEmpty = kind === "lines" ? /^[\r\n]*$/.test(input.value) : input.value.trim() === "";
    if (isEmpty) continue;
    const text = kind === "lines" ? input.value : input.value.trim();
    try {
      fields[input.name] = readers[kind]?.(text);
    } catch (failure) {
      const words = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`${input.name}: ${words}`);
    }
  }
  return fields;
}

/** What stands in each field, by its name. */
export function typedInto(form: HTMLFormElement): Record<string, string> {
  const fields = [...form.querySelectorAll<HTMLInputElement>("[data-kind]")];
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

/** A field that nothing is known of stays as it is. */
export function typeInto(form: HTMLFormElement, texts: Readonly<Record<string, unknown>>): void {
  for (const field of form.querySelectorAll<HTMLInputElement>("[data-kind]")) {
    const text = texts[field.name];
    if (typeof text !== "string") continue;
    field.value = text;
    // What is folded and not as usual would be forgotten.
    const folded = field.closest("details");
    if (folded !== null && text !== "") folded.open = true;
  }
}

/** Plain, as 0.5 or 1e-3, or with commas between thousands. Any other comma may mean a decimal point. */
function readNumber(text: string): number {
  const isGrouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(text);
  const value = Number(isGrouped ? text.replaceAll(",", "") : text);
  if (Number.isFinite(value)) return value;
  const hint = text.includes(",")
    ? " Write decimals with a point, as 0.1, and thousands as 1,234."
    : "";
  throw new Error(`“${text}” is no number.${hint}`);
}

function readObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('Write JSON, such as {"50256": -100}.');
  }
}

/** A line of a field has no way to hold a line's end but this. */
function unescaped(line: string): string {
  const signs: Record<string, string> = { n: "\n", t: "\t", "\\": "\\" };
  return line.replaceAll(/\\([nt\\])/g, (_, letter: string) => signs[letter] ?? letter);
}

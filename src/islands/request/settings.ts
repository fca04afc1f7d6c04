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
    const text = input.value.trim();
    if (text === "") continue;
    try {
      fields[input.name] = readers[input.dataset.kind ?? ""]?.(text);
    } catch (failure) {
      const words = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`${input.name}: ${words}`);
    }
  }
  return fields;
}

function readNumber(text: string): number {
  const value = Number(text.replaceAll(/[_,\s]/g, ""));
  if (Number.isFinite(value)) return value;
  throw new Error(`“${text}” is no number.`);
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

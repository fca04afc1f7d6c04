// GPT-2's byte-level BPE. The bytes of every token stand in one table, because what a token means
// is its bytes: many are no text of their own, only a piece of a UTF-8 character.
import ranks from "gpt-tokenizer/bpeRanks/r50k_base";
import { encode, setMergeCacheSize } from "gpt-tokenizer/encoding/r50k_base";

export const VOCABULARY_SIZE = 50_257;
export const END_OF_TEXT = 50_256;
const END_OF_TEXT_TEXT = "<|endoftext|>";

/** The longest run without a split that is merged at once: merging is quadratic in its length. */
const LONGEST_MERGED_RUN_UNITS = 2048;

/**
 * Words whose merges are kept. Each new one looks for the oldest to give up, past the places of all
 * that were given up before: for 40 µs with the package's own 100,000.
 */
const KEPT_MERGES = 4_000;
setMergeCacheSize(KEPT_MERGES);

const bytesOfToken: readonly Uint8Array[] = readBytes();
const textOfToken: readonly string[] = bytesOfToken.map((bytes) => utf8(bytes));

function readBytes(): Uint8Array[] {
  const encoder = new TextEncoder();
  const table = Array.from(ranks, (entry) =>
    typeof entry === "string" ? encoder.encode(entry) : Uint8Array.from(entry),
  );
  table.push(encoder.encode(END_OF_TEXT_TEXT));
  return table;
}

/** Bytes as text; U+FFFD stands for what is no UTF-8. */
export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

export function tokenBytes(id: number): Uint8Array {
  const bytes = bytesOfToken[id];
  if (bytes === undefined) throw new RangeError(`token id ${id} is out of vocabulary`);
  return bytes;
}

/** One token decoded alone, as `tokenizer.decode([id])` does. */
export function tokenText(id: number): string {
  return textOfToken[id] ?? "";
}

/** Special tokens are found here, so none is left for the encoder to look for. */
const noneSpecial = { disallowedSpecial: new Set<string>() };

/** Token ids of a text; `<|endoftext|>` in it is the special token, as in Hugging Face's GPT-2. */
export function tokenize(text: string): number[] {
  if (text.length <= LONGEST_MERGED_RUN_UNITS && !text.includes(END_OF_TEXT_TEXT)) {
    return encode(text, noneSpecial);
  }
  const ids: number[] = [];
  for (const [i, between] of text.split(END_OF_TEXT_TEXT).entries()) {
    if (i > 0) ids.push(END_OF_TEXT);
    for (const part of splitLongRuns(between)) {
      for (const id of encode(part, noneSpecial)) ids.push(id);
    }
  }
  return ids;
}

/** Cuts only inside very long words and very long whitespace, so ordinary text is untouched. */
function splitLongRuns(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let runStart = 0;
  let inSpace = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const space = unit === 32 || (unit >= 9 && unit <= 13);
    if (space !== inSpace) {
      inSpace = space;
      runStart = i;
    }
    if (i - runStart < LONGEST_MERGED_RUN_UNITS || isLowSurrogate(unit)) continue;
    parts.push(text.slice(start, i));
    start = i;
    runStart = i;
  }
  parts.push(text.slice(start));
  return parts;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Ids outside the vocabulary decode to nothing, as in Hugging Face's fast tokenizers. */
export function decodeTokens(ids: readonly number[]): string {
  const parts = ids.map((id) => bytesOfToken[id] ?? new Uint8Array(0));
  return Buffer.concat(parts).toString("utf8");
}

const byteLetters: readonly string[] = readByteLetters();

/** GPT-2's printable letter for each byte: `Ġ` is a space. */
function readByteLetters(): string[] {
  const letters: string[] = [];
  let extra = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable =
      (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
    letters.push(String.fromCharCode(printable ? byte : extra++));
  }
  return letters;
}

/** The token as it stands in GPT-2's vocabulary file (`convert_ids_to_tokens`). */
export function vocabularyText(id: number): string {
  if (id === END_OF_TEXT) return END_OF_TEXT_TEXT;
  return Array.from(tokenBytes(id), (byte) => byteLetters[byte] ?? "").join("");
}

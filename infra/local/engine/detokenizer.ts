// Token by token to text, as vLLM does it: a token that ends inside a UTF-8 character gives no text
// until a later one completes the character. Stop strings are looked for as text appears, and what
// could be the start of one is held back from a stream.
import type { SamplingParams } from "./sampling-params.ts";
import { END_OF_TEXT, tokenBytes, utf8 } from "./tokenizer.ts";

const REPLACEMENT = "\ufffd";
/** No character has more bytes than this, so a prompt's unfinished end is within them. */
const CHARACTER_BYTES = 4;

export class Detokenizer {
  /** All text so far, including what is held back. */
  text = "";
  #pending: Uint8Array;
  #sent = 0;
  readonly #params: SamplingParams;
  readonly #heldBack: number;

  constructor(prompt: readonly number[], params: SamplingParams) {
    this.#params = params;
    this.#pending = unfinishedEnd(prompt);
    this.#heldBack =
      params.stop.length === 0 || params.includeStop
        ? 0
        : Math.max(...params.stop.map((stop) => stop.length)) - 1;
  }

  /** Adds a token's text; returns the stop string it completed, the text cut accordingly. */
  add(id: number, outputTokens: number): string | undefined {
    const before = this.text.length;
    if (!(id === END_OF_TEXT && this.#params.skipSpecialTokens)) this.#decode(id);
    const grown = this.text.length - before;
    if (grown === 0 || outputTokens <= this.#params.minTokens) return undefined;
    return this.#cutAtStop(grown);
  }

  #decode(id: number): void {
    const bytes = tokenBytes(id);
    const joined = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    const decoded = utf8(joined);
    if (decoded.endsWith(REPLACEMENT)) {
      this.#pending = joined;
      return;
    }
    this.#pending = new Uint8Array(0);
    this.text += decoded;
  }

  #cutAtStop(grown: number): string | undefined {
    for (const stop of this.#params.stop) {
      const from = Math.max(0, this.text.length - grown - stop.length + 1);
      const found = this.text.indexOf(stop, from);
      if (found < 0) continue;
      const end = this.#params.includeStop ? found + stop.length : found;
      this.text = this.text.slice(0, end);
      return stop;
    }
    return undefined;
  }

  /** Text not yet handed out; everything once the sequence has ended. */
  takeDelta(finished: boolean): string {
    let end = finished ? this.text.length : this.text.length - this.#heldBack;
    // Python would hold back whole characters; half of a surrogate pair must not go out.
    const last = this.text.charCodeAt(end - 1);
    if (!finished && last >= 0xd800 && last <= 0xdbff) end--;
    if (end <= this.#sent) return "";
    const delta = this.text.slice(this.#sent, end);
    this.#sent = end;
    return delta;
  }
}

function unfinishedEnd(prompt: readonly number[]): Uint8Array {
  const last = prompt.at(-1);
  if (last === undefined || !utf8(tokenBytes(last)).endsWith(REPLACEMENT)) {
    return new Uint8Array(0);
  }
  const bytes = Buffer.concat(prompt.slice(-CHARACTER_BYTES).map((id) => tokenBytes(id)));
  for (let start = Math.max(0, bytes.length - CHARACTER_BYTES + 1); start < bytes.length; start++) {
    const first = bytes[start] as number;
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
    if (length > bytes.length - start) return bytes.subarray(start);
  }
  return new Uint8Array(0);
}

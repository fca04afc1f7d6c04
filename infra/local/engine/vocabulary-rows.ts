// Rows of `prompt_logprobs`: `{"id":{"logprob":…,"rank":…,"decoded_token":"…"}, …}`, the prompt's own
// token first, then the best. A row of the whole vocabulary has about 4 MB, and answers have many,
// so those are put together from prepared bytes.
import type { Distribution } from "./distribution.ts";
import { logprobText } from "./json-text.ts";
import { type LogprobRow, logprobOf } from "./logprobs.ts";
import type { Scores } from "./scores.ts";
import { leavesOpen, shownText, unfinishedTokens } from "./token-text.ts";
import { VOCABULARY_SIZE } from "./tokenizer.ts";

/** From this many entries on, a row is written from prepared bytes. */
const PREPARED_FROM_ENTRIES = 2048;
const LONGEST_NUMBER_BYTES = 32;

/** Byte strings one after the other; part i is bytes[starts[i]] up to bytes[starts[i + 1]]. */
interface Pieces {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

/** A row's entries with a comma before each, and where each token's entry stands. */
interface Entries {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export class VocabularyRows {
  readonly #scores: Scores;
  #heads: Pieces | undefined;
  #ranks: Pieces | undefined;
  #texts: Pieces | undefined;
  #scratch: Buffer | undefined;
  /** The row without context is asked for most, and by every row of `--fast`. */
  #withoutContext: Entries | undefined;

  constructor(scores: Scores) {
    this.#scores = scores;
  }

  /** A row's JSON in parts; each part may be written as it is. */
  parts(row: LogprobRow): (string | Buffer)[] {
    if (row.distribution === null) return ["null"];
    const looked = row.looked === -1 ? VOCABULARY_SIZE : row.looked;
    if (looked < PREPARED_FROM_ENTRIES) return [this.#smallRow(row, row.distribution, looked)];
    const entries = this.#entries(row, row.distribution, looked);
    const { id } = row;
    const start = entries.starts[id] as number;
    const end = entries.ends[id] as number;
    if (end === 0) {
      const own = this.#smallRow(row, row.distribution, 0).slice(1, -1);
      return ["{", own, entries.bytes, "}"];
    }
    const own = entries.bytes.subarray(start + 1, end);
    return ["{", own, entries.bytes.subarray(0, start), entries.bytes.subarray(end), "}"];
  }

  #smallRow(row: LogprobRow, distribution: Distribution, looked: number): string {
    const scores = this.#scores.fill(distribution);
    const best = scores.best(looked);
    const entry = (id: number, rank: number) => {
      const text = JSON.stringify(shownText(id, row.context));
      const logprob = logprobText(logprobOf(scores.score(id)));
      return `"${id}":{"logprob":${logprob},"rank":${rank},"decoded_token":${text}}`;
    };
    // A token among the best has the rank of its place; another one the tokens at least as likely.
    const place = best.indexOf(row.id);
    const ownRank = place >= 0 ? place + 1 : scores.countAtLeast(scores.score(row.id));
    const all = [entry(row.id, ownRank)];
    best.forEach((id, i) => {
      if (id !== row.id) all.push(entry(id, i + 1));
    });
    return `{${all.join(",")}}`;
  }

  #entries(row: LogprobRow, distribution: Distribution, looked: number): Entries {
    const open = leavesOpen(row.context);
    const bare = distribution.layers.length === 0 && looked === VOCABULARY_SIZE && !open;
    if (bare && this.#withoutContext !== undefined) return this.#withoutContext;
    const entries = this.#write(distribution, looked, open ? row.context : undefined);
    if (bare) this.#withoutContext = entries;
    return entries;
  }

  #write(
    distribution: Distribution,
    looked: number,
    openContext: readonly number[] | undefined,
  ): Entries {
    const scores = this.#scores.fill(distribution);
    const { heads, ranks, texts } = this.#prepared();
    const changed = openContext === undefined ? undefined : changedTexts(openContext);
    this.#scratch ??= Buffer.allocUnsafe(largestRow(heads, ranks, texts));
    const out = this.#scratch;
    const starts = new Uint32Array(VOCABULARY_SIZE);
    const ends = new Uint32Array(VOCABULARY_SIZE);
    let at = 0;
    let lastScore = Number.NaN;
    let number = "";
    let rank = 0;
    for (const id of scores.best(looked)) {
      starts[id] = at;
      at = copy(heads, id, out, at);
      const score = scores.score(id);
      if (score !== lastScore) number = logprobText(logprobOf(score));
      lastScore = score;
      for (let i = 0; i < number.length; i++) out[at++] = number.charCodeAt(i);
      at = copy(ranks, rank++, out, at);
      const text = changed?.get(id);
      if (text === undefined) at = copy(texts, id, out, at);
      else at += out.write(text, at);
      ends[id] = at;
    }
    return { bytes: Buffer.from(out.subarray(0, at)), starts, ends };
  }

  #prepared(): { heads: Pieces; ranks: Pieces; texts: Pieces } {
    this.#heads ??= pieces((id) => `,"${id}":{"logprob":`);
    this.#ranks ??= pieces((place) => `,"rank":${place + 1},"decoded_token":`);
    this.#texts ??= pieces((id) => `${JSON.stringify(shownText(id, []))}}`);
    return { heads: this.#heads, ranks: this.#ranks, texts: this.#texts };
  }
}

/** After a token that leaves a character open, tokens that could close it have another text. */
function changedTexts(context: readonly number[]): Map<number, string> {
  return new Map(
    unfinishedTokens.map((id) => [id, `${JSON.stringify(shownText(id, context))}}`] as const),
  );
}

function pieces(write: (index: number) => string): Pieces {
  const parts = Array.from({ length: VOCABULARY_SIZE }, (_, i) => Buffer.from(write(i)));
  const starts = new Uint32Array(VOCABULARY_SIZE + 1);
  parts.forEach((part, i) => {
    starts[i + 1] = (starts[i] as number) + part.length;
  });
  return { bytes: Buffer.concat(parts), starts };
}

function copy({ bytes, starts }: Pieces, index: number, to: Buffer, at: number): number {
  const end = starts[index + 1] as number;
  let place = at;
  for (let i = starts[index] as number; i < end; i++) to[place++] = bytes[i] as number;
  return place;
}

function largestRow(...all: Pieces[]): number {
  const prepared = all.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const changed = unfinishedTokens.length * 64;
  return prepared + changed + VOCABULARY_SIZE * LONGEST_NUMBER_BYTES;
}

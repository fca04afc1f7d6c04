// What a branch's text is made of: runs that a person wrote, and tokens that a Model gave with their
// numbers. No I/O, no page. A token stays whole: cut in two, its halves find together again.
import type { Alternative } from "../model-text/scored-token.ts";

export interface Score {
  /** Whose token it is: ids of two Models are different tokens. */
  readonly model: string;
  readonly id: number;
  /** In nats. */
  readonly logprob: number;
  /** 1 is the likeliest; null where the API did not say. */
  readonly rank: number | null;
  /** The likeliest first. */
  readonly top: readonly Readonly<Alternative>[];
}

export interface Piece {
  /** Empty for a token that only begins a character, which the token that ends it has. */
  readonly text: string;
  /** Null for what a person wrote. */
  readonly score: Score | null;
  /** How many characters of the token stand in the branch before; 0 unless it was cut in two. */
  readonly from: number;
}

export type Pieces = readonly Piece[];

/** As one run that a person wrote. */
export function written(text: string): Pieces {
  return text === "" ? [] : [{ text, score: null, from: 0 }];
}

export function textOf(pieces: Pieces): string {
  return pieces.map(({ text }) => text).join("");
}

/** One after the other; what belongs together at the seam is one piece. */
export function joined(left: Pieces, right: Pieces): Pieces {
  const last = left.at(-1);
  const first = right[0];
  if (last === undefined || first === undefined || !continues(last, first)) {
    return [...left, ...right];
  }
  return [...left.slice(0, -1), { ...last, text: last.text + first.text }, ...right.slice(1)];
}

/** Before and after this many UTF-16 units; never between the two of one character. */
export function cutAt(pieces: Pieces, at: number): readonly [Pieces, Pieces] {
  let before = 0;
  for (const [index, piece] of pieces.entries()) {
    const inside = at - before;
    if (inside <= 0) return [pieces.slice(0, index), pieces.slice(index)];
    if (inside < piece.text.length) {
      const { text, from } = piece;
      const left = { ...piece, text: text.slice(0, inside) };
      const cut = piece.score === null ? 0 : from + inside;
      const right = { ...piece, text: text.slice(inside), from: cut };
      return [
        [...pieces.slice(0, index), left],
        [right, ...pieces.slice(index + 1)],
      ];
    }
    before += piece.text.length;
  }
  return [pieces, []];
}

/** Whether a cut there would part the two units of one character. */
export function partsCharacter(text: string, at: number): boolean {
  const low = text.charCodeAt(at);
  const high = text.charCodeAt(at - 1);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}

/**
 * The pieces after a person has changed the text. A token's number holds for what stands before it,
 * so those before the first change keep theirs, and all that follows is written.
 */
export function rewritten(pieces: Pieces, text: string): Pieces {
  const kept: Piece[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (piece.score === null || !text.startsWith(piece.text, length)) break;
    kept.push(piece);
    length += piece.text.length;
  }
  const isWhole = kept.length === pieces.length && length === text.length;
  // Tokens that only begin a character say nothing without the one that ends it.
  while (!isWhole && kept.at(-1)?.text === "") kept.pop();
  return joined(kept, written(text.slice(length)));
}

/** The same text without numbers: for when what stands before it is another. */
export function withoutScores(pieces: Pieces): Pieces {
  return written(textOf(pieces));
}

function continues(last: Piece, first: Piece): boolean {
  if (last.score === null || first.score === null) return last.score === first.score;
  return (
    first.from > 0 &&
    first.from === last.from + last.text.length &&
    first.score.id === last.score.id &&
    first.score.model === last.score.model &&
    first.score.logprob === last.score.logprob
  );
}

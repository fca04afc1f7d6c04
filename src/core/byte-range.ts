// Which bytes a `Range` header asks for, and where they are in a file that lies in pieces. Pure.
// https://www.rfc-editor.org/rfc/rfc9110#name-range-requests

export type ByteRange =
  /** No range, several ranges, or none that can be read: the whole is the right answer to all. */
  | { kind: "whole" }
  /** Both ends included, as in `Content-Range`. */
  | { kind: "part"; first: number; last: number }
  | { kind: "unsatisfiable" };

const SINGLE_RANGE = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i;

/** `size` is what there is now, also of a file that still grows. */
export function readRange(header: string | null, size: number): ByteRange {
  const match = SINGLE_RANGE.exec(header ?? "");
  if (match === null) return { kind: "whole" };
  const [, from = "", to = ""] = match;
  if (from === "") {
    if (to === "") return { kind: "whole" };
    const wanted = Math.min(Number(to), size);
    if (wanted === 0) return { kind: "unsatisfiable" };
    return { kind: "part", first: size - wanted, last: size - 1 };
  }
  const first = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  // An end before its beginning is no range at all.
  if (to !== "" && Number(to) < first) return { kind: "whole" };
  if (first >= size) return { kind: "unsatisfiable" };
  return { kind: "part", first, last };
}

export interface Piece<T> {
  of: T;
  bytes: number;
}

export interface PieceRange<T> {
  of: T;
  offset: number;
  length: number;
}

/** The stretches of the pieces, in order, that are the bytes from `first` to `last`. */
export function cutPieces<T>(
  pieces: readonly Piece<T>[],
  { first, last }: { first: number; last: number },
): PieceRange<T>[] {
  const cut: PieceRange<T>[] = [];
  let start = 0;
  for (const { of, bytes } of pieces) {
    const from = Math.max(first - start, 0);
    const to = Math.min(last + 1 - start, bytes);
    if (from < to) cut.push({ of, offset: from, length: to - from });
    start += bytes;
  }
  return cut;
}

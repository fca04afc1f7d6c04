// Where texts that begin alike part from the first of them. No elements.

/** One column's continuation. */
export interface Continuation {
  name: string;
  /** Of each token, in their order. */
  texts: readonly string[];
  /** Whether the Model has ended it itself: else more might come, or might have come. */
  isDone: boolean;
}

export interface Parting {
  name: string;
  /** Characters, from the beginning, that it shares with the first; never half of one. */
  shared: number;
  /** The token of the first and its own that part there; null where a text ends or is cut. */
  tokens: readonly [number | null, number | null];
  /** Whether it is known already that they part. */
  isKnown: boolean;
}

/** Of every continuation but the first. */
export function partingsOf(all: readonly Continuation[]): Parting[] {
  const [first, ...others] = all;
  if (first === undefined) return [];
  const text = first.texts.join("");
  return others.map((other) => {
    const own = other.texts.join("");
    const shared = sharedLength(text, own);
    const isKnown = (shared < text.length || first.isDone) && (shared < own.length || other.isDone);
    const tokens = [tokenAt(first.texts, shared), tokenAt(other.texts, shared)] as const;
    return { name: other.name, shared, tokens, isKnown };
  });
}

/**
 * A sentence about one of them, once nothing more comes. `show` writes a token so that its spaces can
 * be seen.
 */
export function partingWords(
  first: Continuation,
  other: Continuation,
  { shared, tokens, isKnown }: Parting,
  show: (text: string) => string,
): string {
  const named = `${other.name} and ${first.name}`;
  const [mine, theirs] = tokens;
  if (!isKnown) {
    const shorter = mine !== null ? other.name : theirs !== null ? first.name : null;
    return `${named} are alike as far as ${shorter === null ? "both go" : `${shorter} goes`}.`;
  }
  if (mine === null && theirs === null) return `${named} say the same.`;
  const alike = shared === 0 ? "differ from the start" : `are alike for ${characters(shared)}`;
  const says = ({ name, texts }: Continuation, at: number | null) =>
    at === null ? `${name} ends there` : `${name} has “${show(texts[at] ?? "")}”`;
  return `${named} ${alike}: ${says(first, mine)}, ${says(other, theirs)}.`;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at += 1;
  // Two units of one character are told apart by the second alone.
  const high = a.charCodeAt(at - 1);
  return at < most && high >= 0xd800 && high < 0xdc00 ? at - 1 : at;
}

/** The token that has the character there; null at the end. */
function tokenAt(texts: readonly string[], at: number): number | null {
  let end = 0;
  const found = texts.findIndex((text) => {
    end += text.length;
    return at < end;
  });
  return found === -1 ? null : found;
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

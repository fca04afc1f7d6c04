// The n-gram counts: a trie of token sequences up to four long, in flat arrays. A node's children
// are the tokens seen after it, sorted by id. Counts are kept as running sums over a level, so a
// count, a total and a weighted draw are each one or a few array reads.
import { VOCABULARY_SIZE } from "./tokenizer.ts";

/** Tokens of context the model looks at. */
const CONTEXT_TOKENS = 3;

export interface Level {
  /** The token of each node. */
  readonly tokens: Uint16Array;
  /** counts[i + 1] - counts[i] is how often node i was seen. */
  readonly counts: Uint32Array;
  /** Children of node i in the next level: childStarts[i] up to childStarts[i + 1]. */
  readonly childStarts: Uint32Array;
}

export interface Ngrams {
  /** levels[0] has one node for each token of the vocabulary, levels[3] the four-token ends. */
  readonly levels: readonly Level[];
}

/** The children of one node: what followed a context. */
export interface Followers {
  readonly level: Level;
  readonly start: number;
  readonly end: number;
}

/** Counts every run of one to four tokens. O(n): four counting sorts, then one pass a level. */
export function countNgrams(corpus: Uint16Array): Ngrams {
  const depth = CONTEXT_TOKENS + 1;
  const padded = new Uint16Array(corpus.length + depth);
  padded.set(corpus);
  let order: Uint32Array = Uint32Array.from({ length: corpus.length }, (_, i) => i);
  for (let offset = depth - 1; offset >= 0; offset--) order = sortByToken(order, padded, offset);
  const levels: Level[] = [];
  let parents: { start: number; end: number }[] = [{ start: 0, end: order.length }];
  for (let offset = 0; offset < depth; offset++) {
    const built = buildLevel(order, padded, offset, parents, corpus.length);
    const previous = levels.at(-1);
    if (previous !== undefined) previous.childStarts.set(built.childStarts);
    levels.push(built.level);
    parents = built.groups;
  }
  return { levels };
}

function sortByToken(order: Uint32Array, corpus: Uint16Array, offset: number): Uint32Array {
  const starts = new Uint32Array(65_537);
  for (const position of order) {
    const bucket = (corpus[position + offset] as number) + 1;
    starts[bucket] = (starts[bucket] as number) + 1;
  }
  for (let i = 1; i < starts.length; i++) {
    starts[i] = (starts[i] as number) + (starts[i - 1] as number);
  }
  const sorted = new Uint32Array(order.length);
  for (const position of order) {
    const token = corpus[position + offset] as number;
    const place = starts[token] as number;
    sorted[place] = position;
    starts[token] = place + 1;
  }
  return sorted;
}

interface BuiltLevel {
  level: Level;
  /** Where each parent's children start, for the level above. */
  childStarts: Uint32Array;
  groups: { start: number; end: number }[];
}

function buildLevel(
  order: Uint32Array,
  corpus: Uint16Array,
  offset: number,
  parents: readonly { start: number; end: number }[],
  length: number,
): BuiltLevel {
  const tokens: number[] = [];
  const groups: { start: number; end: number }[] = [];
  const childStarts = new Uint32Array(parents.length + 1);
  parents.forEach((parent, index) => {
    childStarts[index] = tokens.length;
    let nextId = 0;
    for (let i = parent.start; i < parent.end; ) {
      // The last tokens of the corpus have no full run after them; the padding is not counted.
      if ((order[i] as number) + offset >= length) {
        i++;
        continue;
      }
      const token = corpus[(order[i] as number) + offset] as number;
      const start = i;
      while (i < parent.end && corpus[(order[i] as number) + offset] === token) i++;
      // The first level has a node for every token, seen or not, so that ids are indexes.
      if (offset === 0) for (; nextId < token; nextId++) addNode(tokens, groups, nextId, i, i);
      addNode(tokens, groups, token, start, i);
      nextId = token + 1;
    }
    if (offset === 0) {
      for (; nextId < VOCABULARY_SIZE; nextId++) addNode(tokens, groups, nextId, 0, 0);
    }
  });
  childStarts[parents.length] = tokens.length;
  const counts = new Uint32Array(tokens.length + 1);
  groups.forEach((group, i) => {
    counts[i + 1] = (counts[i] as number) + (group.end - group.start);
  });
  const level = {
    tokens: Uint16Array.from(tokens),
    counts,
    childStarts: new Uint32Array(offset === CONTEXT_TOKENS ? 0 : tokens.length + 1),
  };
  return { level, childStarts, groups };
}

function addNode(
  tokens: number[],
  groups: { start: number; end: number }[],
  token: number,
  start: number,
  end: number,
): void {
  tokens.push(token);
  groups.push({ start, end });
}

/**
 * What followed each suffix of the context, the shortest suffix first. Stops at the first suffix
 * never seen: a longer one was not seen either.
 */
export function followersOf(ngrams: Ngrams, context: readonly number[]): Followers[] {
  const found: Followers[] = [];
  for (let length = 1; length <= CONTEXT_TOKENS && length <= context.length; length++) {
    const followers = descend(ngrams, context, length);
    if (followers === undefined || followers.start === followers.end) break;
    found.push(followers);
  }
  return found;
}

function descend(
  ngrams: Ngrams,
  context: readonly number[],
  length: number,
): Followers | undefined {
  let node = context[context.length - length] as number;
  for (let depth = 0; ; depth++) {
    const level = ngrams.levels[depth] as Level;
    const start = level.childStarts[node] as number;
    const end = level.childStarts[node + 1] as number;
    const next = ngrams.levels[depth + 1] as Level;
    if (depth === length - 1) return { level: next, start, end };
    node = findToken(
      next.tokens,
      start,
      end,
      context[context.length - length + depth + 1] as number,
    );
    if (node < 0) return undefined;
  }
}

function findToken(tokens: Uint16Array, start: number, end: number, token: number): number {
  let low = start;
  let high = end - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const there = tokens[middle] as number;
    if (there === token) return middle;
    if (there < token) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

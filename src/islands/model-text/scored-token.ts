// A token with what the API said of it. No DOM: numbers in, numbers out.
import type { Choice, Logprobs, PromptRow } from "../api/answers.ts";

export interface Alternative {
  id: number;
  /** Natural logarithm. */
  logprob: number;
}

/** One with its rank: 1 is the likeliest, null where the API did not say it. */
export type Ranked = Readonly<Alternative> & { readonly rank: number | null };

export interface ScoredToken {
  id: number;
  /** What it adds to the text; empty where it is a piece of a character that a later one completes. */
  text: string;
  /** Natural logarithm; null where nothing was said, as of a prompt's first token. */
  logprob: number | null;
  /** 1 is the likeliest; null where it is not among those that were asked for. */
  rank: number | null;
  /** The likeliest first. */
  alternatives: Alternative[];
  from: "prompt" | "model";
}

export interface SpanScore {
  /** Those with a log-probability. */
  tokens: number;
  nats: number;
  bits: number;
  bitsPerToken: number;
  perplexity: number;
}

/**
 * Tokens of one chunk or plain answer. Several of a chunk share its text: the last one has it. `asked`
 * is the request's `logprobs`.
 */
export function tokensOfChoice(choice: Choice, asked: number): ScoredToken[] {
  const { text, token_ids, logprobs } = choice;
  const ids = token_ids ?? (logprobs?.tokens ?? []).map(idOf);
  return ids.map((id, at) => ({
    id,
    text: at === ids.length - 1 ? text : "",
    from: "model",
    ...scoreAt(logprobs ?? null, { at, id, asked }),
  }));
}

/** Tokens of a prompt from `prompt_logprobs`; texts are for the caller to fill in. */
export function tokensOfPrompt(ids: readonly number[], rows: readonly PromptRow[]): ScoredToken[] {
  return ids.map((id, at) => {
    const row = rows[at] ?? null;
    const own = row?.[String(id)];
    const alternatives = Object.entries(row ?? {}).map(([key, { logprob }]) => ({
      id: Number(key),
      logprob,
    }));
    return {
      ...{ id, text: "", from: "prompt", logprob: own?.logprob ?? null, rank: own?.rank ?? null },
      alternatives: alternatives.sort(byLogprob),
    };
  });
}

/** Of the tokens that have a log-probability; null if none has. */
export function scoreSpan(tokens: readonly ScoredToken[]): SpanScore | null {
  const scored = tokens.flatMap(({ logprob }) => (logprob === null ? [] : [logprob]));
  if (scored.length === 0) return null;
  const nats = scored.reduce((sum, logprob) => sum - logprob, 0);
  return {
    tokens: scored.length,
    nats,
    bits: nats / Math.LN2,
    bitsPerToken: nats / Math.LN2 / scored.length,
    perplexity: Math.exp(nats / scored.length),
  };
}

/**
 * The text of each token, as parts of what they say together. Pieces of a character have none but the
 * last, which has the character; so has a special token that the text leaves out.
 */
export function splitText(
  text: string,
  ids: readonly number[],
  textOf: (id: number) => string | undefined,
): string[] {
  const parts = ids.map(() => "");
  let at = 0;
  let piece: number | null = null;
  for (const [index, id] of ids.entries()) {
    const own = textOf(id);
    if (own === undefined || own.includes("\ufffd")) {
      piece = index;
      continue;
    }
    const from = piece === null ? at : text.indexOf(own, at);
    if (from === -1 || !text.startsWith(own, from)) continue;
    if (piece !== null) parts[piece] = text.slice(at, from);
    parts[index] = own;
    piece = null;
    at = from + own.length;
  }
  const last = piece ?? ids.length - 1;
  if (ids.length > 0) parts[last] = `${parts[last]}${text.slice(at)}`;
  return parts;
}

/**
 * A token's alternatives with their ranks. The k likeliest that were asked for stand in their order; the
 * token itself stands among them also where it is less likely, and then its rank is what it says.
 */
export function ranked(token: Pick<ScoredToken, "id" | "rank" | "alternatives">): Ranked[] {
  const { id, rank, alternatives } = token;
  return alternatives.map((one, at) => ({ ...one, rank: one.id === id ? rank : at + 1 }));
}

/** The alternatives without the token itself where it is none of the likeliest. */
export function likeliest<T extends Readonly<Alternative>>(
  { id, rank }: Pick<ScoredToken, "id" | "rank">,
  alternatives: readonly T[],
): T[] {
  const isAmong = rank !== null && rank <= alternatives.length;
  return alternatives.filter((one) => isAmong || one.id !== id);
}

/** Gives each of them its own text out of what they say together. */
export function spreadTexts(
  tokens: ScoredToken[],
  textOf: (id: number) => string | undefined,
): void {
  const said = tokens.map(({ text }) => text).join("");
  const ids = tokens.map(({ id }) => id);
  const parts = splitText(said, ids, textOf);
  for (const [at, token] of tokens.entries()) token.text = parts[at] ?? "";
}

export function byLogprob(a: Alternative, b: Alternative): number {
  return b.logprob - a.logprob || a.id - b.id;
}

function scoreAt(
  logprobs: Logprobs | null,
  { at, id, asked }: { at: number; id: number; asked: number },
) {
  const logprob = logprobs?.token_logprobs[at] ?? null;
  const alternatives = alternativesOf(logprobs?.top_logprobs[at] ?? null);
  // The chosen one stands in the map also where it is not among the likeliest that were asked for:
  // then all that is known of its rank is that it is larger.
  const place = alternatives.findIndex((one) => one.id === id) + 1;
  return { logprob, alternatives, rank: place === 0 || place > asked ? null : place };
}

function alternativesOf(map: Record<string, number> | null): Alternative[] {
  return Object.entries(map ?? {})
    .map(([key, logprob]) => ({ id: idOf(key), logprob }))
    .sort(byLogprob);
}

/** Of `token_id:N`. */
export function idOf(token: string): number {
  return Number(token.slice(token.indexOf(":") + 1));
}

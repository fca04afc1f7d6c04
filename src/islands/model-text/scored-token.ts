// A token with what the API said of it. No DOM: numbers in, numbers out.
import type { Choice, Logprobs, PromptRow } from "../api/answers.ts";

export interface Alternative {
  id: number;
  /** Natural logarithm. */
  logprob: number;
}

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
 * Gives each token its own text, where the single texts make up the whole; else they stay as they are:
 * pieces of characters have no text of their own.
 */
export function spreadTexts(
  tokens: ScoredToken[],
  textOf: (id: number) => string | undefined,
): void {
  let from = 0;
  for (let to = 0; to < tokens.length; to += 1) {
    const run = tokens.slice(from, to + 1);
    const own = run.map(({ id }) => textOf(id));
    const said = run.map(({ text }) => text).join("");
    if (own.some((text) => text === undefined || text.includes("\ufffd"))) {
      if (said !== "" && tokens[to + 1]?.text !== "") from = to + 1;
      continue;
    }
    if (own.join("") !== said) continue;
    for (const [at, token] of run.entries()) token.text = own[at] ?? "";
    from = to + 1;
  }
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

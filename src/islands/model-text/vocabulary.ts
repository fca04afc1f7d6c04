// The whole distribution at one place: what is said of it. No DOM.
import type { Completion } from "../api/answers.ts";
import { type Alternative, byLogprob, idOf } from "./scored-token.ts";

interface Bin {
  /** Tokens whose probability is at least 10^exponent and below ten times that. */
  exponent: number;
  tokens: number;
  /** Their probabilities together. */
  mass: number;
}

export interface Vocabulary {
  /** The likeliest first. */
  rows: Alternative[];
  /** Of all probabilities; 1 but for what float32 loses. */
  sum: number;
  entropyBits: number;
  /** The likeliest first. */
  bins: Bin[];
}

/** What is less likely than this stands in one bin. */
const LEAST_EXPONENT = -12;

/** From an answer to `logprobs: -1`; null if it has no row. */
export function readVocabulary(answer: Completion): Vocabulary | null {
  const row = answer.choices[0]?.logprobs?.top_logprobs[0];
  if (row === undefined || row === null) return null;
  const rows = Object.entries(row).map(([key, logprob]) => ({ id: idOf(key), logprob }));
  rows.sort(byLogprob);
  const bins = new Map<number, Bin>();
  let sum = 0;
  let entropyBits = 0;
  // The small ones first, so that they are not lost beside the large.
  for (const { logprob } of rows.toReversed()) {
    const probability = Math.exp(logprob);
    sum += probability;
    entropyBits -= probability * (logprob / Math.LN2);
    const exponent = Math.max(LEAST_EXPONENT, Math.floor(logprob / Math.LN10));
    const bin = bins.get(exponent) ?? { exponent, tokens: 0, mass: 0 };
    bin.tokens += 1;
    bin.mass += probability;
    bins.set(exponent, bin);
  }
  const sorted = [...bins.values()].sort((a, b) => b.exponent - a.exponent);
  return { rows, sum, entropyBits, bins: sorted };
}

/** The probability of the `most` likeliest together. */
export function massOf({ rows }: Vocabulary, most: number): number {
  return rows.slice(0, most).reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
}

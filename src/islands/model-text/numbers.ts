// Numbers as the pages show them.
import type { ScoredToken } from "./scored-token.ts";

/** What stands for signs that cannot be seen, where a token is named rather than read. */
const signs: Readonly<Record<string, string>> = { "\n": "⏎", "\r": "␍", "\t": "⇥" };

export function visible(text: string): string {
  const shown = text.replaceAll(/[\n\r\t]/g, (sign) => signs[sign] ?? sign);
  return shown.replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length));
}

/** Four digits after the point: what two runs of a model may differ by is smaller. */
export function nats(logprob: number): string {
  return logprob.toFixed(4).replace("-", "−");
}

export function bits(logprob: number): string {
  return (-logprob / Math.LN2).toFixed(2);
}

/** Three digits that count, at any size. */
export function percent(logprob: number): string {
  const value = Math.exp(logprob) * 100;
  return `${value >= 0.01 ? Number(value.toPrecision(3)) : value.toExponential(1)} %`;
}

/** Of the Workbench and Compare: how many of the likeliest they ask for. */
export const RANKS_MOST = 20;

/** The rank of a token that is not among them. */
export const BEYOND = `over ${RANKS_MOST}`;

/** The line below a text; null while nothing is pointed at. */
export function pointedWords(token: ScoredToken | null): string {
  if (token === null || token.logprob === null) return "Point at a token to see its numbers.";
  const { text, logprob, rank } = token;
  const place = `rank ${rank ?? BEYOND}`;
  return `${visible(text)}  ${percent(logprob)}  ${nats(logprob)} nats  ${bits(logprob)} bits  ${place}`;
}

/** What a screen reader says of a token, and what hovering shows. */
export function described(name: string, { logprob, rank }: ScoredToken): string {
  if (logprob === null) return `${visible(name)}: not scored`;
  const place = rank === null ? "" : `, rank ${rank}`;
  return `${visible(name)}: ${percent(logprob)}, ${nats(logprob)} nats, ${bits(logprob)} bits${place}`;
}

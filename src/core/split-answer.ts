// Takes the answer to several prompts apart, into what each would have got alone: one choice, its own
// usage, its own id. Refuses I/O. Nothing within a choice is decoded or printed anew but three things:
// its index, which is 0 when it is alone, and the two lists of token ids, where they were asked for only
// to be counted. A list of several prompts' usage is a sum; the ids are what tells whose it was.
import {
  asciiBytes,
  findChoices,
  findTail,
  joinBytes,
  readChoiceIndex,
  startsWith,
  textOfBytes,
  type UsageFigures,
} from "./answer-bytes.ts";

export interface OwnAnswer {
  bytes: Uint8Array<ArrayBuffer>;
  usage: UsageFigures;
}

export interface SplitInput {
  /** The whole answer, to one choice a prompt, with the token ids of both sides. */
  answer: Uint8Array;
  /** The id that the request had, and those that its parts get, in the prompts' order. */
  requestId: string;
  ownIds: readonly string[];
  /** Whether the ids stay: the client had asked for them. */
  keepTokenIds: boolean;
}

/** Null where it is no such answer, or its parts do not make its sum: then it says nothing of each. */
export function splitAnswer(input: SplitInput): OwnAnswer[] | null {
  const { answer, ownIds, requestId } = input;
  const choicesAt = findChoices(answer, 0, answer.length);
  const tail = choicesAt < 0 ? null : findTail(answer, choicesAt, answer.length);
  if (tail === null) return null;
  const { usage } = tail.members;
  const choices = readChoices(answer, choicesAt, tail.choicesEnd - 1, input.keepTokenIds);
  if (choices === null || choices.length !== ownIds.length) return null;
  if (!isSumOf(usage, choices)) return null;
  const head = textOfBytes(answer, 0, choicesAt);
  return choices.map(({ bytes, usage: own }, at) => {
    const members = { ...tail.members, usage: ownUsage(usage, own) };
    const end = `]${JSON.stringify(members).replace("{", ",")}`;
    // One character a byte, on the way in and out.
    const start = head.replace(requestId, ownIds[at] ?? "");
    return { bytes: joinBytes([asciiBytes(start), ...bytes, asciiBytes(end)]), usage: own };
  });
}

interface OwnChoice {
  bytes: Uint8Array[];
  usage: UsageFigures;
}

/** In the order of their indexes, which are those of the prompts. */
function readChoices(
  answer: Uint8Array,
  from: number,
  to: number,
  keepTokenIds: boolean,
): OwnChoice[] | null {
  const choices: OwnChoice[] = [];
  for (let at = from; at < to; ) {
    if (readChoiceIndex(answer, at) !== choices.length) return null;
    const found = readChoice(answer, at, to, keepTokenIds);
    if (found === null) return null;
    choices.push(found.choice);
    if (found.end < to && answer[found.end] !== COMMA) return null;
    at = found.end + 1;
  }
  return choices;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

const INDEX = asciiBytes('"index":');
const TOKEN_IDS = asciiBytes('"token_ids":[');
const PROMPT_TOKEN_IDS = asciiBytes('"prompt_token_ids":[');
const ZERO = asciiBytes("0");
const NULL = asciiBytes("null");

/** The choice that begins at `at`, which is a `{`; null where it does not end, or has no ids. */
function readChoice(
  answer: Uint8Array,
  at: number,
  to: number,
  keepTokenIds: boolean,
): { choice: OwnChoice; end: number } | null {
  const bytes: Uint8Array[] = [];
  let taken = at;
  let promptTokens: number | null = null;
  let completionTokens: number | null = null;
  const put = (from: number, until: number, other: Uint8Array) => {
    bytes.push(answer.subarray(taken, from), other);
    taken = until;
  };
  let depth = 0;
  for (let place = at; place < to; place += 1) {
    const byte = answer[place] ?? 0;
    if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) {
      depth -= 1;
      if (depth > 0) continue;
      if (promptTokens === null || completionTokens === null) return null;
      bytes.push(answer.subarray(taken, place + 1));
      return { choice: { bytes, usage: { promptTokens, completionTokens } }, end: place + 1 };
    } else if (byte === QUOTE) {
      // A member of the choice itself: what is in a string's text stands behind a string's begin.
      const list = depth !== 1 ? null : listAt(answer, place, to);
      if (list !== null) {
        if (list.isPrompt) promptTokens = list.count;
        else completionTokens = list.count;
        if (!keepTokenIds) put(list.from, list.end, NULL);
        place = list.end - 1;
      } else if (depth === 1 && startsWith(answer, INDEX, place)) {
        const from = place + INDEX.length;
        place = endOfNumber(answer, from) - 1;
        put(from, place + 1, ZERO);
      } else place = endOfString(answer, place, to);
    }
  }
  return null;
}

/** The list of token ids whose name begins at `at`. */
function listAt(answer: Uint8Array, at: number, to: number) {
  const isPrompt = startsWith(answer, PROMPT_TOKEN_IDS, at);
  if (!isPrompt && !startsWith(answer, TOKEN_IDS, at)) return null;
  const from = at + (isPrompt ? PROMPT_TOKEN_IDS : TOKEN_IDS).length - 1;
  let count = answer[from + 1] === CLOSE_BRACKET ? 0 : 1;
  let place = from + 1;
  for (; place < to && answer[place] !== CLOSE_BRACKET; place += 1) {
    if (answer[place] === COMMA) count += 1;
  }
  return { isPrompt, from, end: place + 1, count };
}

const CLOSE_BRACKET = 0x5d;

function endOfNumber(answer: Uint8Array, from: number): number {
  let at = from;
  for (let digit = answer[at]; digit !== undefined && digit >= 0x30 && digit <= 0x39; ) {
    at += 1;
    digit = answer[at];
  }
  return at;
}

/** Its closing quote. */
function endOfString(answer: Uint8Array, quote: number, to: number): number {
  let at = quote + 1;
  for (; at < to && answer[at] !== QUOTE; at += 1) if (answer[at] === BACKSLASH) at += 1;
  return at;
}

function isSumOf(usage: unknown, choices: readonly OwnChoice[]): boolean {
  const { prompt_tokens: prompt, completion_tokens: completion } = (usage ?? {}) as {
    prompt_tokens?: unknown;
    completion_tokens?: unknown;
  };
  const sum = (of: (usage: UsageFigures) => number) =>
    choices.reduce((all, choice) => all + of(choice.usage), 0);
  return (
    prompt === sum(({ promptTokens }) => promptTokens) &&
    completion === sum(({ completionTokens }) => completionTokens)
  );
}

/** Its members as they were in the sum's, in their order. */
function ownUsage(sum: unknown, { promptTokens, completionTokens }: UsageFigures): object {
  const own: Record<string, unknown> = {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
  };
  const names = Object.keys(sum as object);
  return Object.fromEntries(names.map((name) => [name, own[name] ?? null]));
}

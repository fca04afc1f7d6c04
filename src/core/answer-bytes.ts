// Finding things in the bytes of a backend's answer without decoding it. Refuses I/O, clocks and
// decoding: the bytes of `choices` must reach the client as they are, so nothing here parses them.
//
// Why patterns of bytes are safe in JSON: inside a string a quote is always written `\"`. A pattern
// that has an unescaped quote can therefore only match where a string begins or ends, and every
// search below says why the wrong one of the two cannot be what follows. UTF-8 keeps this true: no
// byte of a longer character is below 0x80.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;

/** How far `choices` may begin from the start: id, object, created and model come before it. */
const HEAD_MAX_BYTES = 4_096;

/** Nested arrays behind `choices` make candidates that do not parse; a sane tail has no more. */
const TAIL_MAX_CANDIDATES = 64;

/** Arguments of one call; V8's stack holds many more, but not without bound. */
const CALL_MAX_ARGUMENTS = 8_192;

export function asciiBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** One character a byte, so that what is written back by `asciiBytes` is the same bytes again. */
export function textOfBytes(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at += CALL_MAX_ARGUMENTS) {
    const part = bytes.subarray(at, Math.min(to, at + CALL_MAX_ARGUMENTS));
    text += String.fromCharCode.apply(null, part as unknown as number[]);
  }
  return text;
}

export function startsWith(bytes: Uint8Array, pattern: Uint8Array, at: number): boolean {
  for (let offset = 0; offset < pattern.length; offset++) {
    if (bytes[at + offset] !== pattern[offset]) return false;
  }
  return true;
}

/** The first place of `pattern` that lies wholly in from..to, or -1. */
function indexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from: number, to: number): number {
  const first = pattern[0];
  for (let at = from; at <= to - pattern.length; at++) {
    if (bytes[at] === first && startsWith(bytes, pattern, at)) return at;
  }
  return -1;
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const CHOICES_KEY = asciiBytes(',"choices":[');

/**
 * The place just behind the `[` of `choices`, or -1. In `,"choices":[` the first quote is none of a
 * string's end, since behind an end no letter can follow; so it is a key, and the first such key is
 * the answer's own, since only plain values stand before it.
 */
export function findChoices(bytes: Uint8Array, from: number, to: number): number {
  const at = indexOfBytes(bytes, CHOICES_KEY, from, Math.min(to, from + HEAD_MAX_BYTES));
  return at < 0 ? -1 : at + CHOICES_KEY.length;
}

export interface Tail {
  /** Just behind the `]` of `choices`. */
  choicesEnd: number;
  /** The members behind `choices`, strings with one character a byte. */
  members: Readonly<Record<string, unknown>>;
}

/**
 * What stands between `choices` and the answer's last `}`, which is the byte before `to`. `from` lies
 * within `choices` or before it, on any byte.
 *
 * From the end, each `],"` is tried: it is the one if `{` and all that follows parse. A `]` deeper in
 * `choices` leaves a closing bracket too many. One inside a string has the string's own end as its
 * quote, so what follows has a quote without a partner, or a backslash where none may stand. Neither
 * parses, whatever the text or the token is. An answer whose last member is `choices` has no members.
 */
export function findTail(bytes: Uint8Array, from: number, to: number): Tail | null {
  if (bytes[to - 1] !== 0x7d) return null;
  if (bytes[to - 2] === CLOSE_BRACKET) return { choicesEnd: to - 1, members: {} };
  let candidates = 0;
  for (let at = to - 3; at >= from && candidates < TAIL_MAX_CANDIDATES; at--) {
    if (bytes[at] !== CLOSE_BRACKET || bytes[at + 1] !== COMMA || bytes[at + 2] !== QUOTE) continue;
    candidates += 1;
    const members = parseMembers(`{${textOfBytes(bytes, at + 2, to)}`);
    if (members !== null) return { choicesEnd: at + 1, members };
  }
  return null;
}

export function parseMembers(text: string): Record<string, unknown> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isObject(value) ? value : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members to keep, as they follow `choices`, and the closing brace. */
export function writeTail(
  members: Readonly<Record<string, unknown>>,
  keep: ReadonlySet<string>,
): Uint8Array {
  let text = "";
  for (const name of Object.keys(members)) {
    if (keep.has(name)) text += `,${JSON.stringify(name)}:${JSON.stringify(members[name])}`;
  }
  return asciiBytes(`${text}}`);
}

const MODEL_KEY = asciiBytes(',"model":"');

/** Where the value of `model` stands, without its quotes, or null. `choicesAt` ends the search. */
export function findModel(
  bytes: Uint8Array,
  from: number,
  choicesAt: number,
): { from: number; to: number } | null {
  const key = indexOfBytes(bytes, MODEL_KEY, from, choicesAt);
  if (key < 0) return null;
  const start = key + MODEL_KEY.length;
  for (let at = start; at < choicesAt; at++) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return { from: start, to: at };
  }
  return null;
}

const FINISH_KEY = asciiBytes(',"finish_reason":');
const BROKEN_REASONS = [asciiBytes('"abort"'), asciiBytes('"error"')];

/**
 * Whether the engine gave up on a choice in from..to. `,"finish_reason":` is a key for the same
 * reason as `,"choices":[`, and only a choice has it: the keys of other objects in `choices` are
 * token texts and ids, whose values are numbers and objects, never strings.
 */
export function hasBrokenChoice(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; ; at += FINISH_KEY.length) {
    at = indexOfBytes(bytes, FINISH_KEY, at, to);
    if (at < 0) return false;
    const value = at + FINISH_KEY.length;
    if (BROKEN_REASONS.some((reason) => startsWith(bytes, reason, value))) return true;
  }
}

const INDEX_KEY = asciiBytes('{"index":');

/** The index of the choice that begins at `at`, or -1. */
export function readChoiceIndex(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== OPEN_BRACE || !startsWith(bytes, INDEX_KEY, at)) return -1;
  let index = -1;
  for (let place = at + INDEX_KEY.length; ; place++) {
    const digit = (bytes[place] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return index;
    index = Math.max(index, 0) * 10 + digit;
  }
}

export interface UsageFigures {
  promptTokens: number;
  completionTokens: number;
}

/** vLLM's `usage` object, or null when it is none. */
export function readUsage(value: unknown): UsageFigures | null {
  if (!isObject(value)) return null;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = value;
  return isCount(promptTokens) && isCount(completionTokens)
    ? { promptTokens, completionTokens }
    : null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

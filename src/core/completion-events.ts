// A backend's SSE stream of one Completion, event by event. Refuses I/O, clocks and decoding: bytes
// go in as they were read, cut anywhere, and come out as they are to be sent.
import type { Tail, UsageFigures } from "./answer-bytes.ts";
import {
  asciiBytes,
  findChoices,
  findModel,
  findTail,
  hasBrokenChoice,
  joinBytes,
  parseMembers,
  readChoiceIndex,
  readUsage,
  startsWith,
  textOfBytes,
  writeTail,
} from "./answer-bytes.ts";
import { splitEvents } from "./event-split.ts";

/** An error event is a sentence or two; nothing larger is parsed as one. */
const ERROR_EVENT_MAX_BYTES = 65_536;

/** Above this, pieces are sent one by one rather than copied together. */
const JOIN_MAX_BYTES = 262_144;

const NEWLINE = 0x0a;
const COLON = 0x3a;
const DATA = asciiBytes("data: ");
const DONE = asciiBytes("[DONE]");
const DONE_EVENT = asciiBytes("data: [DONE]\n\n");
const EVENT_END = asciiBytes("\n\n");

export interface EventOptions {
  /** The catalogue's id, which takes the place of the served name. */
  modelId: string;
  includeUsage: boolean;
  continuousUsage: boolean;
  prompts: number;
  n: number;
}

interface StreamProgress {
  /** Null until each prompt had a chunk: an event says the tokens of its own prompt only. */
  promptTokens: number | null;
  completionTokens: number;
}

/** How the backend's stream ended. */
export type StreamEnd =
  | { how: "complete"; promptTokens: number; completionTokens: number }
  /** The engine's error object; its message may quote the prompt. */
  | { how: "engine_error"; error: Readonly<Record<string, unknown>> }
  | { how: "broken"; why: BrokenWhy };

export type BrokenWhy =
  | "choice_aborted"
  | "no_done"
  | "no_chunk"
  | "no_usage"
  | "not_an_event"
  | "event_too_large";

export interface Taken {
  /** To be sent, in this order; most often one. */
  output: readonly Uint8Array[];
  /** What the client has received once all of it is sent. */
  progress: StreamProgress;
  /** Set once, with the last event. What comes after it is of no interest. */
  end: StreamEnd | null;
}

export interface EventReader {
  take(bytes: Uint8Array): Taken;
  /** The backend closed the stream and no end was taken before. */
  closed(): Taken;
  /** Chunks so far. */
  chunks(): number;
}

interface State {
  readonly options: EventOptions;
  readonly modelBytes: Uint8Array;
  readonly kept: ReadonlySet<string>;
  readonly promptTokens: (number | undefined)[];
  readonly completionTokens: number[];
  promptsKnown: number;
  promptSum: number;
  completionSum: number;
  chunks: number;
  final: UsageFigures | null;
  output: Uint8Array[];
}

export function readEvents(options: EventOptions): EventReader {
  const kept = ["service_tier", "system_fingerprint"];
  const state: State = {
    options,
    modelBytes: asciiBytes(options.modelId),
    kept: new Set(options.continuousUsage ? [...kept, "usage"] : kept),
    promptTokens: [],
    completionTokens: [],
    promptsKnown: 0,
    promptSum: 0,
    completionSum: 0,
    chunks: 0,
    final: null,
    output: [],
  };
  const events = splitEvents();

  function take(bytes: Uint8Array): Taken {
    state.output = [];
    const end = events.split(bytes, (event, from, to) =>
      takeEvent(state, event, from, to - EVENT_END.length),
    );
    return {
      output: gather(state.output),
      progress: progressOf(state),
      end: end === "too_large" ? { how: "broken", why: "event_too_large" } : end,
    };
  }

  return {
    take,
    closed: () => ({
      output: [],
      progress: progressOf(state),
      end: { how: "broken", why: "no_done" },
    }),
    chunks: () => state.chunks,
  };
}

function gather(pieces: Uint8Array[]): Uint8Array[] {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length === 0 || length > JOIN_MAX_BYTES ? pieces : [joinBytes(pieces)];
}

function progressOf(state: State): StreamProgress {
  const known = state.promptsKnown === state.options.prompts;
  return {
    promptTokens: known ? state.promptSum : null,
    completionTokens: state.completionSum,
  };
}

/** One event in from..to, without the newlines that end it. */
function takeEvent(state: State, bytes: Uint8Array, from: number, to: number): StreamEnd | null {
  let at = from;
  // Comments and stray newlines keep a connection awake and mean nothing.
  while (at < to && (bytes[at] === COLON || bytes[at] === NEWLINE)) {
    const lineEnd = bytes.indexOf(NEWLINE, at);
    at = lineEnd < 0 || lineEnd >= to ? to : lineEnd + 1;
  }
  if (at >= to) return null;
  if (!startsWith(bytes, DATA, at)) return { how: "broken", why: "not_an_event" };
  const json = at + DATA.length;
  if (to - json === DONE.length && startsWith(bytes, DONE, json)) return takeDone(state);
  const choicesAt = findChoices(bytes, json, to);
  if (choicesAt >= 0) return takeChunk(state, bytes, at, to, choicesAt);
  if (to - json > ERROR_EVENT_MAX_BYTES) return { how: "broken", why: "not_an_event" };
  const error = parseMembers(textOfBytes(bytes, json, to));
  return error !== null && Object.hasOwn(error, "error")
    ? { how: "engine_error", error }
    : { how: "broken", why: "not_an_event" };
}

function takeDone(state: State): StreamEnd {
  if (state.chunks === 0) return { how: "broken", why: "no_chunk" };
  const { promptTokens, completionTokens } = state.final ?? progressOf(state);
  if (promptTokens === null) return { how: "broken", why: "no_usage" };
  state.output.push(DONE_EVENT);
  return { how: "complete", promptTokens, completionTokens };
}

function takeChunk(
  state: State,
  bytes: Uint8Array,
  from: number,
  to: number,
  choicesAt: number,
): StreamEnd | null {
  const tail = findTail(bytes, choicesAt, to);
  if (tail === null) return { how: "broken", why: "not_an_event" };
  const usage = readUsage(tail.members.usage);
  if (tail.choicesEnd === choicesAt + 1) {
    state.final = usage;
    if (state.options.includeUsage) sendChunk(state, bytes, from, choicesAt, tail, USAGE_KEPT);
    return null;
  }
  if (hasBrokenChoice(bytes, choicesAt, tail.choicesEnd)) {
    return { how: "broken", why: "choice_aborted" };
  }
  const index = readChoiceIndex(bytes, choicesAt);
  if (index < 0 || index >= state.options.prompts * state.options.n) {
    return { how: "broken", why: "not_an_event" };
  }
  state.chunks += 1;
  if (usage !== null) count(state, index, usage);
  sendChunk(state, bytes, from, choicesAt, tail, state.kept);
  return null;
}

const USAGE_KEPT: ReadonlySet<string> = new Set(["service_tier", "system_fingerprint", "usage"]);

/** A chunk's usage says all tokens of its choice so far, and those of its choice's prompt. */
function count(state: State, index: number, usage: UsageFigures): void {
  const prompt = Math.floor(index / state.options.n);
  const knownBefore = state.promptTokens[prompt];
  if (knownBefore === undefined) state.promptsKnown += 1;
  state.promptSum += usage.promptTokens - (knownBefore ?? 0);
  state.promptTokens[prompt] = usage.promptTokens;
  state.completionSum += usage.completionTokens - (state.completionTokens[index] ?? 0);
  state.completionTokens[index] = usage.completionTokens;
}

function sendChunk(
  state: State,
  bytes: Uint8Array,
  from: number,
  choicesAt: number,
  tail: Tail,
  kept: ReadonlySet<string>,
): void {
  const model = findModel(bytes, from, choicesAt);
  if (model === null) {
    state.output.push(bytes.subarray(from, tail.choicesEnd));
  } else {
    state.output.push(bytes.subarray(from, model.from), state.modelBytes);
    state.output.push(bytes.subarray(model.to, tail.choicesEnd));
  }
  state.output.push(writeTail(tail.members, kept), EVENT_END);
}

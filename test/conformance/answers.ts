// What a completions URL answers, as far as the cases look into it, and its bytes beside it.
import { membersOf } from "./json-members.ts";

export interface Logprobs {
  text_offset: number[];
  token_logprobs: (number | null)[];
  tokens: string[];
  top_logprobs: (Record<string, number> | null)[];
}

interface PromptLogprob {
  logprob: number;
  rank: number;
  decoded_token: string;
}

export type PromptRow = Record<string, PromptLogprob> | null;

export interface Choice {
  index: number;
  text: string;
  logprobs: Logprobs | null;
  finish_reason: string | null;
  stop_reason: number | string | null;
  token_ids?: number[] | null;
  prompt_logprobs?: PromptRow[] | null;
  prompt_token_ids?: number[] | null;
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** Undecoded. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

export interface PlainAnswer {
  headers: Headers;
  members: ReadonlyMap<string, Buffer>;
  choices: Choice[];
  usage: Usage;
}

/** One event of a stream. */
export interface Chunk {
  members: ReadonlyMap<string, Buffer>;
  /** Null in the usage chunk, whose `choices` are empty. */
  choice: Choice | null;
  usage: Usage | null;
}

export interface StreamAnswer {
  headers: Headers;
  chunks: Chunk[];
}

/** A status, an event or a shape that a completion does not have. */
class UnexpectedAnswer extends Error {
  override name = "UnexpectedAnswer";
}

function readMember<T>(members: ReadonlyMap<string, Buffer>, name: string): T | null {
  const bytes = members.get(name);
  return bytes === undefined ? null : (JSON.parse(bytes.toString("utf8")) as T);
}

export function plainAnswer({ status, headers, bytes }: RawAnswer): PlainAnswer {
  if (status !== 200) throw new UnexpectedAnswer(`status ${status}: ${excerpt(bytes)}`);
  const members = membersOf(bytes);
  const choices = readMember<Choice[]>(members, "choices");
  const usage = readMember<Usage>(members, "usage");
  if (choices === null || usage === null) {
    throw new UnexpectedAnswer(`no choices or no usage: ${excerpt(bytes)}`);
  }
  return { headers, members, choices, usage };
}

const EVENT_END = Buffer.from("\n\n");
const DATA = "data: ";

/** The payloads of the events, undecoded, comments left out. */
export function eventsOf(bytes: Buffer): Buffer[] {
  const events: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(EVENT_END, at);
    if (end < 0) throw new UnexpectedAnswer("the stream ends within an event");
    const event = bytes.subarray(at, end);
    at = end + EVENT_END.length;
    if (event[0] === 0x3a) continue;
    if (event.toString("latin1", 0, DATA.length) !== DATA) {
      throw new UnexpectedAnswer(`an event without data: ${excerpt(event)}`);
    }
    events.push(event.subarray(DATA.length));
  }
  return events;
}

export function streamAnswer({ status, headers, bytes }: RawAnswer): StreamAnswer {
  if (status !== 200) throw new UnexpectedAnswer(`status ${status}: ${excerpt(bytes)}`);
  const type = headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream")) throw new UnexpectedAnswer(`a stream of ${type}`);
  const events = eventsOf(bytes);
  if (events.pop()?.toString() !== "[DONE]") {
    throw new UnexpectedAnswer("the last event is not [DONE]");
  }
  return { headers, chunks: events.map(chunkOf) };
}

function chunkOf(event: Buffer): Chunk {
  const members = membersOf(event);
  const choices = readMember<Choice[]>(members, "choices");
  if (choices === null) throw new UnexpectedAnswer(`an event without choices: ${excerpt(event)}`);
  return { members, choice: choices[0] ?? null, usage: readMember<Usage>(members, "usage") };
}

/** The choices of a stream put together as the plain answer has them. */
export function joinChunks({ chunks }: StreamAnswer): Choice[] {
  const joined: Choice[] = [];
  for (const { choice } of chunks) {
    if (choice === null) continue;
    const before = joined[choice.index];
    joined[choice.index] = before === undefined ? choice : joinChoices(before, choice);
  }
  return joined;
}

function joinChoices(before: Choice, next: Choice): Choice {
  return {
    ...next,
    text: before.text + next.text,
    token_ids: before.token_ids == null ? null : [...before.token_ids, ...(next.token_ids ?? [])],
    prompt_token_ids: before.prompt_token_ids ?? null,
    logprobs:
      before.logprobs === null || next.logprobs === null
        ? before.logprobs
        : {
            text_offset: [...before.logprobs.text_offset, ...next.logprobs.text_offset],
            token_logprobs: [...before.logprobs.token_logprobs, ...next.logprobs.token_logprobs],
            tokens: [...before.logprobs.tokens, ...next.logprobs.tokens],
            top_logprobs: [...before.logprobs.top_logprobs, ...next.logprobs.top_logprobs],
          },
  };
}

const EXCERPT_BYTES = 160;

function excerpt(bytes: Buffer): string {
  const text = bytes.toString("utf8", 0, EXCERPT_BYTES);
  return bytes.length > EXCERPT_BYTES ? `${text} … (${bytes.length} bytes)` : text;
}

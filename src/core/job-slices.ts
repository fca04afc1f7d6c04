// Cuts a Job's items into slices on the way into the store, and bounds what an item's answer may have
// in bytes. Pure: no I/O, no clock.
import type { CompletionRequest } from "../contract/completion-request.ts";
import {
  SLICE_ANSWER_MAX_BYTES,
  SLICE_ITEMS_MOST,
  SLICE_MAX_BYTES,
  SLICE_TOKENS_MOST,
} from "../contract/job-limits.ts";
import type { InputSlice } from "../contract/jobs.ts";
import { countChoices, generatedTokens, promptTokenBound } from "./request-size.ts";

/** What an answer has around its choices: id, model, usage, and the result line it is put into. */
const ANSWER_BYTES = 1_024;
/** Names, null fields and ends of one choice. */
const CHOICE_BYTES = 512;
/** Text of a token. The mean is 4; control characters and lone bytes are written as `\u0000`. */
const TEXT_BYTES_A_TOKEN = 16;
/** A token id with its comma. */
const ID_BYTES = 8;
/** A row of `logprobs`: the token, its log-probability, its offset and the braces of its map. */
const ROW_BYTES = 96;
/** One entry of such a map: `"token_id:123456": -12.345678901234567, `. */
const ENTRY_BYTES = 64;
/** One entry of a prompt's map, which has an object with rank and text for each id. */
const PROMPT_ENTRY_BYTES = 128;

/** At most so many bytes has the answer, short of tokens with unusually long texts. */
export function answerBytesBound(request: CompletionRequest, vocabSize: number): number {
  const { n, logprobs, promptLogprobs, logprobTokenIds, echo, flags } = request;
  const entries = (asked: number | undefined) =>
    asked === undefined ? 0 : (asked === -1 ? vocabSize : asked) + 1;
  const entriesOfChoice =
    logprobTokenIds === undefined ? entries(logprobs) : logprobTokenIds.length + 1;
  const rowBytes = entriesOfChoice === 0 ? 0 : ROW_BYTES + entriesOfChoice * ENTRY_BYTES;
  const idBytes = flags.return_token_ids === true ? ID_BYTES : 0;
  const ofToken = TEXT_BYTES_A_TOKEN + rowBytes + idBytes;
  const promptTokens = promptTokenBound(request).perPrompt.reduce((sum, each) => sum + each, 0);
  const ofPromptToken =
    idBytes +
    (echo ? TEXT_BYTES_A_TOKEN + rowBytes : 0) +
    entries(promptLogprobs) * PROMPT_ENTRY_BYTES;
  const choices = countChoices(request);
  return (
    ANSWER_BYTES +
    choices * (CHOICE_BYTES + generatedTokens(request) * ofToken) +
    n * promptTokens * ofPromptToken
  );
}

/** What a slice's bounds are about. */
export interface ItemSize {
  /** Of the item's line in the store, its newline included. */
  bytes: number;
  /** At most so many has its answer. */
  answerBytes: number;
  /** At most so many are generated for it. */
  tokens: number;
}

/** Items in their order, one after the other, as slices. */
export class SliceCutter {
  readonly #slices: InputSlice[] = [];
  #open: InputSlice | null = null;
  #openAnswerBytes = 0;
  #openTokens = 0;
  #items = 0;
  #offset = 0;

  get items(): number {
    return this.#items;
  }

  add(size: ItemSize): void {
    const { bytes, answerBytes, tokens } = size;
    const large = answerBytes > SLICE_ANSWER_MAX_BYTES;
    if (!this.#fits(size)) this.#close();
    this.#open ??= { from: this.#items, items: 0, offset: this.#offset, bytes: 0, large };
    this.#open.items += 1;
    this.#open.bytes += bytes;
    this.#openAnswerBytes += answerBytes;
    this.#openTokens += tokens;
    this.#items += 1;
    this.#offset += bytes;
  }

  finish(): InputSlice[] {
    this.#close();
    return this.#slices;
  }

  #fits({ bytes, answerBytes, tokens }: ItemSize): boolean {
    const open = this.#open;
    if (open === null) return true;
    return (
      !open.large &&
      open.items < SLICE_ITEMS_MOST &&
      open.bytes + bytes <= SLICE_MAX_BYTES &&
      this.#openAnswerBytes + answerBytes <= SLICE_ANSWER_MAX_BYTES &&
      this.#openTokens + tokens <= SLICE_TOKENS_MOST
    );
  }

  #close(): void {
    if (this.#open !== null) this.#slices.push(this.#open);
    this.#open = null;
    this.#openAnswerBytes = 0;
    this.#openTokens = 0;
  }
}

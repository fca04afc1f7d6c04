// A stream that begins before its Model is Warm. Proxies and people give up on a connection that says
// nothing, so from ten seconds on it has a status and a comment now and then, which SDKs skip. What
// fails after that can only be said inside the stream, where no SDK tries again: so a start that is
// expected to outlast the wait stays silent, and ends in a 503 that they do try again.
import type { PublicError } from "../../contract/errors.ts";
import { errorCatalogue } from "../../contract/errors.ts";
import { errorBody } from "../refuse.ts";

export interface OpenStream {
  readable: ReadableStream<Uint8Array>;
  writer: WritableStreamDefaultWriter<Uint8Array>;
}

/** Most starts of a small Model on a machine that is there are over by then. */
const OPEN_AFTER_MS = 10_000;

/** Far below the 100 to 120 s after which proxies cut a silent connection. */
const COMMENT_EVERY_MS = 10_000;

const utf8 = new TextEncoder();

export function openStream(): OpenStream {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  // Its rejection is seen by the write that fails.
  writer.closed.catch(() => undefined);
  return { readable, writer };
}

export class EarlyStream {
  readonly #modelId: string;
  readonly #respond: (body: ReadableStream<Uint8Array>) => void;
  #open: OpenStream | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #gone = false;

  constructor(modelId: string, respond: (body: ReadableStream<Uint8Array>) => void) {
    this.#modelId = modelId;
    this.#respond = respond;
  }

  /** Null until it has begun. */
  get open(): OpenStream | null {
    return this.#open;
  }

  /** A comment could not be sent. */
  get gone(): boolean {
    return this.#gone;
  }

  /** From now on it waits for what should be there at `expectedAt`, at most until `deadline`. */
  wait(expectedAt: number, deadline: number): void {
    if (this.#open === null && expectedAt > deadline) return;
    this.#timer ??= setTimeout(() => void this.#comment(expectedAt), OPEN_AFTER_MS);
  }

  /** The wait is over; what comes now are events. */
  rest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Says what went wrong, and ends without `[DONE]`. */
  async fail(error: PublicError, requestId: string): Promise<void> {
    this.rest();
    const writer = this.#open?.writer;
    if (writer === undefined) return;
    await writer.write(errorEvent(error, requestId)).catch(() => undefined);
    await writer.close().catch(() => undefined);
  }

  async #comment(expectedAt: number): Promise<void> {
    if (this.#open === null) {
      this.#open = openStream();
      this.#respond(this.#open.readable);
    }
    const seconds = Math.max(1, Math.ceil((expectedAt - Date.now()) / 1_000));
    this.#timer = setTimeout(() => void this.#comment(expectedAt), COMMENT_EVERY_MS);
    const line = `: waiting for ${this.#modelId}, about ${seconds} s\n\n`;
    await this.#open.writer.write(utf8.encode(line)).catch(() => {
      this.#gone = true;
      this.rest();
    });
  }
}

/** An error inside a stream; both OpenAI SDKs raise it. */
export function errorEvent(error: PublicError, requestId: string): Uint8Array {
  const traced = errorCatalogue[error.code].status >= 500;
  const message = traced ? `${error.message} Request id: ${requestId}.` : error.message;
  return utf8.encode(`data: ${errorBody({ ...error, message })}\n\n`);
}

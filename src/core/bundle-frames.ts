// The frames in which a backend answers several Completions of one request (infra/bundle/README.md):
// a line of JSON that says whose answer follows, how it ended and how long it is, then its bytes as
// they are. Refuses I/O; nothing here decodes an answer.
import { joinBytes, textOfBytes } from "./answer-bytes.ts";

export interface Frame {
  /** Counted from 0, in the order of the request. */
  line: number;
  status: number;
  /** The header that a single answer would have had, in seconds. */
  retryAfter: string | null;
  /** May be a view of what was read. */
  body: Uint8Array;
}

/** What the backend sent is no frame, or one that is too large. */
export class FrameDefect extends Error {
  override name = "FrameDefect";
}

const LINE_FEED = 0x0a;

/** The longest head has some 80 bytes. */
const HEAD_MAX_BYTES = 1_024;

interface Head extends Omit<Frame, "body"> {
  /** Of its answer. */
  bytes: number;
  /** Where its answer begins. */
  end: number;
}

export class BundleFrames {
  readonly #bodyMaxBytes: number;
  /** Came, and is no whole frame yet. */
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** No frame is whole before so many bytes are there. */
  #needed = 1;

  constructor(bodyMaxBytes: number) {
    this.#bodyMaxBytes = bodyMaxBytes;
  }

  /** The frames that end in `chunk`. Throws `FrameDefect`. */
  read(chunk: Uint8Array): Frame[] {
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#keptBytes < this.#needed) return [];
    const bytes = this.#kept.length === 1 ? chunk : joinBytes(this.#kept);
    const frames: Frame[] = [];
    let at = 0;
    for (;;) {
      // A line without anything says that the server lives.
      while (bytes[at] === LINE_FEED) at += 1;
      const head = this.#readHead(bytes, at);
      const end = head === null ? bytes.length : head.end + head.bytes;
      if (head === null || end >= bytes.length) {
        this.#keep(bytes.subarray(at), end + 1 - at);
        return frames;
      }
      if (bytes[end] !== LINE_FEED) throw new FrameDefect("an answer is longer than its head says");
      const { line, status, retryAfter } = head;
      frames.push({ line, status, retryAfter, body: bytes.subarray(head.end, end) });
      at = end + 1;
    }
  }

  #keep(rest: Uint8Array, needed: number): void {
    this.#kept = rest.length === 0 ? [] : [rest];
    this.#keptBytes = rest.length;
    this.#needed = needed;
  }

  /** Null where it has not come to its end. */
  #readHead(all: Uint8Array, from: number): Head | null {
    const to = all.indexOf(LINE_FEED, from);
    if (to < 0 && all.length - from <= HEAD_MAX_BYTES) return null;
    const head = to < 0 ? null : parseHead(textOfBytes(all, from, to), to + 1);
    if (head === null) throw new FrameDefect("a head is none");
    if (head.bytes > this.#bodyMaxBytes) throw new FrameDefect("an answer is too large");
    return head;
  }
}

function parseHead(text: string, end: number): Head | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== "object" || parsed === null) return null;
  const { line, status, bytes, retry_after } = parsed as Record<string, unknown>;
  if (!isCount(line) || !isCount(status) || !isCount(bytes)) return null;
  const retryAfter = typeof retry_after === "string" ? retry_after : null;
  return { line, status, bytes, retryAfter, end };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

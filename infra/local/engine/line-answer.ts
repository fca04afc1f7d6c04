// The answer to one line of a bundle, gathered until it ends; then it is a frame.
import type { OutgoingHttpHeaders } from "node:http";
import type { Answer } from "./answer.ts";

export class LineAnswer implements Answer {
  destroyed = false;
  headersSent = false;
  readonly #line: number;
  readonly #ended: (frame: (string | Buffer)[]) => void;
  readonly #closing = new Set<() => void>();
  #status = 0;
  #retryAfter: string | undefined;
  #parts: (string | Buffer)[] = [];
  #bytes = 0;

  /** `ended` is called once with the line's frame, or never if the client leaves before. */
  constructor(line: number, ended: (frame: (string | Buffer)[]) => void) {
    this.#line = line;
    this.#ended = ended;
  }

  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    this.headersSent = true;
    this.#status = status;
    const retryAfter = headers["retry-after"];
    if (retryAfter !== undefined) this.#retryAfter = String(retryAfter);
  }

  write(chunk: string | Buffer): boolean {
    this.#parts.push(chunk);
    this.#bytes += Buffer.byteLength(chunk);
    return true;
  }

  end(last?: string): void {
    if (last !== undefined) this.write(last);
    this.#finish();
  }

  /** What is torn down has broken inside of the engine. */
  destroy(): void {
    this.#status = 500;
    this.#retryAfter = undefined;
    this.#parts = [];
    this.#bytes = 0;
    this.#finish();
  }

  #finish(): void {
    if (this.destroyed) return;
    const head = {
      line: this.#line,
      status: this.#status,
      bytes: this.#bytes,
      retry_after: this.#retryAfter,
    };
    this.#ended([`${JSON.stringify(head)}\n`, ...this.#parts, "\n"]);
    this.leave();
  }

  /** The client has left, or has all it gets. */
  leave(): void {
    this.destroyed = true;
    for (const listener of this.#closing) listener();
    this.#closing.clear();
  }

  /** Memory is never slower than the writer, so only "close" ever comes. */
  on(event: "close" | "drain", listener: () => void): void {
    if (event === "close") this.#closing.add(listener);
  }

  off(event: "close" | "drain", listener: () => void): void {
    if (event === "close") this.#closing.delete(listener);
  }
}

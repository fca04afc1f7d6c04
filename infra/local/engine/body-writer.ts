// Writes an answer's body with backpressure, and where a fault asks for it, badly: byte by byte, in
// a slow drip, gzipped unasked, cut off, or stuck.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { constants, createGzip, type Gzip } from "node:zlib";
import type { Answer } from "./answer.ts";
import type { Fault } from "./faults.ts";

const DRIP_BYTES = 7;

export class BodyWriter {
  readonly #response: Answer;
  readonly #fault: Fault | undefined;
  readonly #gzip: Gzip | undefined;

  constructor(response: Answer, fault: Fault | undefined) {
    this.#response = response;
    this.#fault = fault;
    if (fault?.fault === "gzip-anyway") {
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.on("data", (zipped: Buffer) => this.closed || response.write(zipped));
      gzip.on("end", () => response.end());
      this.#gzip = gzip;
    }
  }

  get closed(): boolean {
    return this.#response.destroyed;
  }

  /** Returns a promise only when the reader is slower than the writer. */
  write(chunk: string | Buffer): Promise<void> | undefined {
    const name = this.#fault?.fault;
    if (name === "split") return this.#inPieces(chunk, 1, 0);
    if (name === "drip") return this.#inPieces(chunk, DRIP_BYTES, this.#fault?.ms ?? 0);
    const target = this.#gzip ?? this.#response;
    if (this.closed || target.write(chunk)) return undefined;
    return this.#drained(target);
  }

  #drained(target: Answer | Gzip): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        target.off("drain", done);
        this.#response.off("close", done);
        resolve();
      };
      target.on("drain", done);
      this.#response.on("close", done);
    });
  }

  async #inPieces(chunk: string | Buffer, size: number, pauseMs: number): Promise<void> {
    const bytes = Buffer.from(chunk);
    this.#response.socket?.setNoDelay(true);
    for (let start = 0; start < bytes.length && !this.closed; start += size) {
      this.#response.write(bytes.subarray(start, start + size));
      await (pauseMs > 0 ? sleep(pauseMs) : nextTurn());
    }
  }

  end(last?: string): void {
    if (this.#gzip !== undefined) this.#gzip.end(last);
    else this.#response.end(last);
  }

  /** Tears the connection down once what was written has left. */
  async cut(): Promise<void> {
    await nextTurn();
    this.#response.destroy();
  }

  /** Says nothing more, until the client gives up. */
  async hang(): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => this.#response.on("close", resolve));
  }
}

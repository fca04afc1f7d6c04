// Reads one HTTP/1.1 answer from raw bytes. A general client costs more for each request than the
// fastest target does; this one skips bodies by length, so it costs the same little for all.

const HEAD_END = "\r\n\r\n";
const HEAD_MAX_CHARACTERS = 65_536;

type Part = "head" | "sized" | "chunk-size" | "chunk" | "chunk-end" | "trailer" | "complete";

export class ResponseReader {
  status = 0;
  bodyBytes = 0;
  readonly #onBody: (bytes: Buffer) => void;
  #part: Part = "head";
  /** Text of a head or a line that has not ended yet. */
  #text = "";
  /** Bytes left of the body, the chunk or the line break after it. */
  #left = 0;

  constructor(onBody: (bytes: Buffer) => void) {
    this.#onBody = onBody;
  }

  /** Takes the next bytes, which the caller may reuse afterwards; true when the answer is whole. */
  push(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length) {
      if (this.#part === "complete") throw new Error("bytes came after the end of the answer");
      at = this.#step(bytes, at);
    }
    return this.#part === "complete";
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#part) {
      case "head":
        return this.#readHead(bytes, at);
      case "sized":
      case "chunk":
        return this.#readBody(bytes, at);
      case "chunk-end":
        return this.#skip(bytes, at);
      case "chunk-size":
      case "trailer":
        return this.#readLine(bytes, at);
      case "complete":
        return bytes.length;
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#text.length;
    // The end may lie across two reads, so the search begins three characters back.
    this.#text += bytes.toString("latin1", at, Math.min(bytes.length, at + HEAD_MAX_CHARACTERS));
    const end = this.#text.indexOf(HEAD_END, Math.max(0, before - 3));
    if (end === -1) {
      if (this.#text.length > HEAD_MAX_CHARACTERS) throw new Error("the answer's head has no end");
      return bytes.length;
    }
    const head = this.#text.slice(0, end);
    this.#text = "";
    this.#startBody(head);
    return at + end + HEAD_END.length - before;
  }

  #startBody(head: string): void {
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#left = Number(length);
      this.#part = this.#left === 0 ? "complete" : "sized";
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#part = "chunk-size";
    } else {
      throw new Error("the answer has neither a length nor chunks");
    }
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#onBody(bytes.subarray(at, end));
    this.bodyBytes += end - at;
    this.#left -= end - at;
    if (this.#left === 0) {
      if (this.#part === "sized") {
        this.#part = "complete";
      } else {
        this.#part = "chunk-end";
        this.#left = 2;
      }
    }
    return end;
  }

  #skip(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#part = "chunk-size";
    return end;
  }

  #readLine(bytes: Buffer, at: number): number {
    const feed = bytes.indexOf(10, at);
    const end = feed === -1 ? bytes.length : feed + 1;
    this.#text += bytes.toString("latin1", at, end);
    if (feed === -1) return end;
    const line = this.#text.trimEnd();
    this.#text = "";
    if (this.#part === "trailer") {
      if (line === "") this.#part = "complete";
    } else {
      this.#left = Number.parseInt(line, 16);
      if (Number.isNaN(this.#left)) throw new Error("the answer has a chunk without a size");
      this.#part = this.#left === 0 ? "trailer" : "chunk";
    }
    return end;
  }
}

// One object on its way into the store while its bytes come: never more than two parts in memory.
import { hex } from "../../core/hex.ts";

/**
 * R2 wants parts of one size but the last, of at least 5 MiB, and at most 10,000.
 * https://developers.cloudflare.com/r2/objects/multipart-objects/
 */
const PART_BYTES = 5 * 1024 * 1024;

/** Most uploads are small, and are kept in a room that grows up to a part. */
const ROOM_LEAST_BYTES = 64 * 1024;

export class StoreUpload {
  readonly key: string;
  readonly #store: R2Bucket;
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #hashing = this.#digest.getWriter();
  /** What is written to now; it is a part's size before it is full. */
  #room = new Uint8Array(ROOM_LEAST_BYTES);
  #filled = 0;
  #full: Uint8Array<ArrayBuffer>[] = [];
  #spare: Uint8Array<ArrayBuffer>[] = [];
  #upload: R2MultipartUpload | null = null;
  #parts: R2UploadedPart[] = [];
  #sending: Promise<void> = Promise.resolve();
  #bytes = 0;

  constructor(store: R2Bucket, key: string) {
    this.#store = store;
    this.key = key;
    // Never awaited where the upload is aborted.
    this.#digest.digest.catch(() => undefined);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes a copy. Call `drain` between writes, so that full parts leave. */
  write(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      this.#grow(this.#filled + bytes.length - at);
      const piece = bytes.subarray(at, at + this.#room.length - this.#filled);
      this.#room.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled < PART_BYTES) continue;
      this.#full.push(this.#room);
      this.#room = this.#spare.pop() ?? new Uint8Array(PART_BYTES);
      this.#filled = 0;
    }
  }

  /** Sends full parts. Resolves when at most one is still on its way; rejects when one was lost. */
  async drain(): Promise<void> {
    for (let part = this.#full.shift(); part !== undefined; part = this.#full.shift()) {
      await this.#sending;
      this.#sending = this.#send(part);
      // Seen by whoever awaits it next.
      this.#sending.catch(() => undefined);
    }
  }

  /** Resolves when the object is there, with the SHA-256 in hex of its bytes and `told` after them. */
  async finish(told = ""): Promise<string> {
    await this.drain();
    await this.#sending;
    const last = this.#room.subarray(0, this.#filled);
    await this.#hashing.write(last);
    await this.#hashing.write(new TextEncoder().encode(told));
    await this.#hashing.close();
    if (this.#upload === null) {
      await this.#store.put(this.key, last);
    } else {
      if (last.length > 0) await this.#sendPart(this.#upload, last);
      await this.#upload.complete(this.#parts);
    }
    return hex(new Uint8Array(await this.#digest.digest));
  }

  /** Leaves nothing behind; what could not be removed now, the store removes after a week. */
  async abort(): Promise<void> {
    await this.#sending.catch(() => undefined);
    await this.#hashing.abort().catch(() => undefined);
    await this.#upload?.abort().catch(() => undefined);
  }

  #grow(needed: number): void {
    if (this.#room.length >= Math.min(needed, PART_BYTES)) return;
    const larger = new Uint8Array(Math.min(PART_BYTES, needed * 2));
    larger.set(this.#room.subarray(0, this.#filled));
    this.#room = larger;
  }

  async #send(part: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#upload ??= await this.#store.createMultipartUpload(this.key);
    await this.#hashing.write(part);
    await this.#sendPart(this.#upload, part);
    this.#spare.push(part);
  }

  async #sendPart(upload: R2MultipartUpload, part: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#parts.push(await upload.uploadPart(this.#parts.length + 1, part));
  }
}

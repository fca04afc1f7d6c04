// One connection to Redis. Replies come in the order of the commands. One that breaks fails what waits,
// and the next command opens another.
import { connect, type Socket } from "node:net";
import { decodeReply, encodeCommand, type Reply } from "./resp.ts";

interface Waiting {
  answer: (reply: Reply) => void;
  fail: (failure: Error) => void;
}

export class RedisConnection {
  readonly #path: string;
  #socket: Socket | null = null;
  #waiting: Waiting[] = [];
  #bytes = Buffer.alloc(0);

  /** `path` is that of Redis' Unix socket. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Rejects when Redis is not there. What Redis refuses is a reply. */
  send(words: readonly string[]): Promise<Reply> {
    this.#socket ??= this.#open();
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting.push({ answer: resolve, fail: reject });
    this.#socket.write(encodeCommand(words));
    return promise;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#path);
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#broken());
    return socket;
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    let at = 0;
    for (let next = decodeReply(this.#bytes); next !== null; next = decodeReply(this.#bytes, at)) {
      at = next.end;
      this.#waiting.shift()?.answer(next.reply);
    }
    this.#bytes = this.#bytes.subarray(at);
  }

  #broken(): void {
    const waiting = this.#waiting;
    this.#socket = null;
    this.#waiting = [];
    this.#bytes = Buffer.alloc(0);
    for (const { fail } of waiting) fail(new Error("Redis is not there"));
  }
}

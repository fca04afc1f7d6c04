// One keep-alive connection that does one exchange after the other.
import { connect, type Socket } from "node:net";
import type { Exchange } from "./job.ts";
import { ResponseReader } from "./response-reader.ts";

const READ_BUFFER_BYTES = 262_144;
const LINE_FEED = 10;
/** A target that is silent for so long is broken, not slow. */
const SILENCE_MS = 60_000;
/** Enough of a refusal to find its code in. */
const REFUSAL_MAX_CHARACTERS = 2_048;

interface Running {
  reader: ResponseReader;
  startedAt: number;
  firstBodyAt: number;
  lineFeeds: number;
  refusal: string;
  finish(exchange: Exchange): void;
  fail(error: Error): void;
}

export class Connection {
  readonly #socket: Socket;
  #running: Running | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(host: string, port: number): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const socket = connect({
      host,
      port,
      noDelay: true,
      // One buffer for all reads: a large answer must not measure this process's allocator.
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES),
        callback: (length, buffer) => {
          connection.#read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
    const connection = new Connection(socket);
    socket.once("connect", () => resolve(connection));
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error("no byte for a minute")));
    const end = (error: Error): void => {
      reject(error);
      connection.#running?.fail(error);
      connection.#running = null;
    };
    socket.on("error", end);
    socket.on("close", () => end(new Error("the target closed the connection")));
    return promise;
  }

  exchange(request: string): Promise<Exchange> {
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
    const running: Running = {
      reader: new ResponseReader((bytes) => noteBody(running, bytes)),
      startedAt: performance.now(),
      firstBodyAt: 0,
      lineFeeds: 0,
      refusal: "",
      finish: resolve,
      fail: reject,
    };
    this.#running = running;
    this.#socket.write(request, "latin1");
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const running = this.#running;
    if (running === null) return;
    try {
      if (!running.reader.push(bytes)) return;
      const totalMs = performance.now() - running.startedAt;
      this.#running = null;
      const { status, bodyBytes } = running.reader;
      if (status !== 200) throw new Error(`answered ${status}${codeOf(running.refusal)}`);
      const events = Math.floor(running.lineFeeds / 2);
      const firstBodyMs = running.firstBodyAt - running.startedAt;
      running.finish({ status, bodyBytes, events, firstBodyMs, totalMs });
    } catch (error) {
      running.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function noteBody(running: Running, bytes: Buffer): void {
  if (running.firstBodyAt === 0) running.firstBodyAt = performance.now();
  if (running.reader.status !== 200 && running.refusal.length < REFUSAL_MAX_CHARACTERS) {
    running.refusal += bytes.toString("latin1", 0, REFUSAL_MAX_CHARACTERS);
  }
  // JSON has no raw line feed, so each event has exactly the two at its end, and a plain answer none.
  let at = bytes.indexOf(LINE_FEED);
  while (at !== -1) {
    running.lineFeeds += 1;
    at = bytes.indexOf(LINE_FEED, at + 1);
  }
}

/** Only the code: a message may quote a prompt. */
function codeOf(refusal: string): string {
  const code = /"code": *"([a-z_]{1,64})"/.exec(refusal)?.[1];
  return code === undefined ? "" : ` ${code}`;
}

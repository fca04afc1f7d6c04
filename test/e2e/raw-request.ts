// A client that looks at every byte and can leave at any of them.
import { type ClientRequest, type IncomingHttpHeaders, request } from "node:http";
import { readStream, type SeenStream } from "./event-stream.ts";
import type { Person } from "./person.ts";
import { until } from "./until.ts";

export interface SeenAnswer {
  status: number | null;
  headers: IncomingHttpHeaders;
  body: string;
  /** How the connection ended: the answer was whole, or it broke off. */
  ended: "open" | "whole" | "broken";
}

const open = new Set<RawRequest>();

/** Leaves whatever a test left open, so that the engine is idle for the next one. */
export function leaveAll(): void {
  for (const request of open) request.leave();
}

export class RawRequest {
  readonly seen: SeenAnswer = { status: null, headers: {}, body: "", ended: "open" };
  readonly #request: ClientRequest;

  /** Sends the Completion; `body` as it is, or as JSON. */
  constructor(person: Person, body: object | string, headers: Record<string, string> = {}) {
    this.#request = request(`${person.stack.api}/completions`, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${person.key}`,
        "content-type": "application/json",
        ...headers,
      },
    });
    this.#request.on("error", () => this.#end("broken"));
    this.#request.on("response", (response) => {
      this.seen.status = response.statusCode ?? null;
      this.seen.headers = response.headers;
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        this.seen.body += text;
      });
      response.on("error", () => this.#end("broken"));
      response.on("close", () => this.#end(response.complete ? "whole" : "broken"));
    });
    open.add(this);
    if (typeof body === "string") this.#request.write(body);
    else this.#request.end(JSON.stringify({ model: "local", ...body }));
  }

  get stream(): SeenStream {
    return readStream(this.seen.body.slice(0, this.seen.body.lastIndexOf("\n\n") + 2));
  }

  get connected(): boolean {
    return this.#request.socket?.readyState === "open";
  }

  /** Sends more of a body that was begun as text. */
  write(text: string): void {
    this.#request.write(text);
  }

  finish(): void {
    this.#request.end();
  }

  chunks(count: number): Promise<SeenStream> {
    return until(
      `chunk ${count}`,
      () => this.stream,
      ({ chunks }) => chunks.length >= count,
    );
  }

  bytes(count: number): Promise<number> {
    return until(
      `byte ${count}`,
      () => this.seen.body.length,
      (length) => length >= count,
    );
  }

  /** The whole answer's text is there, though the connection may still be open. */
  answered(): Promise<SeenAnswer> {
    return until(
      "an answer",
      () => this.seen,
      ({ status, headers, body }) =>
        status !== null && body.length >= Number(headers["content-length"] ?? 1),
    );
  }

  ended(): Promise<SeenAnswer> {
    return until(
      "the end of the answer",
      () => this.seen,
      ({ ended }) => ended !== "open",
    );
  }

  /**
   * Tears the connection down, as a killed client's machine does. A polite end of its sending half
   * is noticed by a local workerd only at its next write; Cloudflare's edge tells of both at once.
   */
  leave(): void {
    this.#request.socket?.resetAndDestroy();
  }

  /** Closes the connection as an aborted `fetch` does. */
  leavePolitely(): void {
    this.#request.destroy();
  }

  #end(how: "whole" | "broken"): void {
    if (this.seen.ended === "open") this.seen.ended = how;
    open.delete(this);
  }
}

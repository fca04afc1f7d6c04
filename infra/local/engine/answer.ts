// What the routes use of Node's request and response. A line of a bundle has neither: its answer is
// gathered in memory.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { RequestError } from "./errors.ts";

export interface Asked {
  readonly headers: IncomingHttpHeaders;
}

export interface Answer {
  /** Torn down, or its client has left. */
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  /** None where there is no connection of its own. */
  readonly socket?: { setNoDelay(on: boolean): unknown } | null;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  /** False if the reader is slower than the writer; "drain" follows. */
  write(chunk: string | Buffer): boolean;
  end(last?: string): unknown;
  destroy(): unknown;
  on(event: "close" | "drain", listener: () => void): unknown;
  off(event: "close" | "drain", listener: () => void): unknown;
}

export function send(
  answer: Answer,
  status: number,
  contentType: string | undefined,
  body: string,
): void {
  answer.writeHead(status, {
    "content-length": Buffer.byteLength(body),
    ...(contentType === undefined ? {} : { "content-type": contentType }),
  });
  answer.end(body);
}

export function sendUnauthorized(answer: Answer): void {
  send(answer, 401, "application/json", '{"error":"Unauthorized"}');
}

export function sendError(answer: Answer, error: unknown): void {
  if (answer.headersSent || answer.destroyed) {
    answer.destroy();
    return;
  }
  const known =
    error instanceof RequestError
      ? error
      : new RequestError(500, "InternalServerError", "Internal server error");
  send(answer, known.status, "application/json", JSON.stringify(known.body()));
}

// Server-sent events out of bytes that come in any pieces. No I/O.

export type StreamEvent = { kind: "data"; data: string } | { kind: "comment"; text: string };

/** Reads the subset that the API sends: one `data:` line an event, and comments. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  #rest = "";

  read(bytes: Uint8Array): StreamEvent[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => eventOf(line));
  }
}

function eventOf(line: string): StreamEvent[] {
  if (line.startsWith("data: ")) return [{ kind: "data", data: line.slice(6) }];
  if (line.startsWith(":")) return [{ kind: "comment", text: line.slice(1).trim() }];
  return [];
}

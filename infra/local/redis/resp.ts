// Redis' own protocol (RESP 2), as much of it as a client needs: commands out, replies in.
// https://redis.io/docs/latest/develop/reference/protocol-spec/

export type Reply = string | number | null | RedisError | Reply[];

/** What Redis itself refuses; a broken connection is another thing. */
export class RedisError extends Error {
  override name = "RedisError";
}

export function encodeCommand(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join("")}`;
}

/** The reply that begins at `at`, and where it ends; null while it is not all there. */
export function decodeReply(bytes: Buffer, at = 0): { reply: Reply; end: number } | null {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd < 0) return null;
  const line = bytes.toString("utf8", at + 1, lineEnd);
  const end = lineEnd + 2;
  switch (String.fromCharCode(bytes[at] ?? 0)) {
    case "+":
      return { reply: line, end };
    case "-":
      return { reply: new RedisError(line), end };
    case ":":
      return { reply: Number(line), end };
    case "$":
      return decodeText(bytes, end, Number(line));
    case "*":
      return decodeList(bytes, end, Number(line));
    default:
      throw new Error("this is no reply of Redis");
  }
}

function decodeText(bytes: Buffer, at: number, length: number) {
  if (length < 0) return { reply: null, end: at };
  if (bytes.length < at + length + 2) return null;
  return { reply: bytes.toString("utf8", at, at + length), end: at + length + 2 };
}

function decodeList(bytes: Buffer, at: number, length: number) {
  if (length < 0) return { reply: null, end: at };
  const list: Reply[] = [];
  let end = at;
  for (let i = 0; i < length; i++) {
    const one = decodeReply(bytes, end);
    if (one === null) return null;
    list.push(one.reply);
    end = one.end;
  }
  return { reply: list, end };
}

// Where the members of a JSON object stand in its bytes. The gateway promises the bytes of `choices`
// as the engine wrote them, so they are compared as bytes; this scanner shares no code with the
// gateway's own, or both could be wrong alike.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** The index behind the string that begins at `at`. */
function afterString(bytes: Buffer, at: number): number {
  for (let place = at + 1; place < bytes.length; place++) {
    if (bytes[place] === BACKSLASH) place++;
    else if (bytes[place] === QUOTE) return place + 1;
  }
  throw new Error("a string does not end");
}

/** The index behind the value that begins at `at`: a comma or bracket of the object around it. */
function afterValue(bytes: Buffer, at: number): number {
  let depth = 0;
  let place = at;
  while (place < bytes.length) {
    const byte = bytes[place] ?? 0;
    if (byte === QUOTE) {
      place = afterString(bytes, place);
      continue;
    }
    if (depth === 0 && (byte === COMMA || CLOSING.has(byte))) return place;
    if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte)) depth--;
    place++;
  }
  throw new Error("a value does not end");
}

/** The raw bytes of each member's value, in the order they were written. Compact JSON only. */
export function membersOf(bytes: Buffer): Map<string, Buffer> {
  if (bytes[0] !== 0x7b) throw new Error("this is no JSON object");
  const members = new Map<string, Buffer>();
  let at = 1;
  while (bytes[at] === QUOTE) {
    const keyEnd = afterString(bytes, at);
    const key = JSON.parse(bytes.toString("utf8", at, keyEnd)) as string;
    const valueEnd = afterValue(bytes, keyEnd + 1);
    if (members.has(key)) throw new Error(`\`${key}\` stands there twice`);
    members.set(key, bytes.subarray(keyEnd + 1, valueEnd));
    at = valueEnd + 1;
  }
  if (at !== bytes.length) throw new Error("bytes follow the object");
  return members;
}

// Crockford's base 32 in lower case: no letter that reads like a digit, and a double click takes it
// whole. https://www.crockford.com/base32.html

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Five bits a character, the last one filled up with zeros. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(buffer << (5 - bits)) & 31] : text;
}

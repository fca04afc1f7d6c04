// An ECDSA signature over P-256 as others send it (DER, RFC 3279 section 2.2.3) and as Web Crypto
// verifies it (r and s, 32 bytes each). Decides only; no I/O.

const SCALAR_BYTES = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Null for what is no such signature, to the byte: no other form of the same numbers is taken. */
export function rawFromDer(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return null;
  const r = integerAt(der, 2);
  if (r === null) return null;
  const s = integerAt(der, r.end);
  if (s === null || s.end !== der.length) return null;
  const raw = new Uint8Array(2 * SCALAR_BYTES);
  raw.set(r.magnitude, SCALAR_BYTES - r.magnitude.length);
  raw.set(s.magnitude, 2 * SCALAR_BYTES - s.magnitude.length);
  return raw;
}

/** A positive number of at most 256 bits; one more zero byte stands before a first bit that is set. */
function integerAt(der: Uint8Array, at: number): { magnitude: Uint8Array; end: number } | null {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== INTEGER || length === 0 || end > der.length) return null;
  const [first = 0, second = 0] = der.subarray(at + 2, end);
  if (first >= 0x80 || (first === 0 && length > 1 && second < 0x80)) return null;
  const magnitude = der.subarray(first === 0 ? at + 3 : at + 2, end);
  return magnitude.length > SCALAR_BYTES ? null : { magnitude, end };
}

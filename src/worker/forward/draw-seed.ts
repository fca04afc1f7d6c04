/** vLLM's own default seed is 0 at every start, so unseeded samples would repeat. 0 to 2^53-1. */
export function drawSeed(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1f_ffff) * 2 ** 32 + low;
}

// Reading a body with a bound, so that no backend decides how much memory an answer takes.

/** At most `maxBytes` of the body, as text; the rest is not read. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  while (left >= 0) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value.subarray(0, left), { stream: true });
    // A body of just `maxBytes` is read to its end, so that its connection can be used again.
    left -= value.length;
  }
  await reader.cancel();
  return text;
}

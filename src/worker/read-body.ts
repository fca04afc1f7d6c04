import { Refused } from "./refuse.ts";

/**
 * Reads a JSON body of at most `maxBytes`, counted while reading: a chunked body has no
 * Content-Length to trust. Throws `Refused`: 415, 413 or 400.
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Refused({
      code: "unsupported_media_type",
      message: "The body must be JSON, sent with the header content-type: application/json.",
    });
  }
  return parseJson(await readText(request, maxBytes));
}

/** Throws `Refused` 400. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message would quote the body.
    throw new Refused({ code: "invalid_request", message: "The body is no valid JSON." });
  }
}

/** For whole bodies: made once, since it keeps nothing between two of them. */
const wholeDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** At most `maxBytes` of UTF-8. Throws `Refused`: 413 or 400. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  try {
    // HTTP's framing ends a body at the length it declares; reading that at once is one wait.
    const declared = Number(request.headers.get("content-length") ?? Number.NaN);
    if (declared <= maxBytes) return wholeDecoder.decode(await request.arrayBuffer());
    return await readCounting(request, maxBytes);
  } catch (failure) {
    if (failure instanceof Refused) throw failure;
    throw new Refused({
      code: "invalid_request",
      message: "The body broke off, or is no valid UTF-8.",
    });
  }
}

async function readCounting(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const reader = request.body?.getReader();
  let bytes = 0;
  let text = "";
  for (;;) {
    const { done, value: chunk } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new Refused({
        code: "request_too_large",
        message: `The body has more than ${maxBytes} bytes. Split the request.`,
      });
    }
    text += decoder.decode(chunk, { stream: true });
  }
}

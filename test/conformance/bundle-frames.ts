// Reads the answer to several Completions in one request. It shares no code with the gateway's reader,
// or both could be wrong alike.

export interface Frame {
  line: number;
  status: number;
  bytes: Buffer;
  retryAfter: string | null;
}

interface FrameHead {
  line: number;
  status: number;
  bytes: number;
  retry_after?: string;
}

const NEWLINE = 0x0a;

/** In the order they came; the blank lines between them, which only say that the server lives, are none. */
export function framesOf(answer: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < answer.length; ) {
    if (answer[at] === NEWLINE) {
      at++;
      continue;
    }
    const headEnd = answer.indexOf(NEWLINE, at);
    if (headEnd < 0) throw new Error("the answer ends within a frame's head");
    const head = JSON.parse(answer.toString("utf8", at, headEnd)) as FrameHead;
    const end = headEnd + 1 + head.bytes;
    if (answer[end] !== NEWLINE) throw new Error(`frame ${head.line} is not as long as it says`);
    const bytes = answer.subarray(headEnd + 1, end);
    frames.push({
      line: head.line,
      status: head.status,
      bytes,
      retryAfter: head.retry_after ?? null,
    });
    at = end + 1;
  }
  return frames;
}

// Reads the answer of a bundle byte by byte as its README says, and takes nothing else for one.
export interface Frame {
  line: number;
  status: number;
  bytes: number;
  retry_after?: string;
  body: string;
}

/** Each frame as soon as it is there, "alive" for an empty line; ends where the answer does. */
export async function* framesOf(response: Response): AsyncGenerator<Frame | "alive", void> {
  if (response.body === null) throw new Error("a bundle's answer has a body");
  let held = Buffer.alloc(0);
  const reader = response.body.getReader();
  const more = async () => {
    const { value, done } = await reader.read();
    if (value !== undefined) held = Buffer.concat([held, value]);
    return !done;
  };
  const take = (bytes: number) => {
    const taken = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return taken;
  };
  for (;;) {
    let end = held.indexOf("\n");
    for (; end === -1; end = held.indexOf("\n")) {
      if (await more()) continue;
      if (held.length > 0) throw new Error(`broken off in a frame's head: ${held.toString()}`);
      return;
    }
    const head = take(end + 1).toString();
    if (head === "\n") {
      yield "alive";
      continue;
    }
    const frame = JSON.parse(head) as Omit<Frame, "body">;
    while (held.length <= frame.bytes) {
      if (!(await more())) throw new Error(`broken off in the frame of line ${frame.line}`);
    }
    const body = take(frame.bytes).toString();
    if (take(1).toString() !== "\n") throw new Error(`no end behind the bytes of ${frame.line}`);
    yield { ...frame, body };
  }
}

export async function allFrames(response: Response): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of framesOf(response)) if (frame !== "alive") frames.push(frame);
  return frames;
}

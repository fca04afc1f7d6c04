// A plain answer. Small ones are read whole; larger ones flow through in large reads, with the last
// one held back until the end is known: `usage` and what must be changed stand there.
import { joinBytes } from "../../core/answer-bytes.ts";
import {
  type PlainTail,
  type Replacement,
  rewriteHead,
  rewriteTail,
  TAIL_BYTES,
} from "../../core/plain-answer.ts";
import { READ_BYTES, SMALL_ANSWER_BYTES } from "./forward-limits.ts";
import type { Ending, Forwarded, ForwardInput, Progress } from "./forwarded.ts";
import { refusedBy } from "./forwarded.ts";
import { notACompletion, timedOut } from "./judge-status.ts";
import type { Watch } from "./watch.ts";

const CONTENT_TYPE = "application/json";

export async function forwardPlain(
  input: ForwardInput,
  response: Response,
  upstream: ReadableStream<Uint8Array>,
  watch: Watch,
): Promise<Forwarded> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  if (length <= SMALL_ANSWER_BYTES) return answerWhole(input, response, watch);
  const { readable, writable } = new IdentityTransformStream();
  const flow: Flow = {
    input,
    watch,
    reader: upstream.getReader({ mode: "byob" }),
    writer: writable.getWriter(),
    progress: { promptTokens: null, completionTokens: 0 },
  };
  flow.writer.closed.catch(() => undefined);
  return {
    kind: "answer",
    contentType: CONTENT_TYPE,
    body: readable,
    ended: passOn(flow),
    progress: () => ({ ...flow.progress }),
    cut: (error) => watch.stop({ why: "cut", error }),
  };
}

async function answerWhole(
  input: ForwardInput,
  response: Response,
  watch: Watch,
): Promise<Forwarded> {
  const { idleMs } = input.limits;
  watch.wait(idleMs, () => watch.stop({ why: "timeout", error: timedOut("answer", idleMs) }));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const head = rewriteHead(bytes, input.modelId);
  const tail = rewriteTail(bytes);
  if (head === null || tail === null || watch.stopped() !== null) {
    return refusedBy(watch, notACompletion);
  }
  return {
    kind: "answer",
    contentType: CONTENT_TYPE,
    body: replace(bytes, [head, tail.replacement]),
    ended: Promise.resolve({ how: "complete", ...tail.usage }),
    progress: () => tail.usage,
    cut: () => undefined,
  };
}

interface Flow {
  input: ForwardInput;
  watch: Watch;
  reader: ReadableStreamBYOBReader;
  writer: WritableStreamDefaultWriter<Uint8Array>;
  progress: Progress;
}

/** The client's connection breaks unless the answer is whole: a clean end would pass for one. */
async function passOn(flow: Flow): Promise<Ending> {
  const { watch, reader, writer, progress } = flow;
  watch.onStop(() => {
    void reader.cancel().catch(() => undefined);
    void writer.abort(new Error("the answer broke off")).catch(() => undefined);
  });
  const tail = await copy(flow).catch(() => null);
  if (tail !== null) {
    Object.assign(progress, tail.usage);
    return { how: "complete", ...tail.usage };
  }
  const stop = watch.stopped();
  watch.stop({ why: "cut", error: notACompletion });
  if (stop === null || stop.why === "timeout") return { how: "backend_failed", ...progress };
  return { how: stop.why, ...progress };
}

/** Null when the answer is not whole. Rejects when the backend or the client breaks off. */
async function copy(flow: Flow): Promise<PlainTail | null> {
  const { watch, writer, input } = flow;
  const spare: ArrayBuffer[] = [];
  const first = await read(flow, spare);
  if (first === null) return null;
  const head = rewriteHead(first, input.modelId);
  if (head === null) return null;
  let held = first.subarray(head.to);
  let written = write(writer, replace(first.subarray(0, head.to), [head]));
  for (;;) {
    // The next read runs while the client takes what was written last.
    const next = await read(flow, spare);
    watch.wait(input.limits.clientStallMs, () => watch.stop({ why: "client_left" }));
    await written;
    if (next !== null && next.length >= TAIL_BYTES) {
      const passed = held;
      written = write(writer, passed).then(() => void spare.push(passed.buffer));
      written.catch(() => undefined);
      held = next;
      continue;
    }
    // Less than was asked for is the answer's end; the tail may begin in what is held.
    const last = next === null ? held : joinBytes([held, next]);
    const tail = rewriteTail(last);
    if (tail === null) return null;
    await writer.write(replace(last, [tail.replacement]));
    await writer.close();
    return tail;
  }
}

/** Its rejection is seen where it is awaited, which may be after another one. */
function write(writer: WritableStreamDefaultWriter<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const written = writer.write(bytes);
  written.catch(() => undefined);
  return written;
}

/** At least `TAIL_BYTES`, less only at the end; null behind it. */
async function read(
  { watch, reader, input }: Flow,
  spare: ArrayBuffer[],
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { idleMs } = input.limits;
  watch.wait(idleMs, () => watch.stop({ why: "timeout", error: timedOut("further byte", idleMs) }));
  const room = new Uint8Array(spare.pop() ?? new ArrayBuffer(READ_BYTES));
  const { done, value } = await reader.readAtLeast(TAIL_BYTES, room);
  return done || value.length === 0 ? null : value;
}

/** `bytes` with the replacements in their order, none of which overlap. */
function replace(bytes: Uint8Array, replacements: readonly Replacement[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, bytes: other } of replacements) {
    parts.push(bytes.subarray(at, from), other);
    at = to;
  }
  parts.push(bytes.subarray(at));
  return joinBytes(parts);
}

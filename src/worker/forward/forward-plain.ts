// A plain answer. Small ones are read whole; larger ones flow through in large reads, with the last
// one held back until the end is known: `usage` and what must be changed stand there. In workerd a
// loop over a default reader is seven times slower, a JavaScript TransformStream ten times and more.

import { joinBytes } from "../../core/answer-bytes.ts";
import type { CompletionEnd } from "../../core/charge.ts";
import {
  type PlainTail,
  type Replacement,
  replaceBytes,
  rewriteHead,
  rewriteTail,
  rewriteWhole,
  TAIL_BYTES,
} from "../../core/plain-answer.ts";
import { READ_BYTES, SMALL_ANSWER_BYTES } from "./forward-limits.ts";
import type { Forwarded, ForwardInput, Progress } from "./forwarded.ts";
import { refusedBy } from "./forwarded.ts";
import { notACompletion, timedOut } from "./judge-status.ts";
import type { Watch } from "./watch.ts";

const CONTENT_TYPE = "application/json";

interface Upstream {
  input: ForwardInput;
  watch: Watch;
  reader: ReadableStreamBYOBReader;
  /** Buffers to read into; what was written to the client is read into again. */
  spare: ArrayBuffer[];
}

interface Client {
  writer: WritableStreamDefaultWriter<Uint8Array>;
  progress: Progress;
}

export async function forwardPlain(
  input: ForwardInput,
  response: Response,
  body: ReadableStream<Uint8Array>,
  watch: Watch,
): Promise<Forwarded> {
  if (isSmall(response.headers)) {
    return answerWhole(input, new Uint8Array(await response.arrayBuffer()), watch);
  }
  const upstream = { input, watch, reader: body.getReader({ mode: "byob" }), spare: [] };
  // An aborted fetch does not by itself end a read that waits; cancelling does.
  watch.onStop(() => void upstream.reader.cancel().catch(() => undefined));
  const first = await read(upstream);
  if (first === null) return refusedBy(watch, notACompletion);
  if (first.length < TAIL_BYTES) return answerWhole(input, first, watch);
  const head = rewriteHead(first, input.modelId);
  if (head === null) return refusedBy(watch, notACompletion);
  return answerFlowing(upstream, first, head);
}

/** A compressed body's length says nothing of what it becomes. */
function isSmall(headers: Headers): boolean {
  const length = Number(headers.get("content-length") ?? Number.NaN);
  return length <= SMALL_ANSWER_BYTES && !headers.has("content-encoding");
}

function answerWhole(input: ForwardInput, bytes: Uint8Array, watch: Watch): Forwarded {
  const whole = rewriteWhole(bytes, input.modelId);
  if (whole === null || watch.stopped() !== null) return refusedBy(watch, notACompletion);
  const { body, usage } = whole;
  return {
    kind: "answer",
    contentType: CONTENT_TYPE,
    body,
    ended: Promise.resolve({ how: "complete", ...usage }),
    progress: () => usage,
  };
}

function answerFlowing(upstream: Upstream, first: Uint8Array, head: Replacement): Forwarded {
  const { readable, writable } = new IdentityTransformStream();
  const client: Client = {
    writer: writable.getWriter(),
    progress: { promptTokens: null, completionTokens: 0 },
  };
  // Its rejection is seen by the write that fails.
  client.writer.closed.catch(() => undefined);
  return {
    kind: "answer",
    contentType: CONTENT_TYPE,
    body: readable,
    ended: passOn(upstream, client, first, head),
    progress: () => ({ ...client.progress }),
  };
}

/** The client's connection breaks unless the answer is whole: a clean end would pass for one. */
async function passOn(
  upstream: Upstream,
  client: Client,
  first: Uint8Array,
  head: Replacement,
): Promise<CompletionEnd> {
  const { watch } = upstream;
  watch.onStop(() => {
    void client.writer.abort(new Error("the answer broke off")).catch(() => undefined);
  });
  const tail = await copy(upstream, client, first, head).catch(() => null);
  if (tail !== null) {
    Object.assign(client.progress, tail.usage);
    return { how: "complete", ...tail.usage };
  }
  const stop = watch.stopped();
  watch.stop({ why: "cut", error: notACompletion });
  if (stop === null || stop.why === "timeout") return { how: "backend_failed", ...client.progress };
  return { how: stop.why, ...client.progress };
}

/** Null when the answer is not whole. Rejects when the backend or the client breaks off. */
async function copy(
  upstream: Upstream,
  { writer }: Client,
  first: Uint8Array,
  head: Replacement,
): Promise<PlainTail | null> {
  const { watch, input, spare } = upstream;
  const send = (bytes: Uint8Array): Promise<void> => {
    const sent = writer.write(bytes);
    // Seen here first: it may be awaited only after a read that fails for another reason.
    sent.catch(() => watch.stop({ why: "client_left" }));
    return sent;
  };
  let held = first.subarray(head.to);
  let sent = send(replaceBytes(first.subarray(0, head.to), [head]));
  for (;;) {
    // The next read runs while the client takes what was sent last.
    const next = await read(upstream);
    watch.wait(input.limits.clientStallMs, () => watch.stop({ why: "client_left" }));
    await sent;
    if (next !== null && next.length >= TAIL_BYTES) {
      const passed = held;
      sent = send(passed).then(() => keepSpare(spare, passed.buffer));
      sent.catch(() => undefined);
      held = next;
      continue;
    }
    // Less than was asked for is the answer's end; the tail may begin in what is held.
    const last = next === null ? held : joinBytes([held, next]);
    const tail = rewriteTail(last);
    if (tail === null) return null;
    await send(replaceBytes(last, [tail.replacement]));
    await writer.close();
    return tail;
  }
}

function keepSpare(spare: ArrayBuffer[], buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === READ_BYTES) spare.push(buffer);
}

/** At least `TAIL_BYTES`, less only at the end; null behind it. */
async function read({ watch, reader, input, spare }: Upstream): Promise<Uint8Array | null> {
  const { idleMs } = input.limits;
  watch.wait(idleMs, () => watch.stop({ why: "timeout", error: timedOut("further byte", idleMs) }));
  const room = new Uint8Array(spare.pop() ?? new ArrayBuffer(READ_BYTES));
  const { done, value } = await reader.readAtLeast(TAIL_BYTES, room);
  return done || value.length === 0 ? null : value;
}

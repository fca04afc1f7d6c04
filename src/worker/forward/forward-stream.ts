// An SSE answer. The first event is read before there is a status, since several of vLLM's errors
// exist only inside a 200; then every event is passed on as soon as it is complete.

import type { PublicError } from "../../contract/errors.ts";
import type { CompletionEnd } from "../../core/charge.ts";
import {
  type EventReader,
  readEvents,
  type StreamEnd,
  type Taken,
} from "../../core/completion-events.ts";
import { errorEvent, openStream } from "./early-stream.ts";
import { DRAIN_MAX_BYTES, DRAIN_MS } from "./forward-limits.ts";
import type { Forwarded, ForwardInput, Progress } from "./forwarded.ts";
import { refusedBy } from "./forwarded.ts";
import { judgeBroken, judgeEngineError, timedOut, unreachable } from "./judge-status.ts";
import type { Watch } from "./watch.ts";

interface Pump {
  input: ForwardInput;
  watch: Watch;
  events: EventReader;
  reader: ReadableStreamDefaultReader<Uint8Array>;
}

export async function forwardStream(
  input: ForwardInput,
  upstream: ReadableStream<Uint8Array>,
  watch: Watch,
): Promise<Forwarded> {
  const pump: Pump = { input, watch, events: readEvents(input), reader: upstream.getReader() };
  // An aborted fetch does not by itself end a read that waits; cancelling does.
  watch.onStop(() => void pump.reader.cancel().catch(() => undefined));
  let first: Taken;
  do {
    first = await takeNext(pump, input.limits.firstTokenMs, "token");
    if (watch.stopped() !== null) return refusedBy(watch, unreachable);
    if (pump.events.chunks() === 0 && first.end !== null) {
      return refusedBy(watch, errorOfEnd(first.end));
    }
  } while (pump.events.chunks() === 0);

  const { readable, writer } = input.open ?? openStream();
  const delivered: Progress = { promptTokens: null, completionTokens: 0 };
  return {
    kind: "answer",
    contentType: "text/event-stream; charset=utf-8",
    body: readable,
    ended: passOn(pump, first, writer, delivered),
    progress: () => ({ ...delivered }),
  };
}

/** The next read, taken apart. A broken connection is an end like any other. */
async function takeNext(pump: Pump, limitMs: number, waitedFor: string): Promise<Taken> {
  const { watch, events, reader } = pump;
  watch.wait(limitMs, () => watch.stop({ why: "timeout", error: timedOut(waitedFor, limitMs) }));
  try {
    const { done, value } = await reader.read();
    return done ? events.closed() : events.take(value);
  } catch {
    return events.closed();
  } finally {
    watch.rest();
  }
}

async function passOn(
  pump: Pump,
  first: Taken,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  delivered: Progress,
): Promise<CompletionEnd> {
  const { input, watch } = pump;
  watch.onStop(({ why }) => {
    if (why === "client_left") void writer.abort().catch(() => undefined);
  });
  const leave = (): CompletionEnd => {
    watch.stop({ why: "client_left" });
    return { how: "client_left", ...delivered };
  };
  for (let taken = first; ; taken = await takeNext(pump, input.limits.idleMs, "further token")) {
    if (watch.stopped() !== null) break;
    if (!(await deliver(pump, writer, taken.output))) return leave();
    Object.assign(delivered, taken.progress);
    if (taken.end?.how === "complete") return finish(pump, writer, taken.end);
    if (taken.end !== null) {
      watch.stop({ why: "cut", error: errorOfEnd(taken.end) });
      return endWithError(pump, writer, errorOfEnd(taken.end), {
        how: "backend_failed",
        ...delivered,
      });
    }
  }
  const stop = watch.stopped();
  if (stop === null || stop.why === "client_left") return leave();
  const how = stop.why === "cut" ? "cut" : "backend_failed";
  return endWithError(pump, writer, stop.error, { how, ...delivered });
}

/** False when the client is gone. A write resolves when the runtime has taken its bytes. */
async function deliver(
  { input, watch }: Pump,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  output: readonly Uint8Array[],
): Promise<boolean> {
  try {
    for (const bytes of output) {
      watch.wait(input.limits.clientStallMs, () => {
        watch.stop({ why: "client_left" });
        void writer.abort().catch(() => undefined);
      });
      await writer.write(bytes);
    }
    return true;
  } catch {
    return false;
  } finally {
    watch.rest();
  }
}

/** All is delivered. The rest of the connection is read, so that it can serve another request. */
async function finish(
  { watch, reader }: Pump,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  end: CompletionEnd,
): Promise<CompletionEnd> {
  await writer.close().catch(() => undefined);
  watch.wait(DRAIN_MS, () => void reader.cancel().catch(() => undefined));
  try {
    for (let left = DRAIN_MAX_BYTES; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) return end;
      left -= value.length;
    }
    await reader.cancel();
  } catch {
    // The answer was complete; how its connection ends changes nothing.
  }
  return end;
}

/** An error event and the end, never `[DONE]`: both OpenAI SDKs take a bare end as success. */
async function endWithError(
  pump: Pump,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  error: PublicError,
  ending: CompletionEnd,
): Promise<CompletionEnd> {
  const event = errorEvent(error, pump.input.requestId);
  if (await deliver(pump, writer, [event])) await writer.close().catch(() => undefined);
  return ending;
}

function errorOfEnd(end: StreamEnd): PublicError {
  switch (end.how) {
    case "engine_error":
      return judgeEngineError(end.error);
    case "broken":
      return judgeBroken(end.why);
    case "complete":
      return judgeBroken("no_chunk");
  }
}

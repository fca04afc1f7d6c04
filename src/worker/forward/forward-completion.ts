// One Completion's way to the backend and back. Accounting is the caller's: this part says what the
// client received and how it ended.
import { ERROR_BODY_MAX_BYTES } from "./forward-limits.ts";
import { forwardPlain } from "./forward-plain.ts";
import { forwardStream } from "./forward-stream.ts";
import { type Forwarded, type ForwardInput, refusedBy } from "./forwarded.ts";
import { judgeStatus, notACompletion, timedOut, unreachable } from "./judge-status.ts";
import { readText } from "./read-bounded.ts";
import { callBackend } from "./upstream-call.ts";
import type { Watch } from "./watch.ts";

export type { ForwardedAnswer } from "./forwarded.ts";
export type { Backend } from "./upstream-call.ts";

/** To be called inside `waitUntil`: workerd drops a handler whose client left. Never rejects. */
export async function forwardCompletion(input: ForwardInput): Promise<Forwarded> {
  const { watch } = input;
  const forwarded = await send(input, watch).catch(() =>
    // `fetch` and body reads reject when they are aborted, and when the connection breaks.
    refusedBy(watch, unreachable),
  );
  // What the backend still sends is of no use.
  if (forwarded.kind !== "answer") watch.stop({ why: "cut", error: unreachable });
  return forwarded;
}

async function send(input: ForwardInput, watch: Watch): Promise<Forwarded> {
  const { stream, limits } = input;
  if (watch.stopped() !== null) return { kind: "client_left" };
  waitFor(watch, stream ? "headers" : "answer", stream ? limits.connectMs : limits.plainMs);
  const response = await callBackend(input.backend, {
    path: "/v1/completions",
    body: input.body,
    accept: stream ? "text/event-stream" : "application/json",
    requestId: input.requestId,
    signal: watch.signal,
  });
  waitFor(watch, "whole answer", limits.idleMs);
  if (response.status !== 200) {
    const failure = {
      status: response.status,
      body: await readText(response, ERROR_BODY_MAX_BYTES),
      retryAfter: response.headers.get("retry-after"),
    };
    return refusedBy(watch, judgeStatus(failure));
  }
  const type = response.headers.get("content-type") ?? "";
  const expected = stream ? "text/event-stream" : "application/json";
  if (response.body === null || !type.startsWith(expected)) return refusedBy(watch, notACompletion);
  return stream
    ? forwardStream(input, response.body, watch)
    : forwardPlain(input, response, response.body, watch);
}

function waitFor(watch: Watch, what: string, limitMs: number): void {
  watch.wait(limitMs, () => watch.stop({ why: "timeout", error: timedOut(what, limitMs) }));
}

// Several Completions in one request to a backend that has the route for it (infra/bundle/README.md).
// Each is answered as it would be alone, and judged so. None of them streams.
import type { PublicError } from "../../contract/errors.ts";
import { BundleFrames, type Frame } from "../../core/bundle-frames.ts";
import { rewriteWhole, type WholeAnswer } from "../../core/plain-answer.ts";
import { ERROR_BODY_MAX_BYTES, type ForwardLimits } from "./forward-limits.ts";
import { judgeStatus, notACompletion, timedOut, unreachable } from "./judge-status.ts";
import { readText } from "./read-bounded.ts";
import { type Backend, callBackend } from "./upstream-call.ts";
import type { Watch } from "./watch.ts";

export interface BundleInput {
  backend: Backend;
  /** The catalogue's id, which each answer's `model` becomes. */
  modelId: string;
  /** The upstream JSON of each, none of which asks for a stream. */
  bodies: readonly string[];
  requestId: string;
  /** The caller's, who may stop it and ends it. */
  watch: Watch;
  /** No longer than this, whatever still comes. */
  until: number;
  /** Of one answer. */
  answerMaxBytes: number;
  limits: Pick<ForwardLimits, "plainMs" | "idleMs">;
}

export type BundledAnswer =
  | ({ kind: "answered" } & WholeAnswer)
  | { kind: "refused"; error: PublicError };

const CONTENT_TYPE = "application/vnd.continuo.bundle";

const NOT_IMPLEMENTED = 501;

/**
 * `take` is called once for each of the bodies, by its place among them. False, and it was not called,
 * where the backend has no such route. Never rejects.
 */
export async function forwardBundle(
  input: BundleInput,
  take: (line: number, answer: BundledAnswer) => void,
): Promise<boolean> {
  const { watch } = input;
  const left = new Set(input.bodies.keys());
  const refusal = await receive(input, left, take).catch(() => unreachable);
  if (refusal === "no_route") return false;
  if (refusal === null) return true;
  // What the backend still does for it is of no use. A stop that came before is the reason.
  watch.stop({ why: "cut", error: refusal });
  const stop = watch.stopped();
  const error = stop === null || stop.why === "client_left" ? unreachable : stop.error;
  for (const line of left) take(line, { kind: "refused", error });
  return true;
}

/** Takes each answer out of `left`. Null when none is left, else why. */
async function receive(
  input: BundleInput,
  left: Set<number>,
  take: (line: number, answer: BundledAnswer) => void,
): Promise<PublicError | "no_route" | null> {
  const { watch } = input;
  if (watch.stopped() !== null) return unreachable;
  // A backend or a proxy may hold them back until it has an answer.
  waitFor(input, "headers", input.limits.plainMs);
  const response = await callBackend(input.backend, {
    path: "/v1/completions/bundle",
    contentType: "application/x-ndjson",
    body: input.bodies.join("\n"),
    accept: CONTENT_TYPE,
    requestId: input.requestId,
    signal: watch.signal,
  });
  if (response.status !== 200) return await judgeWhole(input, response);
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || !type.startsWith(CONTENT_TYPE)) {
    await response.body?.cancel();
    return "no_route";
  }
  const reader = response.body.getReader();
  const frames = new BundleFrames(input.answerMaxBytes);
  for (;;) {
    waitFor(input, "further answer", input.limits.idleMs);
    const { done, value } = await reader.read();
    if (done) break;
    for (const frame of frames.read(value)) {
      if (left.delete(frame.line)) take(frame.line, judgeFrame(frame, input.modelId));
    }
  }
  return left.size === 0 && watch.stopped() === null ? null : unreachable;
}

/** Only want of room and a fault say something about every line; all else, that this is no such route. */
async function judgeWhole(
  input: BundleInput,
  response: Response,
): Promise<PublicError | "no_route"> {
  const { status } = response;
  waitFor(input, "whole answer", input.limits.idleMs);
  const body = await readText(response, ERROR_BODY_MAX_BYTES);
  const ofAll = status === 429 || (status >= 500 && status !== NOT_IMPLEMENTED);
  if (!ofAll) return "no_route";
  return judgeStatus({ status, body, retryAfter: response.headers.get("retry-after") });
}

function judgeFrame({ status, retryAfter, body }: Frame, modelId: string): BundledAnswer {
  if (status !== 200) {
    const quoted = new TextDecoder().decode(body.subarray(0, ERROR_BODY_MAX_BYTES));
    return { kind: "refused", error: judgeStatus({ status, body: quoted, retryAfter }) };
  }
  const whole = rewriteWhole(body, modelId);
  if (whole === null) return { kind: "refused", error: notACompletion };
  return { kind: "answered", ...whole };
}

function waitFor({ watch, until }: BundleInput, what: string, limitMs: number): void {
  const waitMs = Math.max(1, Math.min(limitMs, until - Date.now()));
  watch.wait(waitMs, () => watch.stop({ why: "timeout", error: timedOut(what, waitMs) }));
}

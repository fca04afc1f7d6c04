// What a backend's failure means to the client. Judges literals only, sends and reads nothing. The
// engine's own words never pass: they quote the prompt. They only select one of the sentences here.
import type { PublicError } from "../../contract/errors.ts";
import { STARTING_RETRY_AFTER_MS } from "../../contract/limits.ts";
import type { BrokenWhy } from "../../core/completion-events.ts";
import { OVERLOADED_RETRY_AFTER_MS, RETRY_AFTER_MAX_MS } from "./forward-limits.ts";

export interface BackendFailure {
  status: number;
  /** As much of the body as was read. */
  body: string;
  /** The header, in seconds. */
  retryAfter: string | null;
}

export function judgeStatus({ status, body, retryAfter }: BackendFailure): PublicError {
  if (status === 429 || (status === 503 && OVERLOAD.test(engineMessage(body) ?? ""))) {
    return overloaded(retryAfter);
  }
  // A router in front of vLLM knows no Model whose containers never ran (infra/kubernetes/README.md).
  if (status === 503 || status === 404) {
    return {
      code: "model_starting",
      message: "The Model is not ready yet. Try again in a few seconds.",
      retryAfterMs: STARTING_RETRY_AFTER_MS,
    };
  }
  if (status === 400 || status === 413 || status === 422) {
    return judgeRefusal(engineMessage(body) ?? "");
  }
  if (status === 401 || status === 403) {
    return {
      code: "inference_failed",
      message: "The backend did not accept this gateway's credentials. Tell an admin.",
    };
  }
  return {
    code: "inference_failed",
    message: "The backend failed before it had an answer. Try again.",
  };
}

/** An error object inside a stream; vLLM's `code` is the HTTP status it would have had. */
export function judgeEngineError(event: Readonly<Record<string, unknown>>): PublicError {
  const error = memberOf(event, "error");
  const code = memberOf(error, "code") ?? memberOf(event, "code");
  const status = typeof code === "number" || typeof code === "string" ? Number(code) : 500;
  return judgeStatus({
    status: Number.isInteger(status) ? status : 500,
    body: JSON.stringify(event),
    retryAfter: null,
  });
}

const brokenMessages: Record<BrokenWhy, string> = {
  choice_aborted: "The backend gave up on this request. Try again.",
  no_done: "The backend's stream broke off. Try again.",
  no_chunk: "The backend ended its stream without a token. Try again.",
  no_usage: "The backend ended its stream before each prompt had its answer. Try again.",
  not_an_event: "The backend sent what is no completion. Try again, and report it if it stays.",
  event_too_large: "One event of this stream is too large. Send the request without `stream`.",
};

export function judgeBroken(why: BrokenWhy): PublicError {
  return { code: "inference_failed", message: brokenMessages[why] };
}

export const unreachable: PublicError = {
  code: "inference_failed",
  message: "The backend could not be reached, or closed the connection. Try again.",
};

export const notACompletion: PublicError = judgeBroken("not_an_event");

export function timedOut(waitedFor: string, limitMs: number): PublicError {
  return {
    code: "inference_timeout",
    message: `The backend sent no ${waitedFor} within ${limitMs / 1000} s. Try again.`,
  };
}

/** vLLM's QueueOverflowError and MaxQueuedTokensError, in the words of its versions. */
const OVERLOAD =
  /queue|queued|pending tokens|overload|busy|too many|at capacity|cannot accept new/i;

function overloaded(retryAfter: string | null): PublicError {
  const seconds = Number(retryAfter ?? "");
  const asked = seconds > 0 ? Math.ceil(seconds * 1000) : OVERLOADED_RETRY_AFTER_MS;
  return {
    code: "inference_overloaded",
    message: "The backend has more work than it can queue. Try again in a moment.",
    retryAfterMs: Math.min(asked, RETRY_AFTER_MAX_MS),
  };
}

/** Refusals that the gateway cannot foresee without the Model's tokenizer or configuration. */
const knownRefusals: readonly { pattern: RegExp; error: PublicError }[] = [
  {
    pattern: /context length|max_model_len|maximum model length|longer than the maximum/i,
    error: {
      code: "context_length_exceeded",
      message:
        "The prompt's tokens plus `max_tokens` are more than the Model's context. Shorten the prompt or lower `max_tokens`; `GET /v1/models` has the Model's `max_model_len`.",
      param: "prompt",
    },
  },
  {
    pattern: /vocab/i,
    error: {
      code: "invalid_request",
      message:
        "A token id is outside of the Model's vocabulary. `GET /v1/models` has its `vocab_size`.",
    },
  },
  {
    pattern: /logprobs/i,
    error: {
      code: "invalid_request",
      message:
        "The backend gives fewer log-probabilities than were asked for. Lower `logprobs` or `prompt_logprobs`.",
      param: "logprobs",
    },
  },
];

function judgeRefusal(message: string): PublicError {
  const known = knownRefusals.find(({ pattern }) => pattern.test(message));
  return (
    known?.error ?? {
      code: "invalid_request",
      message:
        "The backend refused this request for a reason that the gateway does not know. Compare its fields with the API reference.",
    }
  );
}

/** vLLM writes `{"error": {"message": …}}`, FastAPI `{"detail": …}`; all else says nothing. */
function engineMessage(body: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // A body that was cut off still shows its kind at its beginning.
    return /^\s*\{\s*"error"/.test(body) ? body : null;
  }
  const error = memberOf(parsed, "error");
  const message = memberOf(error, "message") ?? memberOf(parsed, "message");
  return typeof message === "string" ? message : null;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

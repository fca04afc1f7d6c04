// A refusal becomes a response here and nowhere else.
import type { Refusal } from "../contract/account.ts";
import { errorCatalogue, type PublicError } from "../contract/errors.ts";

/** Thrown where a handler cannot go on; the app's `onError` answers with it. */
export class Refused extends Error {
  override name = "Refused";
  readonly error: PublicError;

  constructor(error: PublicError) {
    super(error.code);
    this.error = error;
  }
}

/** What the caller hears of a defect: nothing but that it is ours. */
export const defect: PublicError = {
  code: "internal_error",
  message: "A defect of ours. Try again.",
};

/** The body that contract section 4 promises, also for errors inside a stream. */
export function errorBody(error: PublicError): string {
  const { type } = errorCatalogue[error.code];
  return JSON.stringify({
    error: {
      message: error.message,
      type,
      param: error.param ?? null,
      code: error.code,
      ...(error.budget === undefined ? {} : { budget: error.budget }),
    },
  });
}

/** `docsUrl` is the page that explains the codes; 5xx messages carry the request's id as well. */
export function errorResponse(error: PublicError, requestId: string, docsUrl: string): Response {
  const { status, retry } = errorCatalogue[error.code];
  const traced = status >= 500 ? ` Request id: ${requestId}.` : "";
  const message = `${error.message}${traced} See ${docsUrl}#${error.code}`;
  // Also what fails before the frame is there, such as a wrong configuration, can be traced.
  const headers = new Headers({ "content-type": "application/json", "x-request-id": requestId });
  const shouldRetry = retry === "sometimes" ? error.shouldRetry === true : retry === "yes";
  if (retry !== "by status") headers.set("x-should-retry", String(shouldRetry));
  if (error.retryAfterMs !== undefined) {
    headers.set("retry-after-ms", String(error.retryAfterMs));
    headers.set("retry-after", String(Math.ceil(error.retryAfterMs / 1000)));
  }
  return new Response(errorBody({ ...error, message }), { status, headers });
}

/** What an Account's refusal means to the caller. */
export function publicRefusal(refusal: Refusal): PublicError {
  switch (refusal.reason) {
    case "key_unknown":
      return {
        code: "invalid_api_key",
        message: "No such API key. Create one on the API Keys page.",
      };
    case "key_revoked":
      return {
        code: "invalid_api_key",
        message: `This API key was revoked at ${time(refusal.at)}${because(refusal.why)}. Use another key.`,
      };
    case "key_expired":
      return {
        code: "invalid_api_key",
        message: `This API key expired at ${time(refusal.at)}. Use another key.`,
      };
    case "account_disabled":
      return { code: "account_disabled", message: "This account is disabled. Ask an admin." };
    case "rate":
      return {
        code: "rate_limited",
        message: `Too many starts a minute. The next one is free in ${refusal.retryAfterMs} ms.`,
        retryAfterMs: refusal.retryAfterMs,
      };
    case "line_full":
      return {
        code: "rate_limited",
        message: "As many of your Completions run and wait as may. Open fewer at a time.",
        retryAfterMs: refusal.retryAfterMs,
      };
    case "line_wait_over":
      return {
        code: "rate_limited",
        message:
          "Your running Completions took so long that this one gave up its place in the line.",
        retryAfterMs: refusal.retryAfterMs,
      };
    case "budget":
      return budgetExceeded(refusal);
    case "count_first":
    case "ended":
      return { code: "internal_error", message: "The request could not be admitted. Try again." };
  }
}

function budgetExceeded(refusal: Extract<Refusal, { reason: "budget" }>): PublicError {
  const { granted, spent, held, available, needed } = refusal.budget;
  const ofKey = refusal.scope === "key";
  const figures =
    `granted ${granted}, spent ${spent}${ofKey ? " this month" : ""}, ` +
    `held ${held} by running requests, available ${available}, needed at least ${needed}`;
  const whose = ofKey ? "This key's monthly limit leaves" : "You have";
  const remedy = refusal.heldWouldFree
    ? "Your own running requests hold enough; retry when they end."
    : `${ofKey ? "Use another key" : "Ask for more tokens"}, or shorten the request.`;
  return {
    code: "budget_exceeded",
    message: `${whose} too few tokens: ${figures}. ${remedy}`,
    budget: refusal.budget,
    shouldRetry: refusal.heldWouldFree,
    ...(refusal.heldWouldFree ? { retryAfterMs: BUDGET_RETRY_AFTER_MS } : {}),
  };
}

/** Contract section 4: `Retry-After: 1` while the caller's own Holds would free enough. */
const BUDGET_RETRY_AFTER_MS = 1_000;

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function because(why: string): string {
  return why === "" ? "" : ` (${why})`;
}

// The frame of every answer: its id, its times, the caller's limits.
import type { MiddlewareHandler } from "hono";
import type { AccountFigures } from "../contract/account.ts";
import { answerHeaders } from "../contract/headers.ts";
import { type AppEnv, type Frame, servicesOf } from "./environment.ts";

/** Every header a browser's script may read; CORS hides the others. */
const exposedHeaders = Object.keys(answerHeaders).join(", ");

export function frameEveryAnswer(): MiddlewareHandler<AppEnv> {
  return async function frame(c, next) {
    const started: Frame = {
      requestId: `req_${crypto.randomUUID().replaceAll("-", "")}`,
      startedAt: Date.now(),
      figures: null,
      keyHash: null,
      timings: new Map(),
      isSet: false,
      fromPage: c.req.header("origin") !== undefined,
    };
    c.set("frame", started);
    c.set("services", servicesOf(c.env));
    await next();
    if (started.isSet) return;
    for (const [name, value] of Object.entries(frameHeaders(started)))
      c.res.headers.set(name, value);
    if (!started.fromPage || !c.req.path.startsWith("/v1/")) return;
    for (const [name, value] of Object.entries(openToBrowsers)) c.res.headers.set(name, value);
  };
}

/**
 * What every answer below /v1/ says, for a handler that makes its headers in one go: each one that
 * is set on a finished response costs a Completion's time again.
 */
export function apiHeaders(frame: Frame): Record<string, string> {
  frame.isSet = true;
  return frame.fromPage ? { ...frameHeaders(frame), ...openToBrowsers } : frameHeaders(frame);
}

/** CORS is open, since people call the API from browser tools; never with cookies. For them alone. */
const openToBrowsers = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders,
};

function frameHeaders(frame: Frame): Record<string, string> {
  const timings = [...frame.timings].map(([part, ms]) => `${part};dur=${ms}`);
  return {
    "x-request-id": frame.requestId,
    "openai-processing-ms": String(Date.now() - frame.startedAt),
    ...(timings.length > 0 ? { "server-timing": timings.join(", ") } : {}),
    ...(frame.figures === null ? {} : limitHeaders(frame.figures)),
  };
}

function limitHeaders(figures: AccountFigures): Record<string, string> {
  return {
    "x-ratelimit-limit-requests": String(figures.startsPerMinute),
    "x-ratelimit-remaining-requests": String(figures.startsRemaining),
    "x-ratelimit-reset-requests": `${figures.startsResetMs / 1000}s`,
    "x-ratelimit-limit-tokens": String(figures.tokens.granted),
    "x-ratelimit-remaining-tokens": String(figures.tokens.available),
  };
}

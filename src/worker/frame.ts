// The frame of every answer: its id, its times, the caller's limits.
import type { MiddlewareHandler } from "hono";
import type { AccountFigures } from "../contract/account.ts";
import { type AppEnv, type Frame, servicesOf } from "./environment.ts";

/** Every header a browser's script may read; CORS hides the others. */
const exposedHeaders = [
  "x-request-id",
  "openai-processing-ms",
  "server-timing",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
  "x-seed",
  "x-model-revision",
  "x-max-tokens-lowered",
  "x-should-retry",
  "retry-after",
  "retry-after-ms",
].join(", ");

export function frameEveryAnswer(): MiddlewareHandler<AppEnv> {
  return async function frame(c, next) {
    const started: Frame = {
      requestId: `req_${crypto.randomUUID().replaceAll("-", "")}`,
      startedAt: Date.now(),
      figures: null,
      timings: new Map(),
    };
    c.set("frame", started);
    c.set("services", servicesOf(c.env));
    await next();
    setFrameHeaders(c.res.headers, started);
    if (c.req.path.startsWith("/v1/")) allowBrowsers(c.res.headers);
  };
}

/** CORS is open, since people call the API from browser tools; never with cookies. */
function allowBrowsers(headers: Headers): void {
  headers.set("access-control-allow-origin", "*");
  headers.set("access-control-expose-headers", exposedHeaders);
}

function setFrameHeaders(headers: Headers, frame: Frame): void {
  headers.set("x-request-id", frame.requestId);
  headers.set("openai-processing-ms", String(Date.now() - frame.startedAt));
  const timings = [...frame.timings].map(([part, ms]) => `${part};dur=${ms}`);
  if (timings.length > 0) headers.set("server-timing", timings.join(", "));
  if (frame.figures !== null) setLimitHeaders(headers, frame.figures);
}

function setLimitHeaders(headers: Headers, figures: AccountFigures): void {
  headers.set("x-ratelimit-limit-requests", String(figures.startsPerMinute));
  headers.set("x-ratelimit-remaining-requests", String(figures.startsRemaining));
  headers.set("x-ratelimit-reset-requests", `${figures.startsResetMs / 1000}s`);
  headers.set("x-ratelimit-limit-tokens", String(figures.tokens.granted));
  headers.set("x-ratelimit-remaining-tokens", String(figures.tokens.available));
}

// The headers of answers below /v1/: one table for CORS, which hides all others from a browser's
// scripts, and for docs/reference/headers.md.

interface HeaderRow {
  /** On which answers. */
  readonly on: "every answer" | "answers to a key" | "Completions" | "a Job's results" | "refusals";
  readonly means: string;
}

export const answerHeaders = {
  "x-request-id": {
    on: "every answer",
    means: "This request's id. Send it when you ask for help.",
  },
  "openai-processing-ms": {
    on: "every answer",
    means: "Milliseconds from the request's arrival to these headers.",
  },
  "server-timing": {
    on: "Completions",
    means:
      "Milliseconds of the parts: `admit` (key, limits, tokens), `cold` (the wait for a Cold Model), `inference` (the backend, to its first byte).",
  },
  "x-ratelimit-limit-requests": { on: "answers to a key", means: "Your starts a minute." },
  "x-ratelimit-remaining-requests": {
    on: "answers to a key",
    means: "How many of them are free now.",
  },
  "x-ratelimit-reset-requests": {
    on: "answers to a key",
    means: "Seconds until all of them are free, such as `1.5s`.",
  },
  "x-ratelimit-limit-tokens": { on: "answers to a key", means: "Tokens granted to you." },
  "x-ratelimit-remaining-tokens": {
    on: "answers to a key",
    means: "Tokens available: granted − spent − held.",
  },
  "x-seed": {
    on: "Completions",
    means: "The seed that was used, yours or the one that was drawn. Send it again to repeat.",
  },
  "x-model-revision": { on: "Completions", means: "The commit of the Model's weights." },
  "x-max-tokens-lowered": {
    on: "Completions",
    means:
      "`requested=N, applied=M`, only where your tokens ran short and `max_tokens` was lowered.",
  },
  "x-job-complete": {
    on: "a Job's results",
    means: "`true` when all results are there, `false` while more are to come.",
  },
  "accept-ranges": { on: "a Job's results", means: "`bytes`: a part can be asked for by `range`." },
  "content-range": {
    on: "a Job's results",
    means: "Which bytes of how many these are, where a part was asked for.",
  },
  "content-disposition": { on: "a Job's results", means: "The file's name for a download." },
  etag: {
    on: "a Job's results",
    means: "Names this version of the results; send it in `if-range` to go on with a download.",
  },
  "x-should-retry": {
    on: "refusals",
    means: "Whether to send it again. OpenAI's SDKs obey it first.",
  },
  "retry-after": { on: "refusals", means: "Whole seconds to wait." },
  "retry-after-ms": { on: "refusals", means: "The same in milliseconds." },
} as const satisfies Readonly<Record<string, HeaderRow>>;

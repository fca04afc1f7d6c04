// The bounds of the way to a backend and back, each with its reason. Waits are separate: one total
// would cut a long stream that flows well.

export interface ForwardLimits {
  /** From sending to the headers of a stream, which vLLM sends before it has a token. */
  connectMs: number;
  /** From a stream's headers to its first chunk: the wait in the backend's queue and the prefill. */
  firstTokenMs: number;
  /** Between two reads of an answer that has begun. */
  idleMs: number;
  /** To the headers of a plain answer: vLLM sends them when all is generated. */
  plainMs: number;
  /** One write that the client does not take: it keeps a Hold and a sequence on the GPU busy. */
  clientStallMs: number;
}

export const forwardLimits: ForwardLimits = {
  // Validation and tokenizing come before the headers; 8 MB of text takes seconds on a busy server.
  connectMs: 30_000,
  // A full queue of long prompts takes minutes to work off and is no failure.
  firstTokenMs: 300_000,
  // vLLM makes a step in well under a second; only preemption by longer prompts takes longer.
  idleMs: 60_000,
  // The largest `max_output_tokens` at a slow 40 tokens a second and choice.
  plainMs: 1_800_000,
  // As long as a person may close a laptop's lid without losing the answer.
  clientStallMs: 300_000,
};

/**
 * A plain answer up to here is read whole: one allocation, one write, and a failure can still be
 * answered with its status. Most answers have less than a kilobyte.
 */
export const SMALL_ANSWER_BYTES = 65_536;

/** One read of a larger answer. Four of them are in flight, far below an isolate's 128 MB. */
export const READ_BYTES = 1_048_576;

/** Of an upstream error as much is read as its judgement needs; engines quote whole prompts in it. */
export const ERROR_BODY_MAX_BYTES = 16_384;

/** What is still read after `[DONE]`, so that the connection can be used again. */
export const DRAIN_MAX_BYTES = 1_024;
export const DRAIN_MS = 1_000;

/** Told to a client when the backend does not say itself how long to wait. */
export const OVERLOADED_RETRY_AFTER_MS = 1_000;

/** openai-node ignores a longer wait and retries at once. */
export const RETRY_AFTER_MAX_MS = 60_000;

/** workerd gives an invocation 6 connections that wait for headers; more only queue up. */
export const COUNTS_AT_ONCE = 6;

/** One text of 8 MB is tokenized in about 10 s. */
export const TOKENIZE_MS = 60_000;

/** `count` is the first member of vLLM's answer; the ids behind it can have megabytes. */
export const COUNT_HEAD_BYTES = 256;

/** The ids and strings of the longest text that the public route takes. */
export const TOKENIZE_ANSWER_MAX_BYTES = 33_554_432;

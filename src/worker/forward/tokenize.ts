// The backend's own tokenizer: exact counts for accounting, and the public routes.
import type { z } from "zod";
import type { PublicError } from "../../contract/errors.ts";
import {
  DetokenizeAnswer,
  type DetokenizeBody,
  TokenizeAnswer,
  type TokenizeBody,
} from "../../contract/tokenize.ts";
import {
  COUNT_HEAD_BYTES,
  COUNTS_AT_ONCE,
  ERROR_BODY_MAX_BYTES,
  SMALL_ANSWER_BYTES,
  TOKENIZE_ANSWER_MAX_BYTES,
  TOKENIZE_MS,
} from "./forward-limits.ts";
import { judgeStatus, timedOut, unreachable } from "./judge-status.ts";
import { readText } from "./read-bounded.ts";
import { type Backend, callBackend } from "./upstream-call.ts";

type Failed = { ok: false; error: PublicError };
export type Counted = { ok: true; counts: number[] } | Failed;
export type Answered<T> = { ok: true; answer: T } | Failed;

/** For whom a call is made. `signal` null: nobody can end it but its own limit. */
export interface TokenizerCall {
  requestId: string;
  signal: AbortSignal | null;
}

/** The tokens of each text, in order. */
export async function countTokens(
  backend: Backend,
  { texts, addSpecialTokens }: { texts: readonly string[]; addSpecialTokens: boolean },
  requestId: string,
  signal: AbortSignal | null,
): Promise<Counted> {
  const counts: number[] = [];
  let next = 0;
  let failed: Failed | null = null;
  const countSome = async (): Promise<void> => {
    while (failed === null) {
      const at = next++;
      const prompt = texts[at];
      if (prompt === undefined) return;
      const body = { model: backend.servedName, prompt, add_special_tokens: addSpecialTokens };
      const answered = await ask(backend, "/tokenize", body, { requestId, signal }, readCount);
      if (answered.ok) counts[at] = answered.answer;
      else failed = answered;
    }
  };
  const workers = Math.min(COUNTS_AT_ONCE, texts.length);
  await Promise.all(Array.from({ length: workers }, countSome));
  return failed ?? { ok: true, counts };
}

export function tokenizeText(
  backend: Backend,
  body: TokenizeBody,
  call: TokenizerCall,
): Promise<Answered<TokenizeAnswer>> {
  const upstream = { ...body, model: backend.servedName };
  return ask(backend, "/tokenize", upstream, call, readAnswer(TokenizeAnswer));
}

export function detokenizeIds(
  backend: Backend,
  body: DetokenizeBody,
  call: TokenizerCall,
): Promise<Answered<DetokenizeAnswer>> {
  const upstream = { ...body, model: backend.servedName };
  return ask(backend, "/detokenize", upstream, call, readAnswer(DetokenizeAnswer));
}

/** `read` gives null for an answer that is none. */
async function ask<T>(
  backend: Backend,
  path: "/tokenize" | "/detokenize",
  body: unknown,
  { requestId, signal }: TokenizerCall,
  read: (response: Response) => Promise<T | null>,
): Promise<Answered<T>> {
  const limit = AbortSignal.timeout(TOKENIZE_MS);
  const either = signal === null ? limit : AbortSignal.any([limit, signal]);
  try {
    const response = await callBackend(backend, {
      path,
      body: JSON.stringify(body),
      accept: "application/json",
      requestId,
      signal: either,
    });
    const { status, headers } = response;
    if (status === 200) {
      const answer = await read(response);
      return answer === null ? { ok: false, error: notTokens } : { ok: true, answer };
    }
    const text = await readText(response, ERROR_BODY_MAX_BYTES);
    const failure = { status, body: text, retryAfter: headers.get("retry-after") };
    return { ok: false, error: judgeStatus(failure) };
  } catch {
    const error = limit.aborted ? timedOut("answer", TOKENIZE_MS) : unreachable;
    return { ok: false, error };
  }
}

const notTokens: PublicError = {
  code: "inference_failed",
  message: "The backend's tokenizer sent what is no answer of it. Try again.",
};

/**
 * Only the head of a large answer is read: `{"count":5,"max_model_len":…,"tokens":[…` can go on for
 * megabytes. A small one is read to its end, so that its connection can be used again.
 */
async function readCount(response: Response): Promise<number | null> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  const maxBytes = length <= SMALL_ANSWER_BYTES ? SMALL_ANSWER_BYTES : COUNT_HEAD_BYTES;
  const head = await readText(response, maxBytes);
  const count = /^\s*\{\s*"count"\s*:\s*(\d+)\s*[,}]/.exec(head)?.[1];
  return count === undefined ? null : Number(count);
}

function readAnswer<T>(schema: z.ZodType<T>): (response: Response) => Promise<T | null> {
  return async (response) => {
    const text = await readText(response, TOKENIZE_ANSWER_MAX_BYTES);
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      return null;
    }
  };
}

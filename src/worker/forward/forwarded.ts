// What goes into the forward path and what comes out of it.
import type { PublicError } from "../../contract/errors.ts";
import type { CompletionEnd } from "../../core/charge.ts";
import type { OpenStream } from "./early-stream.ts";
import type { ForwardLimits } from "./forward-limits.ts";
import type { Backend } from "./upstream-call.ts";
import type { Watch } from "./watch.ts";

export interface ForwardInput {
  backend: Backend;
  /** The catalogue's id, which the answer's `model` becomes. */
  modelId: string;
  /** The upstream JSON. A stream's must ask for both kinds of usage. */
  body: string;
  stream: boolean;
  includeUsage: boolean;
  continuousUsage: boolean;
  prompts: number;
  n: number;
  requestId: string;
  /** The caller's, who may stop it and ends it. */
  watch: Watch;
  limits: ForwardLimits;
  /** Where a stream's answer has already begun. */
  open: OpenStream | null;
}

export interface Progress {
  /** Null when not known yet for all prompts. */
  promptTokens: number | null;
  completionTokens: number;
}

export interface ForwardedAnswer {
  kind: "answer";
  contentType: string;
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;
  /** Never rejects. To be kept alive by `waitUntil`. */
  ended: Promise<CompletionEnd>;
  progress(): Progress;
}

export type Forwarded =
  /** The client has received nothing; the gateway answers with the error. */
  | { kind: "refused"; error: PublicError; usage: null }
  /** Left before there was a status. */
  | { kind: "client_left" }
  | ForwardedAnswer;

/** A stop comes before any failure: most failures are its consequence. */
export function refusedBy(watch: Watch, error: PublicError): Forwarded {
  const stop = watch.stopped();
  if (stop?.why === "client_left") return { kind: "client_left" };
  return { kind: "refused", error: stop === null ? error : stop.error, usage: null };
}

// Calls of `/v1` from a page: the same requests, rules and tokens as a script's.
import type { Completion, ErrorBody } from "./answers.ts";
import { ColdWait } from "./cold-wait.ts";
import { EventStreamReader } from "./event-stream.ts";
import { modelState } from "./model-state.ts";
import { SessionKey } from "./session-key.ts";

/** The fields of a body, as docs/reference/fields.md has them. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the API refused; its message is for a person. */
class ApiError extends Error {
  readonly code: string | null;

  constructor({ error }: ErrorBody) {
    super(error.message);
    this.code = error.code;
  }
}

/** The largest Models take longer to start than a request waits; the SDKs ask again too. */
const STARTING_REPEATS_MOST = 5;
const STARTING_REPEAT_AFTER_MS = 5_000;

/** What the headers of an answer say beside it. */
export interface AnswerHead {
  /** What was sampled with: asked for or drawn. */
  seed: number | null;
  /** The person's tokens, with this request's Hold taken off. */
  available: number | null;
  /** `requested=N, applied=M` */
  lowered: string | null;
}

export interface StreamWatcher {
  onHead(head: AnswerHead): void;
  onChunk(chunk: Completion): void;
  /** Says that the Model has to start first, and how long that may take. */
  onWaiting(words: string): void;
}

export class ApiClient {
  readonly #key = new SessionKey();

  /** Rejects with `ApiError`, with an `AbortError` after `signal`, else with a sentence. */
  async post<T>(path: string, body: Fields, signal?: AbortSignal): Promise<[T, AnswerHead]> {
    const answer = await this.#send(path, body, signal);
    return [(await answer.json()) as T, headOf(answer)];
  }

  async get<T>(path: string): Promise<[T, AnswerHead]> {
    const answer = await this.#send(path, null, undefined);
    return [(await answer.json()) as T, headOf(answer)];
  }

  /** A Completion in one piece. `onWaiting` as in a stream. */
  complete(
    body: Fields,
    onWaiting: (words: string) => void,
    signal: AbortSignal,
  ): Promise<[Completion, AnswerHead]> {
    return this.#waiting(body, onWaiting, signal, () =>
      this.post<Completion>("/v1/completions", body, signal),
    );
  }

  /** Resolves when the answer is complete. Rejects as `post` does, also for an error in the stream. */
  stream(body: Fields, watcher: StreamWatcher, signal: AbortSignal): Promise<void> {
    return this.#waiting(body, watcher.onWaiting, signal, (wait) => {
      const onChunk = (chunk: Completion) => {
        wait.end();
        watcher.onChunk(chunk);
      };
      return this.#streamOnce(body, { ...watcher, onChunk }, wait, signal);
    });
  }

  /** Asks again for a Model that is still starting, and says meanwhile why nothing comes. */
  async #waiting<T>(
    body: Fields,
    onWaiting: (words: string) => void,
    signal: AbortSignal,
    ask: (wait: ColdWait) => Promise<T>,
  ): Promise<T> {
    const model = String(body.model);
    const wait = new ColdWait(model, () => modelState(this, model), onWaiting);
    try {
      for (let repeats = 0; ; repeats += 1) {
        try {
          return await ask(wait);
        } catch (failure) {
          const isStarting = failure instanceof ApiError && failure.code === "model_starting";
          if (!isStarting || repeats === STARTING_REPEATS_MOST) throw failure;
          await pause(STARTING_REPEAT_AFTER_MS, signal);
        }
      }
    } finally {
      wait.end();
    }
  }

  async #streamOnce(body: Fields, watcher: StreamWatcher, wait: ColdWait, signal: AbortSignal) {
    const answer = await this.#send("/v1/completions", { ...body, stream: true }, signal);
    watcher.onHead(headOf(answer));
    const reader = answer.body?.getReader();
    if (reader === undefined) throw new Error("The answer has no body.");
    const events = new EventStreamReader();
    let done = false;
    for (;;) {
      const read = await reader.read();
      if (read.done) break;
      for (const event of events.read(read.value)) {
        if (event.kind === "comment") wait.heard(event.text);
        else if (event.data === "[DONE]") done = true;
        else watcher.onChunk(chunkOf(event.data));
      }
    }
    if (!done)
      throw new Error("The answer broke off. What came is kept; Continue goes on from it.");
  }

  async #send(path: string, body: Fields | null, signal: AbortSignal | undefined) {
    const answer = await this.#call(path, body, signal);
    if (answer.status !== 401) return checked(answer);
    // The key may be one of a session before this one.
    this.#key.forget();
    return checked(await this.#call(path, body, signal));
  }

  async #call(path: string, body: Fields | null, signal: AbortSignal | undefined) {
    const headers: Record<string, string> = { authorization: `Bearer ${await this.#key.get()}` };
    if (body !== null) headers["content-type"] = "application/json";
    return fetch(path, {
      method: body === null ? "GET" : "POST",
      headers,
      credentials: "omit",
      ...(body !== null && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  }
}

async function checked(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  const body = (await answer.json().catch(() => null)) as ErrorBody | null;
  if (body?.error !== undefined) throw new ApiError(body);
  throw new Error(`The service answered ${answer.status}. Try again in a moment.`);
}

/** Rejects where it is left early. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function chunkOf(data: string): Completion {
  const chunk = JSON.parse(data) as Completion | ErrorBody;
  if ("error" in chunk) throw new ApiError(chunk);
  return chunk;
}

function headOf({ headers }: Response): AnswerHead {
  return {
    seed: numberOf(headers.get("x-seed")),
    available: numberOf(headers.get("x-ratelimit-remaining-tokens")),
    lowered: headers.get("x-max-tokens-lowered"),
  };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

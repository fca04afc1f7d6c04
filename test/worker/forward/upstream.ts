// How the tests of the forward path talk to the scripted server, and call the path itself.
import { inject } from "vitest";
import { forwardCompletion } from "../../../src/worker/forward/forward-completion.ts";
import { type ForwardLimits, forwardLimits } from "../../../src/worker/forward/forward-limits.ts";
import type {
  Forwarded,
  ForwardedAnswer,
  ForwardInput,
} from "../../../src/worker/forward/forwarded.ts";
import type { Backend } from "../../../src/worker/forward/upstream-call.ts";
import { watchRequest } from "../../../src/worker/forward/watch.ts";
import type { Step, WireRequest, WireScript } from "../../upstream/wire-script.ts";

declare module "vitest" {
  interface ProvidedContext {
    upstreamUrl: string;
  }
}

/** One test's part of the scripted server. */
export class Upstream {
  readonly #url = `${inject("upstreamUrl")}/${crypto.randomUUID()}`;

  get backend(): Backend {
    const credentials = {
      "x-proxy-secret": "of the proxy",
      authorization: "Bearer of the backend",
    };
    return {
      url: this.#url,
      credentials,
      servedName: "served/name",
      binding: null,
      answersElsewhere: false,
      fetch,
    };
  }

  async script(script: WireScript): Promise<void> {
    await this.#control("script", script);
  }

  async streams(...steps: (string | Step)[]): Promise<void> {
    const headers = { "content-type": "text/event-stream; charset=utf-8" };
    await this.script({ headers, steps: steps.map(asStep) });
  }

  async answers(...steps: (string | Step)[]): Promise<void> {
    const headers = { "content-type": "application/json" };
    await this.script({ headers, steps: steps.map(asStep) });
  }

  /** With the length that uvicorn sends. */
  async answersWhole(body: string): Promise<void> {
    const length = String(new TextEncoder().encode(body).length);
    const headers = { "content-type": "application/json", "content-length": length };
    await this.script({ headers, steps: [{ text: body }] });
  }

  async open(gate: string): Promise<void> {
    await this.#control(`open/${gate}`);
  }

  /** Waits until the connection of the first request is over; `whole` when its answer was. */
  async closed(): Promise<{ whole: boolean }> {
    return (await this.#control("closed")) as { whole: boolean };
  }

  async seen(): Promise<WireRequest[]> {
    return (await this.#control("seen")) as WireRequest[];
  }

  async #control(path: string, body: unknown = {}): Promise<unknown> {
    const init = { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${this.#url}/test/${path}`, init)).json();
  }
}

function asStep(step: string | Step): Step {
  return typeof step === "string" ? { text: step } : step;
}

type Options = Partial<Omit<ForwardInput, "limits">> & {
  limits?: Partial<ForwardLimits>;
  clientSignal?: AbortSignal;
};

export function forward(upstream: Upstream, options: Options = {}): Promise<Forwarded> {
  const { clientSignal, ...changes } = options;
  return forwardCompletion({
    backend: upstream.backend,
    modelId: "catalogue-id",
    body: '{"prompt":"a secret"}',
    stream: false,
    includeUsage: false,
    continuousUsage: false,
    prompts: 1,
    n: 1,
    requestId: "req_1",
    watch: watchRequest(clientSignal ?? new AbortController().signal),
    open: null,
    ...changes,
    limits: { ...forwardLimits, ...options.limits },
  });
}

export async function answered(forwarded: Promise<Forwarded>): Promise<ForwardedAnswer> {
  const outcome = await forwarded;
  if (outcome.kind !== "answer") throw new Error(JSON.stringify(outcome));
  return outcome;
}

/** The client's side of an answer, as the runtime would read it. */
export class Client {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  received = "";

  constructor(answer: ForwardedAnswer) {
    if (answer.body instanceof Uint8Array) throw new Error("the answer is whole");
    this.#reader = answer.body.getReader();
  }

  /** Reads until the text has come; false when the answer ended before. */
  async until(text: string): Promise<boolean> {
    while (!this.received.includes(text)) {
      if (!(await this.#next())) return false;
    }
    return true;
  }

  /** Everything to the end. Rejects when the connection breaks. */
  async rest(): Promise<string> {
    while (await this.#next());
    return this.received;
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (!done) this.received += this.#decoder.decode(value, { stream: true });
    return !done;
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}

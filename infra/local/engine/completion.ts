// One completion request between its parsing and its answer, plain or streamed.
import type { Engine } from "./engine.ts";
import type { Fault } from "./faults.ts";
import type { LogprobOptions } from "./logprobs.ts";
import type { CompletionRequest } from "./request.ts";
import type { Run } from "./run.ts";
import type { Sequence } from "./sequence.ts";
import { decodeTokens } from "./tokenizer.ts";

export interface CompletionStart {
  readonly engine: Engine;
  readonly request: CompletionRequest;
  readonly id: string;
  readonly run: Run;
  /** The texts the prompts came as; undefined for prompts that came as ids. */
  readonly promptTexts: readonly (string | undefined)[];
  readonly fault: Fault | undefined;
}

export class Completion {
  readonly engine: Engine;
  readonly request: CompletionRequest;
  readonly id: string;
  readonly run: Run;
  readonly fault: Fault | undefined;
  readonly created = Math.floor(Date.now() / 1000);
  readonly #promptTexts: readonly (string | undefined)[];

  constructor(start: CompletionStart) {
    this.engine = start.engine;
    this.request = start.request;
    this.id = start.id;
    this.run = start.run;
    this.fault = start.fault;
    this.#promptTexts = start.promptTexts;
  }

  /** `echo` with no tokens asked for: vLLM still writes one, counts it, and does not show it. */
  get onlyEcho(): boolean {
    return this.request.echo && this.request.maxTokens === 0;
  }

  /** What `echo` puts before a choice's text. With `return_token_ids` vLLM puts nothing there. */
  echoText(sequence: Sequence): string {
    if (!this.request.echo || this.request.returnTokenIds) return "";
    const text = this.#promptTexts[Math.floor(sequence.index / this.request.n)];
    return text ?? decodeTokens(sequence.prompt);
  }

  logprobOptions(initialOffset: number): LogprobOptions {
    return {
      top: this.request.logprobs ?? 0,
      chosenIds: this.request.logprobTokenIds,
      asIds: this.request.tokensAsIds,
      initialOffset,
      oddKeys: this.fault?.fault === "proto",
    };
  }

  /** The counts of a usage object, in vLLM's order; undefined if a fault hides them. */
  usage(promptTokens: number, completionTokens: number): string | undefined {
    if (this.fault?.fault === "no-usage") return undefined;
    const lie = this.fault?.fault === "usage-mismatch";
    const most = this.run.sequences.length * Math.max(this.request.maxTokens, 1);
    const reported = lie ? most + 7 : completionTokens;
    return (
      `"prompt_tokens":${promptTokens},"total_tokens":${promptTokens + reported},` +
      `"completion_tokens":${reported}`
    );
  }
}

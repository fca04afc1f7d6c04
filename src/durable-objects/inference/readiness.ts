// Whether the backend is ready and may be: it answers, and its revision has passed where it has to.
import type { ContainerReport } from "../../contract/container-report.ts";
import type { Progress } from "../../core/model-life.ts";
import type { Kept } from "./inference-storage.ts";
import { probe } from "./probe.ts";
import type { ServedHere } from "./served-here.ts";

export class Readiness {
  readonly #served: ServedHere;
  readonly #kept: Kept;
  /** What the last question found; null when it was ready. */
  why: string | null = null;

  constructor(served: ServedHere, kept: Kept) {
    this.#served = served;
    this.#kept = kept;
  }

  /** False where a revision has to pass the conformance suite and has not: a new one closes the gate. */
  get passed(): boolean {
    const { conformanceRequired, model } = this.#served;
    return !conformanceRequired || this.#kept.passedRevision === model.revision;
  }

  /** Null when it is ready, else why not. */
  async ask(): Promise<string | null> {
    const found = await probe(this.#served.backend);
    const gated = "its revision has to pass the conformance suite first";
    this.why = found ?? (this.passed ? null : gated);
    return this.why;
  }
}

export function progressOf(metrics: NonNullable<ContainerReport["data"]["metrics"]>): Progress {
  const { running, generation_tokens, prompt_tokens } = metrics;
  return { running, tokens: generation_tokens + prompt_tokens };
}

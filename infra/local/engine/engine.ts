// What the routes share: the model, the places to run, the counters.
import { createHash } from "node:crypto";
import type { Model } from "../../../src/contract/catalogue.ts";
import type { LanguageModel } from "./distribution.ts";
import type { Faults } from "./faults.ts";
import type { Metrics } from "./metrics.ts";
import { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import { Scores } from "./scores.ts";
import type { TokenSource } from "./sequence.ts";
import { TurnQueue } from "./turn-queue.ts";
import { VocabularyRows } from "./vocabulary-rows.ts";

/** The vLLM whose wire format this is. */
export const VLLM_VERSION = "0.33.0";

export interface EngineParts {
  readonly entry: Model;
  readonly model: LanguageModel;
  readonly source: TokenSource;
  readonly metrics: Metrics;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly tokenDelayMs: number;
}

export interface Engine extends EngineParts {
  /** For ranking tokens in logprobs; one row at a time, never across an await. */
  readonly ranking: Scores;
  readonly rows: VocabularyRows;
  /** Serves all requests without a seed. Like vLLM's it starts the same at every start. */
  readonly unseeded: Random;
  readonly fingerprint: string;
  readonly startedAt: number;
  readonly turns: TurnQueue;
}

export function assembleEngine(parts: EngineParts): Engine {
  const ranking = new Scores(parts.model.base);
  const hash = createHash("sha256").update(parts.entry.revision).digest("hex").slice(0, 8);
  return {
    ...parts,
    ranking,
    rows: new VocabularyRows(ranking),
    unseeded: new Random(0),
    fingerprint: `vllm-${VLLM_VERSION}-${hash}`,
    startedAt: Math.floor(Date.now() / 1000),
    turns: new TurnQueue(),
  };
}

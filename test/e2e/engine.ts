// The engine from behind, past the gateway: its gauges, its counters, its faults.
import type { Stack } from "./stack-process.ts";
import { until } from "./until.ts";

export interface EngineCounters {
  running: number;
  waiting: number;
  promptTokens: number;
  generationTokens: number;
  received: number;
  coldStarts: number;
  /** 1 unless it is cold or starting. */
  up: number;
}

const metricNames: Record<keyof EngineCounters, string> = {
  running: "vllm:num_requests_running",
  waiting: "vllm:num_requests_waiting",
  promptTokens: "vllm:prompt_tokens_total",
  generationTokens: "vllm:generation_tokens_total",
  received: "engine:completion_requests_total",
  coldStarts: "engine:cold_starts_total",
  up: "engine:up",
};

export class Engine {
  readonly #url: string;
  readonly #key: string;

  constructor(stack: Pick<Stack, "engine" | "engineKey">) {
    this.#url = stack.engine;
    this.#key = stack.engineKey;
  }

  async counters(): Promise<EngineCounters> {
    const lines = (await (await fetch(`${this.#url}/metrics`)).text()).split("\n");
    const read = (name: string) =>
      Number(
        lines
          .find((line) => line.startsWith(`${name}{`))
          ?.split(" ")
          .at(-1),
      );
    return {
      running: read(metricNames.running),
      waiting: read(metricNames.waiting),
      promptTokens: read(metricNames.promptTokens),
      generationTokens: read(metricNames.generationTokens),
      received: read(metricNames.received),
      coldStarts: read(metricNames.coldStarts),
      up: read(metricNames.up),
    };
  }

  /** Waits until so many sequences run or wait there. */
  busy(sequences: number): Promise<EngineCounters> {
    return until(
      `${sequences} sequences at the engine`,
      () => this.counters(),
      ({ running, waiting }) => running + waiting === sequences,
    );
  }

  atMost(sequences: number): Promise<EngineCounters> {
    return until(
      `at most ${sequences} sequences at the engine`,
      () => this.counters(),
      ({ running, waiting }) => running + waiting <= sequences,
    );
  }

  /** Waits until it works for nobody. */
  idle(): Promise<EngineCounters> {
    return this.busy(0);
  }

  /** Makes the next `count` Completions fail so. */
  async arm(fault: string, settings: { count?: number; at?: number; ms?: number } = {}) {
    const response = await fetch(`${this.#url}/faults`, {
      method: "POST",
      body: JSON.stringify({ fault, ...settings }),
    });
    if (!response.ok) throw new Error(`${fault} was not armed: ${await response.text()}`);
  }

  async disarm(): Promise<void> {
    await fetch(`${this.#url}/faults`, { method: "DELETE" });
  }

  /** A Completion past the gateway; `fault` as the engine's header says it. */
  complete(body: object, fault?: string): Promise<Response> {
    return fetch(`${this.#url}/v1/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#key}`,
        "content-type": "application/json",
        ...(fault !== undefined && { "x-engine-fault": fault }),
      },
      body: JSON.stringify(body),
    });
  }

  async countTokens(text: string): Promise<number> {
    const response = await fetch(`${this.#url}/tokenize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "local", prompt: text }),
    });
    return ((await response.json()) as { count: number }).count;
  }
}

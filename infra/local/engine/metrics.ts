// Counters and gauges under vLLM's names, in Prometheus text.
import type { FinishReason } from "./sequence.ts";

export class Metrics {
  running = 0;
  waiting = 0;
  promptTokens = 0;
  generationTokens = 0;
  /** Completion requests that reached the engine, refused ones too. */
  received = 0;
  /** Bundles that reached the engine, but for those refused as a whole. */
  bundles = 0;
  coldStarts = 0;
  up = true;
  readonly finished: Record<FinishReason, number> = { stop: 0, length: 0, abort: 0 };
  readonly #modelName: string;

  constructor(modelName: string) {
    this.#modelName = modelName;
  }

  text(): string {
    const labels = `engine="0",model_name="${this.#modelName}"`;
    const lines: string[] = [];
    const add = (name: string, kind: string, help: string, values: [string, number][]) => {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
      for (const [extra, value] of values) lines.push(`${name}{${labels}${extra}} ${value}.0`);
    };
    const one = (value: number): [string, number][] => [["", value]];
    add("vllm:num_requests_running", "gauge", "Sequences being written.", one(this.running));
    add("vllm:num_requests_waiting", "gauge", "Sequences waiting to start.", one(this.waiting));
    add("vllm:prompt_tokens_total", "counter", "Prompt tokens read.", one(this.promptTokens));
    add("vllm:generation_tokens_total", "counter", "Tokens written.", one(this.generationTokens));
    add(
      "vllm:request_success_total",
      "counter",
      "Sequences ended, by reason.",
      Object.entries(this.finished).map(([reason, count]) => [
        `,finished_reason="${reason}"`,
        count,
      ]),
    );
    add(
      "engine:completion_requests_total",
      "counter",
      "POST /v1/completions received, lines of bundles too.",
      one(this.received),
    );
    add("engine:bundle_requests_total", "counter", "Bundles received.", one(this.bundles));
    add("engine:up", "gauge", "1 unless it is cold or starting.", one(this.up ? 1 : 0));
    add("engine:cold_starts_total", "counter", "Starts from zero.", one(this.coldStarts));
    return `${lines.join("\n")}\n`;
  }
}

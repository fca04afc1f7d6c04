// What vLLM's /metrics says of its work. Prometheus' text format, summed over its labels.
import type { Progress } from "./model-life.ts";

/** Null where the page is none of vLLM's. */
export function readProgress(page: string): Progress | null {
  const running = sum(page, "vllm:num_requests_running");
  const generated = sum(page, "vllm:generation_tokens_total");
  const prompts = sum(page, "vllm:prompt_tokens_total");
  if (running === null || generated === null || prompts === null) return null;
  return { running, tokens: generated + prompts };
}

function sum(page: string, metric: string): number | null {
  let total: number | null = null;
  for (const line of page.split("\n")) {
    if (!line.startsWith(metric)) continue;
    const after = line.charAt(metric.length);
    if (after !== "{" && after !== " ") continue;
    const value = Number(line.slice(line.lastIndexOf(" ") + 1));
    if (Number.isFinite(value)) total = (total ?? 0) + value;
  }
  return total;
}

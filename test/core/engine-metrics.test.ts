import { expect, test } from "vitest";
import { readProgress } from "../../src/core/engine-metrics.ts";

const page = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 2.0
vllm:num_requests_running{engine="1",model_name="m"} 1.0
vllm:num_requests_waiting{engine="0",model_name="m"} 7.0
vllm:prompt_tokens_total{engine="0",model_name="m"} 1000.0
vllm:generation_tokens_total{engine="0",model_name="m"} 1.5e+06
vllm:generation_tokens_total_created{engine="0"} 1.7e+09
`;

test("running sequences and all tokens are summed over a Model's engines", () => {
  expect(readProgress(page)).toEqual({ running: 3, tokens: 1_501_000 });
});

test("a page without vLLM's figures says nothing", () => {
  expect(readProgress("process_cpu_seconds_total 5\n")).toBeNull();
  expect(readProgress("")).toBeNull();
});

import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import catalogueFile from "../../infra/models.json" with { type: "json" };
import { parseCatalogue } from "../../src/contract/catalogue.ts";

const script = "infra/serving/vllm_arguments.py";
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
const ask = (...options: string[]): unknown =>
  JSON.parse(execFileSync("python3", [script, ...options], { encoding: "utf8", env }));

const gpuModels = [...parseCatalogue(catalogueFile).values()].filter((one) => one.gpu_count > 0);

/** `--name value` pairs and bare `--name`, of which none may stand there twice. */
function flags(list: readonly string[]): Map<string, string | null> {
  const found = new Map<string, string | null>();
  list.forEach((flag, at) => {
    if (!flag.startsWith("--")) return;
    expect(found.has(flag)).toBe(false);
    const next = list[at + 1];
    found.set(flag, next === undefined || next.startsWith("--") ? null : next);
  });
  return found;
}

test.each(gpuModels)("$id is served as its entry says", (model) => {
  const list = ask("--model", model.id, "--host", "0.0.0.0", "--port", "9000") as string[];
  expect(list[0]).toBe(model.repo);
  expect(Object.fromEntries(flags(list))).toMatchObject({
    "--revision": model.revision,
    "--tokenizer-revision": model.revision,
    "--served-model-name": model.id,
    "--host": "0.0.0.0",
    "--port": "9000",
    "--dtype": model.dtype,
    "--tensor-parallel-size": String(model.tensor_parallel),
    "--max-model-len": String(model.max_model_len),
  });
});

test.each(gpuModels)("$id keeps to what the wire contract was written for", ({ id }) => {
  expect(Object.fromEntries(flags(ask("--model", id) as string[]))).toMatchObject({
    "--host": "127.0.0.1",
    "--generation-config": "vllm",
    "--max-logprobs": "-1",
    "--logprobs-mode": "raw_logprobs",
    "--scheduling-policy": "priority",
    "--max-num-batched-tokens": "2048",
    "--gpu-memory-utilization": "0.85",
    "--enable-force-include-usage": null,
    "--enable-prompt-tokens-details": null,
    "--enable-request-id-headers": null,
    "--disable-fastapi-docs": null,
    "--middleware": "continuo_bundle.Bundles",
    "--no-enable-log-requests": null,
  });
});

test("vLLM's queue has an end, and one full request fits into it", () => {
  const list = flags(ask("--model", "llama-3.1-8b") as string[]);
  const value = (flag: string) => Number(list.get(flag));
  expect(value("--max-num-seqs")).toBeGreaterThanOrEqual(256);
  expect(value("--max-num-queued-reqs")).toBeGreaterThan(value("--max-num-seqs"));
  expect(value("--max-num-queued-tokens")).toBeGreaterThan(value("--max-model-len"));
});

test("serving is offline, and neither arguments nor variables have a key", () => {
  expect(ask("--model", "llama-3.1-8b", "--environment")).toEqual({
    HF_HUB_OFFLINE: "1",
    VLLM_NO_USAGE_STATS: "1",
  });
  expect(ask("--model", "llama-3.1-8b")).not.toContain("--api-key");
});

test("a batch-invariant Model has its kernels, few sequences and no prefix cache", () => {
  const [model] = gpuModels;
  const code = [
    "import json, sys; sys.path.insert(0, 'infra/serving')",
    "from vllm_arguments import vllm_arguments, vllm_environment",
    "model = json.loads(sys.argv[1])",
    "print(json.dumps([vllm_arguments(model), vllm_environment(model)]))",
  ].join("\n");
  const entry = JSON.stringify({ ...model, batch_invariant: true });
  const printed = execFileSync("python3", ["-c", code, entry], { encoding: "utf8", env });
  const [list, environment] = JSON.parse(printed) as [string[], Record<string, string>];
  expect(environment).toMatchObject({ VLLM_BATCH_INVARIANT: "1" });
  expect(flags(list).get("--max-num-seqs")).toBe("16");
  expect(list).toContain("--no-enable-prefix-caching");
});

test.each(["local", "nobody"])("%s is no Model with a GPU, and the answer says which are", (id) => {
  const { status, stdout, stderr } = spawnSync("python3", [script, "--model", id], {
    encoding: "utf8",
    env,
  });
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr.trim()).toBe(
    `vllm_arguments.py: no Model with a GPU is called ${id}; infra/models.json has llama-3.1-8b, llama-3.1-405b, olmo-2-7b`,
  );
});

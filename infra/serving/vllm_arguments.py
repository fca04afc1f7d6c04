"""What vLLM is started with, from a Model's entry in the catalogue: the same wherever it runs.

    python3 infra/serving/vllm_arguments.py --model ID [--host HOST] [--port PORT]

prints the arguments that follow `vllm serve` (the entrypoint of vLLM's own image) as a JSON array;
with --environment, the variables that go with them as a JSON object. Neither holds a secret: the
API key is the variable VLLM_API_KEY, so that no list of processes shows it. PYTHONPATH must name the
folder of continuo_bundle.py (infra/bundle), which the arguments name and vLLM imports.
"""
import argparse
import json
import sys
from pathlib import Path

from catalogue import UnknownModel, gpu_model

# One request has at most 256 choices (src/contract/request-limits.ts), so none waits for itself.
MAX_NUM_SEQS = 256
# Batch invariance is paid for by each sequence, and is bought for its repeatable numbers.
BATCH_INVARIANT_MAX_NUM_SEQS = 16
# Running and waiting sequences; above it vLLM answers 503. Without a bound its queue has no end.
# Three full requests may wait behind the one that runs.
MAX_NUM_QUEUED_REQS = 4 * MAX_NUM_SEQS
# Prompt tokens not yet read; above it 503. One full request of 256 choices with 4,096 tokens each.
MAX_NUM_QUEUED_TOKENS = 256 * 4096
# Prompt log-probabilities hold the logits of a whole step: at 6 bytes each, 2,048 tokens over
# 128,256 ids are 1.6 GB, which must fit beside weights and cache.
MAX_NUM_BATCHED_TOKENS = 2048
GPU_MEMORY_UTILIZATION = 0.85


def vllm_image():
    """The one image that every way of serving runs."""
    pinned = Path(__file__).resolve().parent / "vllm.json"
    return json.loads(pinned.read_text(encoding="utf-8"))["image"]


def vllm_arguments(model, host="127.0.0.1", port=8000):
    """The arguments after `vllm serve` for an entry of the catalogue, as a list of strings."""
    invariant = model.get("batch_invariant", False)
    return [
        model["repo"],
        *_option("--revision", model["revision"]),
        *_option("--tokenizer-revision", model["revision"]),
        # Answers name the Model by our id, and no path of the machine.
        *_option("--served-model-name", model["id"]),
        *_option("--host", host),
        *_option("--port", port),
        *_precision(model["dtype"]),
        *_option("--tensor-parallel-size", model["tensor_parallel"]),
        *_option("--max-model-len", model["max_model_len"]),
        # The model's own generation_config.json would change the sampling defaults.
        *_option("--generation-config", "vllm"),
        # No cap here: the gateway caps what one request asks for, in cells and in tokens.
        *_option("--max-logprobs", -1),
        # Before temperature and penalties; another mode answers other numbers.
        *_option("--logprobs-mode", "raw_logprobs"),
        *_option("--max-num-seqs", BATCH_INVARIANT_MAX_NUM_SEQS if invariant else MAX_NUM_SEQS),
        *_option("--max-num-queued-reqs", MAX_NUM_QUEUED_REQS),
        *_option("--max-num-queued-tokens", MAX_NUM_QUEUED_TOKENS),
        *_option("--max-num-batched-tokens", MAX_NUM_BATCHED_TOKENS),
        *_option("--gpu-memory-utilization", GPU_MEMORY_UTILIZATION),
        # The gateway gives each request its priority: live before Jobs.
        *_option("--scheduling-policy", "priority"),
        "--enable-force-include-usage",
        "--enable-prompt-tokens-details",
        "--enable-request-id-headers",
        "--disable-fastapi-docs",
        # A Job sends many items in one request, each with a seed of its own: infra/bundle.
        *_option("--middleware", "continuo_bundle.Bundles"),
        # Prompts stay out of the logs.
        "--no-enable-log-requests",
        *(["--no-enable-prefix-caching"] if invariant else []),
    ]


def vllm_environment(model):
    """The variables of a serving container that are no secrets."""
    return {
        # Weights were downloaded ahead at the pinned revision; a missing file fails at the start.
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        **({"VLLM_BATCH_INVARIANT": "1"} if model.get("batch_invariant", False) else {}),
    }


def _option(name, value):
    return [name, str(value)]


def _precision(dtype):
    # vLLM calls fp8 a quantization of the weights; what it computes with is still bfloat16.
    if dtype == "fp8":
        return [*_option("--dtype", "bfloat16"), *_option("--quantization", "fp8")]
    return _option("--dtype", dtype)


def main():
    parser = argparse.ArgumentParser(description="Prints what vLLM is started with, as JSON.")
    parser.add_argument("--model", required=True, help="an id of infra/models.json")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", default=8000, type=int)
    parser.add_argument("--environment", action="store_true", help="the variables instead")
    asked = parser.parse_args()
    try:
        model = gpu_model(asked.model)
    except UnknownModel as unknown:
        sys.exit(f"vllm_arguments.py: {unknown}")
    printed = (
        vllm_environment(model)
        if asked.environment
        else vllm_arguments(model, asked.host, asked.port)
    )
    print(json.dumps(printed, indent=2))


if __name__ == "__main__":
    main()

"""Serves one Model on Modal: one Server app a Model, from zero on demand.

    CONTINUO_MODEL=llama-3.1-8b CONTINUO_URL=https://api.example.org \
      modal deploy infra/modal/serve.py

All that differs between Models comes from the catalogue, infra/models.json. Modal imports this file
twice: here, to learn what to ask for, and in each container, to run it.
"""
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import modal

REMOTE_INFRA = "/opt/continuo/infra"
INFRA = Path(__file__).resolve().parent.parent if modal.is_local() else Path(REMOTE_INFRA)
sys.path[:0] = [str(INFRA / "modal"), str(INFRA / "serving")]

from catalogue import UnknownModel, gpu_model  # noqa: E402
from vllm_arguments import vllm_arguments, vllm_environment, vllm_image  # noqa: E402
from weights import WEIGHTS_FOLDER, weights_volume  # noqa: E402

PORT = 8000
# Of Modal's proxy in front of the containers, not of the containers: those run wherever GPUs are.
ROUTING_REGION = "us-east"
# A start that takes three times what is typical is stuck; small Models get ten minutes even so.
STARTUP_TIMEOUT_LEAST_SECONDS = 600
STARTUP_TIMEOUT_FACTOR = 3
# Answers that run when a container is replaced may finish; a long stream takes minutes.
EXIT_GRACE_SECONDS = 600
# The requests of one container after which Modal starts another: a quarter of the 256 sequences
# that vLLM runs at once, since one request often has several choices, and one of a Job six items.
TARGET_CONCURRENCY = 64
# What is set aside; more may be used where the machine has it, and Modal bills the larger of both.
# Room for a few requests of the whole vocabulary, 2.5 GB each; weights go through the page cache.
MEMORY_MIB = 16 * 1024
# One core feeds a GPU, the rest tokenize and write JSON.
CPU_BASE = 2
CPU_PER_GPU = 1
HEALTH_POLL_SECONDS = 1


def asked_model():
    try:
        return gpu_model(os.environ.get("CONTINUO_MODEL"))
    except UnknownModel as unknown:
        sys.exit(f"serve.py: {unknown}. Set CONTINUO_MODEL to one of them.")


def asked_url():
    url = os.environ.get("CONTINUO_URL", "")
    if not url.startswith("https://"):
        sys.exit("serve.py: set CONTINUO_URL to the Worker's address, https://…")
    return url


def container_environment(model, url):
    """No secret stands here: an image keeps its variables."""
    return {
        **vllm_environment(model),
        "HF_HUB_CACHE": WEIGHTS_FOLDER,
        "CONTINUO_MODEL": model["id"],
        "CONTINUO_URL": url,
        "CONTINUO_GPU": model["gpu"],
        "CONTINUO_GPU_COUNT": str(model["gpu_count"]),
    }


def scaling(model):
    # With max_containers 1 a new deployment replaces its only container with a pause in between;
    # without it two of them would cost money for a while.
    asked = {
        "min_containers": model["min_containers"],
        "max_containers": model["max_containers"],
        "scaledown_window": model["idle_seconds"],
    }
    # Without a target Modal never adds a container by load.
    if model["max_containers"] > 1:
        asked["target_concurrency"] = TARGET_CONCURRENCY
    return asked


def startup_timeout_seconds(model):
    typical = STARTUP_TIMEOUT_FACTOR * model["typical_start_seconds"]
    return max(STARTUP_TIMEOUT_LEAST_SECONDS, typical)


def is_healthy():
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


MODEL = asked_model()

image = (
    # Modal runs its own Python beside the one that vLLM's image has.
    modal.Image.from_registry(vllm_image(), add_python="3.12")
    # The image's entrypoint is vLLM itself, which the reporter starts here.
    .entrypoint([])
    .env(container_environment(MODEL, asked_url()))
    .add_local_file(INFRA / "models.json", f"{REMOTE_INFRA}/models.json")
    .add_local_dir(INFRA / "modal", f"{REMOTE_INFRA}/modal")
    .add_local_dir(INFRA / "serving", f"{REMOTE_INFRA}/serving")
    .add_local_dir(INFRA / "reporter", f"{REMOTE_INFRA}/reporter")
    .add_local_dir(INFRA / "bundle", f"{REMOTE_INFRA}/bundle")
)

app = modal.App("continuo-" + re.sub(r"[^A-Za-z0-9._-]", "-", MODEL["id"]))


@app.server(
    image=image,
    gpu=f"{MODEL['gpu']}:{MODEL['gpu_count']}",
    cpu=CPU_BASE + CPU_PER_GPU * MODEL["gpu_count"],
    memory=MEMORY_MIB,
    volumes={
        WEIGHTS_FOLDER: weights_volume(),
        # What vLLM compiles at a first start, the next ones find here.
        "/root/.cache/vllm": modal.Volume.from_name("continuo-compiled", create_if_missing=True),
    },
    # VLLM_API_KEY and CONTINUO_REPORT_SECRET.
    secrets=[modal.Secret.from_name("continuo-inference")],
    port=PORT,
    startup_timeout=startup_timeout_seconds(MODEL),
    exit_grace_period=EXIT_GRACE_SECONDS,
    routing_region=ROUTING_REGION,
    # Modal-Key and Modal-Secret on every request: vLLM's own key leaves /metrics and more open.
    unauthenticated=False,
    **scaling(MODEL),
)
class Inference:
    @modal.enter()
    def start(self):
        """Returns when vLLM is healthy. One that ends before ends the container, which costs."""
        vllm = ["vllm", "serve", *vllm_arguments(MODEL, host="0.0.0.0", port=PORT)]
        reporter = str(INFRA / "reporter" / "reporter.py")
        # Not in the image's variables: Modal's own Python shall find what it always finds.
        environment = {**os.environ, "PYTHONPATH": str(INFRA / "bundle")}
        self.reporter = subprocess.Popen([sys.executable, reporter, "--", *vllm], env=environment)
        while self.reporter.poll() is None:
            if is_healthy():
                return
            time.sleep(HEALTH_POLL_SECONDS)
        raise RuntimeError(f"vLLM ended with code {self.reporter.returncode} before it was ready")

    @modal.exit()
    def stop(self):
        """The reporter passes the signal on to vLLM, and says that the container stops."""
        self.reporter.terminate()
        self.reporter.wait()

"""Downloads a Model's weights at its pinned revision into a Modal Volume, without a GPU.

    modal run infra/modal/download.py --model llama-3.1-8b

May be run again: what is there stays, what is missing is fetched.
"""
import sys
from pathlib import Path

import modal

REMOTE_INFRA = "/opt/continuo/infra"
INFRA = Path(__file__).resolve().parent.parent if modal.is_local() else Path(REMOTE_INFRA)
sys.path[:0] = [str(INFRA / "modal"), str(INFRA / "serving")]

from weights import WEIGHTS_FOLDER, weights_volume  # noqa: E402

# Twice what 810 GB take at 100 MB a second.
TIMEOUT_SECONDS = 5 * 3600
# Safetensors and the tokenizer. Llama's repositories hold the weights once more as original/*.pth.
UNUSED_FILES = ["original/*", "*.pth", "*.pt", "*.bin", "*.gguf", "*.onnx"]

app = modal.App("continuo-download")
volume = weights_volume()
image = (
    modal.Image.debian_slim(python_version="3.12")
    .pip_install("huggingface_hub==1.33.0")
    .env({"HF_HUB_CACHE": WEIGHTS_FOLDER, "HF_XET_HIGH_PERFORMANCE": "1"})
    .add_local_dir(INFRA / "modal", f"{REMOTE_INFRA}/modal")
)


@app.function(
    image=image,
    volumes={WEIGHTS_FOLDER: volume},
    # HF_TOKEN, of an account that accepted the licences of gated repositories.
    secrets=[modal.Secret.from_name("continuo-huggingface")],
    cpu=4,
    memory=16 * 1024,
    timeout=TIMEOUT_SECONDS,
)
def download(repo, revision):
    from huggingface_hub import snapshot_download

    folder = snapshot_download(repo, revision=revision, ignore_patterns=UNUSED_FILES)
    volume.commit()
    return folder


@app.local_entrypoint()
def main(model: str):
    from catalogue import UnknownModel, gpu_model

    try:
        entry = gpu_model(model)
    except UnknownModel as unknown:
        sys.exit(f"download.py: {unknown}")
    folder = download.remote(entry["repo"], entry["revision"])
    print(f"{model}: {entry['repo']} at {entry['revision']} is in {folder}")

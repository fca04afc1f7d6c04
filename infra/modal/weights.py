"""Where weights lie on Modal: a Volume that download.py fills and serve.py reads."""
import modal

# Hugging Face's own cache layout, so that vLLM finds a pinned revision offline.
WEIGHTS_FOLDER = "/weights"


def weights_volume():
    return modal.Volume.from_name("continuo-weights", create_if_missing=True)

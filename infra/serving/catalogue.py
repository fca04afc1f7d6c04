"""The catalogue, infra/models.json, as the scripts that start vLLM read it.

Its fields and what must hold between them stand in src/contract/catalogue.ts, which `npm run build`
keeps; here it is only read.
"""
import json
from pathlib import Path

CATALOGUE_FILE = Path(__file__).resolve().parent.parent / "models.json"


class UnknownModel(Exception):
    """Says which Models there are."""


def gpu_models(file=CATALOGUE_FILE):
    """The Models that run on GPUs, by id, in the catalogue's order."""
    models = json.loads(Path(file).read_text(encoding="utf-8"))["models"]
    return {model["id"]: model for model in models if model["gpu_count"] > 0}


def gpu_model(model_id, file=CATALOGUE_FILE):
    """One Model that runs on GPUs; raises UnknownModel for any other id, also for a missing one."""
    models = gpu_models(file)
    if model_id not in models:
        wrong = f"no Model with a GPU is called {model_id}" if model_id else "no Model was named"
        raise UnknownModel(f"{wrong}; infra/models.json has {', '.join(models)}")
    return models[model_id]

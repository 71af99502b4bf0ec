"""`curvecast doctor`: what is installed, which weights, and does a forecast work."""

import argparse
import importlib.metadata
import platform
import time

import curvecast
from curvecast.ground.errors import UserError

OPTIONAL = {  # package: what it is for
    "torch": "training, exact Bayes, and networks of other architectures than the released model",
    "matplotlib": "pictures: -o runs.svg, plot()",
    "tensorboard": "TensorBoard event files",
    "onnx": "export to ONNX",
    "optuna": "the pruner for Optuna",
    "transformers": "the callback for Hugging Face's Trainer",
    "lightning": "the callback for Lightning",
    "keras": "the callback for Keras",
    "ray": "the stopper for Ray Tune",
}
NEEDED = ("numpy", "safetensors")


def doctor(_: argparse.Namespace) -> int:
    """A line for each finding, and at the end which of them are broken."""
    versions = {package: _version(package) for package in (*NEEDED, *OPTIONAL)}
    weights, complete = _weights()
    found = {
        "curvecast": curvecast.__version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        **{package: versions[package] or f"missing: pip install {package}" for package in NEEDED},
        "weights": weights,
        **{
            package: versions[package] or f"not installed; needed for {use}"
            for package, use in OPTIONAL.items()
        },
    }
    broken = [package for package in NEEDED if not versions[package]] + ["weights"] * (not complete)
    found |= {"broken": ", ".join(broken)} if broken else {}
    width = max(map(len, found))
    print("\n".join(f"{label:<{width}}  {text}" for label, text in found.items()))
    return 1 if broken else 0


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _weights() -> tuple[str, bool]:
    """Read, checked against their sum, and tried: what is said, and do they work?"""
    try:
        from curvecast.forecasting import network, shipped
        from curvecast.ground import weights_file

        shipped.load()
        config = weights_file.config_of(weights_file.read(shipped.PATH)[1], shipped.PATH, network.BEHAVIOUR)
        curvecast.forecast([0.3, 0.4, 0.45], check=False)
        begin = time.perf_counter()
        curvecast.forecast([0.3, 0.4, 0.45], check=False)
        ms = 1000 * (time.perf_counter() - begin)
        built = f"{shipped.TITLES['released']}, {config['model']['layers']}x{config['model']['width']}"
        size = f"{config['curves']:,} curves, {shipped.PATH.stat().st_size / 1e6:.1f} MB"
        return f"{built}, {size}, complete; one forecast takes {ms:.1f} ms", True
    except UserError as error:
        return str(error), False
    except Exception as error:  # a doctor does not fall ill: a library that does not load raises all kinds
        said = str(error).strip().split("\n")[0]
        return f"check failed: {type(error).__name__}: {said}", False

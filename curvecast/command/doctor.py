"""`curvecast doctor`: what is installed, which weights, and does a forecast work."""

import argparse
import importlib.metadata
import platform
import time
from typing import NamedTuple

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


class Finding(NamedTuple):
    label: str
    text: str
    works: bool = True


def doctor(_: argparse.Namespace) -> int:
    """A line for each finding, and at the end which of them are broken."""
    versions = {package: _version(package) for package in (*NEEDED, *OPTIONAL)}
    results = [
        Finding("curvecast", curvecast.__version__),
        Finding("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *(Finding(p, versions[p] or f"missing: pip install {p}", bool(versions[p])) for p in NEEDED),
        _weights(),
        *(Finding(p, versions[p] or f"not installed; needed for {use}") for p, use in OPTIONAL.items()),
    ]
    broken = [one.label for one in results if not one.works]
    lines = [*results, Finding("broken", ", ".join(broken))] if broken else results
    width = max(len(one.label) for one in lines)
    print("\n".join(f"{one.label:<{width}}  {one.text}" for one in lines))
    return 1 if broken else 0


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _weights() -> Finding:
    """Read, checked against their sum, and tried."""
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
        return Finding("weights", f"{built}, {size}, complete; one forecast takes {ms:.1f} ms")
    except UserError as error:
        return Finding("weights", str(error), works=False)
    except Exception as error:  # a doctor does not fall ill: a library that does not load raises all kinds
        said = str(error).strip().split("\n")[0]
        return Finding("weights", f"check failed: {type(error).__name__}: {said}", works=False)

"""`curvecast doctor`: what is installed, which device, which weights, and does a forecast work."""

import importlib.metadata
import platform
import time
from collections.abc import Callable

import curvecast
from curvecast.errors import UserError

OPTIONAL = {  # package: what it is for
    "matplotlib": "pictures: -o runs.svg, plot()",
    "tensorboard": "TensorBoard event files",
    "shtab": "shell completion",
    "onnx": "export to ONNX",
}


def report() -> str:
    """A line for each; what is broken is said, and the rest is said as well."""
    lines = [
        ("curvecast", curvecast.__version__),
        ("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *((package, _version(package) or "missing") for package in ("torch", "numpy", "safetensors", "tqdm")),
        ("device", _said(_device)),
        ("weights", _said(_weights)),
        *(
            (package, _version(package) or f"not installed; needed for {use}")
            for package, use in OPTIONAL.items()
        ),
    ]
    width = max(len(label) for label, _ in lines)
    return "\n".join(f"{label:<{width}}  {text}" for label, text in lines)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _said(what: Callable[[], str]) -> str:
    try:
        return what()
    except UserError as error:
        return str(error)
    except ImportError as error:
        return f"cannot be told: {error}"


def _device() -> str:
    """Forecasts are small: they run on the CPU even where there is a GPU."""
    import torch

    gpu = f"; {torch.cuda.get_device_name()} is there, for training" if torch.cuda.is_available() else ""
    return f"CPU, {torch.get_num_threads()} threads{gpu}"


def _weights() -> str:
    """Read, checked against their sum, and tried."""
    from curvecast import shipped
    from curvecast.train import name

    network = shipped.load()
    curvecast.forecast([0.3, 0.4, 0.45], check=False)
    begin = time.perf_counter()
    curvecast.forecast([0.3, 0.4, 0.45], check=False)
    ms = 1000 * (time.perf_counter() - begin)
    size = shipped.PATH.stat().st_size / 1e6
    trained = f"{network.forecaster.config.curves:,} curves"
    return (
        f"{name(network.forecaster.config)}, {trained}, {size:.1f} MB, whole; one forecast takes {ms:.1f} ms"
    )

"""What an answer is made on: processor, graphics card, versions of the libraries."""

import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

LIBRARIES = ("torch", "numpy", "pandas", "scipy", "scikit-learn", "matplotlib", "safetensors")


def hardware() -> dict[str, Any]:
    torch = sys.modules.get("torch")  # not imported just for this: what did not use it did not use a GPU
    gpu = torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "gpu": gpu,
    }


def versions() -> dict[str, str]:
    found = {}
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()

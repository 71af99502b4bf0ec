"""What is noted beside an answer: enough to tell whether it is still true and how to make it again."""

import hashlib
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from curvecast import config as configs
from reproduce._contract import Question
from reproduce._site import keys

LIBRARIES = ("torch", "numpy", "pandas", "scipy", "scikit-learn", "matplotlib", "safetensors")


def receipt(question: Question, part: str, scale: str, seconds: float, root: Path) -> dict[str, Any]:
    config = question.config(scale)
    parts = question.parts(scale)
    commit, dirty = _commit(root)
    return {
        "question": question.name,
        "part": part,
        "parts": parts,
        "scale": scale,
        "config": configs.plain(config),
        "config_hash": configs.digest(config),
        "config_code": keys.config_code(question.name, scale, root),
        "behaviour": keys.behaviour(question.name, root),
        "content_key": keys.content_key(question.name, root),
        "inputs": inputs(question, scale),
        "commit": commit,
        "dirty": dirty,
        "hardware": hardware(),
        "versions": {"python": platform.python_version()} | versions(),
        "seconds": round(seconds, 1),
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": command(question.name, part, scale, parts),
    }


def command(question: str, part: str, scale: str, parts: list[str]) -> str:
    """The command that makes just this part again."""
    only = "" if parts == ["all"] else f" --part {part}"
    return f"python -m reproduce run {question} --scale {scale}{only}"


def inputs(question: Question, scale: str) -> dict[str, str]:
    """The weights that were used, by their sha256; those too large to keep are not there."""
    models = question.models(scale)
    if not models:
        return {}
    from curvecast import train

    paths = {train.name(model): Path(train.weights_path(model)) for model in models}
    return {name: _sha256(path) for name, path in paths.items() if path.is_file()}


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


def _commit(root: Path) -> tuple[str | None, bool | None]:
    """The commit, and whether code or settings differ from it (answers themselves do not count)."""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, timeout=10
        )
        status = ["git", "status", "--porcelain", "--", "curvecast", "reproduce", "constraints.txt"]
        changed = subprocess.run(status, cwd=root, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None, None
    if head.returncode:
        return None, None
    return head.stdout.strip(), bool(changed.stdout.strip())


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""The receipt of an answer: enough to tell whether it is up to date and how to make it again."""

import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from curvecast.ground import config as configs
from reproduce._press import machine
from reproduce._press.answers import freshness, golden
from reproduce._press.answers.inputs import sha256
from reproduce._press.contract import Question

CODE = ("curvecast", "reproduce", "constraints.txt")


def receipt(question: Question, part: str, scale: str, root: Path) -> dict[str, Any]:
    config = question.config(scale)
    parts = question.parts(scale)
    commit, dirty = _commit(root)
    return {
        "question": question.name,
        "part": part,
        "parts": parts,
        "scale": scale,
        "script": question.path.as_posix(),
        "config": configs.plain(config),
        "settings": question.settings(scale),
        "golden": golden.texts(freshness.of(question.name, root).lines),
        "inputs": inputs(question, scale),
        "commit": commit,
        "dirty": dirty,
        "versions": {"python": platform.python_version()} | machine.versions(),
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": command(question.name, part, scale, parts),
    }


def command(question: str, part: str, scale: str, parts: list[str]) -> str:
    """The command that makes just this part again."""
    only = "" if parts == ["all"] else f" --part {part}"
    return f"python -m reproduce run {question} --scale {scale}{only}"


def inputs(question: Question, scale: str) -> dict[str, str]:
    """The weights that were used, by their sha256, without those that are too large to keep."""
    models = question.models(scale)
    if not models:
        return {}
    from curvecast.training import train

    paths = {train.name(model): Path(train.weights_path(model)) for model in models}
    return {name: sha256(path) for name, path in paths.items() if path.is_file()}


def code_changed_since(receipt: dict[str, Any], root: Path) -> bool:
    """Has the code changed since it made an answer? Without git this is unknown and counts as no."""
    commit, _ = _commit(root)
    if commit is None or not receipt["commit"]:
        return False
    command = ["git", "diff", "--quiet", receipt["commit"], "--", *CODE]
    return bool(receipt["dirty"]) or subprocess.run(command, cwd=root, capture_output=True).returncode == 1


def _commit(root: Path) -> tuple[str | None, bool | None]:
    """The commit, and whether code or settings differ from it (answers themselves do not count)."""
    settings: dict[str, Any] = {"cwd": root, "capture_output": True, "text": True, "timeout": 10}
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], check=True, **settings)
        status = subprocess.run(["git", "status", "--porcelain", "--", *CODE], **settings)
    except (OSError, subprocess.SubprocessError):
        return None, None
    return head.stdout.strip(), bool(status.stdout.strip())

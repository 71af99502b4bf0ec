"""The folder for OptunaHub's registry: what the registry asks for is there, and the package works as it loads it."""

from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "for_optunahub" / "package" / "pruners" / "curvecast"


def test_the_folder_has_what_the_registry_asks_for():
    paths = (path for path in PACKAGE.rglob("*") if "__pycache__" not in path.parts)
    names = {path.relative_to(PACKAGE).as_posix() for path in paths}
    assert {"README.md", "LICENSE", "__init__.py", "_pruner.py", "example.py", "requirements.txt"} <= names
    front = (PACKAGE / "README.md").read_text().split("---")[1]
    told = dict(line.split(": ", 1) for line in front.strip().splitlines())
    assert list(told) == ["author", "title", "description", "tags", "optuna_versions", "license"]
    assert "pruner" in told["tags"] and told["license"] == "MIT License"
    assert (PACKAGE / "LICENSE").read_text() == (PACKAGE.parents[3] / "LICENSE").read_text()


def test_optunahub_loads_it_and_it_prunes():
    pytest.importorskip("optunahub", reason="needs optunahub: make adapters installs it")
    program = PACKAGE / "tests" / "test_curvecast_pruner.py"
    own: dict[str, object] = {"__file__": str(program)}
    exec(compile(program.read_text(), str(program), "exec"), own)
    own["test_hopeless_trials_are_pruned"]()  # type: ignore[operator]

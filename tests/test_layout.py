"""Guards the house itself: which way imports go, and that everything has its guard."""

import ast
from pathlib import Path

import pytest

from reproduce import _contract
from reproduce._site import trees

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = sorted((ROOT / "curvecast").glob("*.py"))
RUNNER = sorted((ROOT / "reproduce").glob("_*.py"))
QUESTIONS = [ROOT / "reproduce" / f"{name}.py" for name in _contract.names()]
SITE = sorted((ROOT / "reproduce" / "_site").glob("*.py"))


def imported(path: Path) -> set[str]:
    """The modules that a file imports, as dotted names ('curvecast', 'curvecast.train', 'torch')."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = trees._absolute(node, path, ROOT)
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


def shown(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize("path", LIBRARY, ids=shown(LIBRARY))
def test_the_library_knows_nothing_of_the_questions(path):
    """Imports go tests -> reproduce -> curvecast."""
    assert not {name for name in imported(path) if name.split(".")[0] in ("reproduce", "tests")}


@pytest.mark.parametrize("path", [*QUESTIONS, *RUNNER, *SITE], ids=shown([*QUESTIONS, *RUNNER, *SITE]))
def test_nothing_imports_a_question_or_a_test(path):
    """Questions never import one another; the runner finds them by name."""
    questions = {f"reproduce.{name}" for name in _contract.names()}
    assert not {name for name in imported(path) if name in questions or name.split(".")[0] == "tests"}


@pytest.mark.parametrize("path", SITE, ids=shown(SITE))
def test_the_site_needs_neither_torch_nor_a_question(path):
    """Whatever the site imports, and what that imports, is free of torch."""
    for file in trees.closure(path, ROOT):
        assert "torch" not in {name.split(".")[0] for name in imported(file)}, file
        assert file not in QUESTIONS


@pytest.mark.parametrize("path", LIBRARY, ids=shown(LIBRARY))
def test_each_file_of_the_library_has_its_guard(path):
    """tests/test_x.py guards curvecast/x.py (a docstring and a bare exception need none)."""
    name = "command" if path.stem == "__main__" else path.stem
    assert path.stem in ("__init__", "errors") or (ROOT / "tests" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("path", [*QUESTIONS, *RUNNER], ids=shown([*QUESTIONS, *RUNNER]))
def test_only_the_store_writes_answers(path):
    """No other file of the runner, and no question, opens a file for writing."""
    if path.stem == "_store":
        return
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    names = {getattr(call.func, "attr", "") for call in calls}
    assert not names & {"write_text", "write_bytes", "to_csv", "to_json", "savefig"} or path.stem == "_style"


def test_the_runner_starts_without_heavy_libraries():
    """`list` and `verify` answer at once: torch, pandas and matplotlib are imported when needed."""
    import subprocess
    import sys

    heavy = "{'torch', 'pandas', 'matplotlib', 'numpy'}"
    program = f"import sys, reproduce.__main__; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_no_drawer_called_utils():
    """What has no name has no room."""
    for path in ROOT.glob("*/*.py"):
        assert path.stem.strip("_") not in ("utils", "util", "helpers", "common", "misc"), path


def test_make_alone_tells_every_target_and_its_minutes():
    """`make` is the help: each target with what it does and how long that takes."""
    import re
    import shutil
    import subprocess

    if shutil.which("make") is None:
        pytest.skip("there is no make on this machine")
    text = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    told = dict(re.findall(r"^  make (\w+) +(.*)$", text, flags=re.MULTILINE))
    assert set(told) == {"help", "setup", "reproduce", "test", "check", "serve", "site", "bench", "clean"}
    assert all("min" in line or "at once" in line for name, line in told.items() if name != "help")

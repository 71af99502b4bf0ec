"""Guards the house itself: which way imports go, that each room has its map and its guards, what has a name."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from curvecast.ground import config
from presswork import contract, questions
from presswork.ground import config as tools
from presswork.ground.errors import UserError
from presswork.telling import spent
from tests import house

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("rule", [
    house.wrong_ways, house.circles, house.without_map, house.too_full, house.too_long,
    house.nameless, house.unguarded, house.untrue_map_of_rooms,
], ids=lambda rule: rule.__name__)  # fmt: skip
def test_the_house_keeps_its_rules(rule):
    """Each rule is a function in house.py, which says what is wrong and what to do."""
    assert rule(ROOT) == []


def test_tests_of_the_library_know_no_question():
    """With the lowest versions of all libraries only such tests run as do not name `reproduce`; one says how it shipped."""
    files = house.files(ROOT / "tests", "curvecast")
    knowing = {path.name for path in files if "reproduce" in path.read_text()}
    assert knowing == {"test_shipped.py"}


def test_the_tool_names_no_question_page_or_folder_of_the_blog():
    """What is special about this blog stands in its settings and its plugin."""
    own = [name for name in questions.files(ROOT) if "_" in name]  # others are words that anybody uses
    names = "|".join([*own, "curvecast", "lcpfn", "nats", "laptop", "CURVECAST_\\w+", "reproduce/"])
    told = {path: re.findall(rf"\b(?:{names})\b", path.read_text()) for path in house.files(ROOT, house.TOOL)}
    assert not {house.shown(path, ROOT): found for path, found in told.items() if found}


@pytest.mark.slow
def test_both_hash_settings_alike():
    """Weights carry a hash of the library in their name, receipts one of the tool: the same for all settings of the blog."""
    for question in map(contract.load, contract.names()):
        for scale in contract.SCALES:
            for one in (question.config(scale), *question.models(scale)):
                assert config.digest(one) == tools.digest(one), question.name


def test_all_rooms_of_the_library_are_in_the_list():
    """A new room gets its place in the order before anything is put into it."""
    assert {path.parent.name for path in (ROOT / "curvecast").glob("*/__init__.py")} == set(house.ROOMS)


@pytest.fixture
def made_up(tmp_path):
    """A house of two rooms, two chapters and three questions, in which everything is right."""
    put(tmp_path, "curvecast/__init__.py", "")
    put(tmp_path, "curvecast/curves/prior.py", "import math")
    put(tmp_path, "curvecast/training/train.py", "from curvecast.curves import prior")
    put(tmp_path, "presswork/src/presswork/run.py", "from presswork import plan")
    put(tmp_path, "presswork/src/presswork/plan.py", "")
    put(tmp_path, "reproduce/printed/numbers.py", "")
    put(tmp_path, "reproduce/tides/_moon.py", "from presswork import run")
    ebb = "from reproduce.tides import _moon\nfrom reproduce.printed import numbers"
    put(tmp_path, "reproduce/tides/ebb.py", ebb)
    put(tmp_path, "reproduce/tides/flood/question.py", "from reproduce.tides.flood import draw")
    put(tmp_path, "reproduce/tides/flood/draw.py", "from presswork import run")
    put(tmp_path, "reproduce/winds/gale.py", "import curvecast")
    return tmp_path


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("path", "line", "wrong"), [
    ("curvecast/curves/prior.py", "from curvecast.training import train", "curvecast/training/train.py"),
    ("curvecast/curves/prior.py", "def f():\n    from presswork import run", "presswork/src/presswork/run.py"),
    ("presswork/src/presswork/run.py", "from reproduce.tides import _moon", "reproduce/tides/_moon.py"),
    ("presswork/src/presswork/run.py", "from curvecast.curves import prior", "curvecast/curves/prior.py"),
    ("reproduce/tides/_moon.py", "from reproduce.tides import ebb", "reproduce/tides/ebb.py"),
    ("reproduce/tides/ebb.py", "from reproduce.tides.flood.draw import f", "reproduce/tides/flood/draw.py"),
    ("reproduce/winds/gale.py", "from reproduce.tides._moon import f", "reproduce/tides/_moon.py"),
    ("reproduce/printed/numbers.py", "import presswork.run", "presswork/src/presswork/run.py"),
])  # fmt: skip
def test_imports_go_one_way(made_up, path, line, wrong):
    """Question -> its chapter -> what all share -> the library, whose rooms have an order; never chapter to chapter."""
    assert house.wrong_ways(made_up) == []
    put(made_up, path, line)
    assert house.wrong_ways(made_up) == [f"{path} must not import {wrong}: what both need moves further down"]


def test_two_questions_of_one_name_are_refused(made_up):
    """A name is the wiring, so it leads to one file; the complaint names both."""
    assert list(questions.files(made_up)) == ["ebb", "flood", "gale"]
    put(made_up, "reproduce/winds/ebb/question.py", "")
    both = "'ebb', reproduce/tides/ebb.py and reproduce/winds/ebb/question.py: rename one"
    with pytest.raises(UserError, match=both):
        questions.files(made_up)


MOST = {spent.RUN: 26_000, "make test": 11_000, "make quick": 1_300}  # probes, all jobs and tests together


@pytest.mark.parametrize("command", MOST)
def test_the_last_quiet_run_stays_within_its_budget(command):
    """What adds finds its seconds elsewhere: see presswork/src/presswork/telling/spent.py."""
    took = {what: probes for name, what, probes in spent.read(ROOT) if name == command}
    assert sum(took.values()) - took[spent.TOTAL] <= MOST[command]
    files = {what for what in took if what.endswith(".py")}
    assert all((ROOT / file).is_file() for file in files)


@pytest.mark.parametrize("file", ["README.md", "Makefile", "docs/run-it-yourself.md"])
def test_the_minutes_that_a_reader_is_told_are_those_of_the_last_quiet_run(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    probes = {line[:2]: line.probes for line in spent.read(ROOT)}
    for command in MOST:
        name = command.removeprefix("make ")
        minutes = probes[command, spent.TOTAL] * probes[spent.PROBE, "seconds"] / 60
        found = re.search(rf"^(?:make )?{name}\b.*?\b(\d+) min", text, flags=re.MULTILINE)
        assert (found is None) == (file != "Makefile" and name == "quick"), command
        assert found is None or abs(int(found[1]) - minutes) <= 1, command


def test_only_the_store_writes_answers():
    """No other file of the engine, and no question, opens a file for writing."""
    writing = {"write_text", "write_bytes", "to_csv", "to_json", "savefig"}
    allowed = {
        "presswork/src/presswork/store.py",
        "presswork/src/presswork/style.py",
        "presswork/src/presswork/site/provenance.py",
    }
    for path in house.files(ROOT, "reproduce", house.TOOL):
        if not any(name in (text := path.read_text()) for name in writing):
            continue
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        found = {getattr(call.func, "attr", "") for call in calls} & writing
        assert not found or house.shown(path, ROOT) in allowed, path


@pytest.mark.slow
@pytest.mark.parametrize("module", ["reproduce.__main__", "presswork.palette"])
def test_the_runner_and_the_colours_come_without_heavy_libraries(module):
    """`list` and `verify` answer at once, and the site makes drawings dark without matplotlib."""
    heavy = "{'torch', 'pandas', 'matplotlib', 'numpy'}"
    program = f"import sys, {module}; print({heavy} & set(sys.modules))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_make_alone_tells_every_target_and_its_minutes(tmp_path):
    """`make` is the help: each target, but for a part of another one, with what it does and how long that takes."""
    text = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    told = dict(re.findall(r"^  make ([\w-]+) +(.*)$", text, flags=re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    assert set(told) == set(targets.split()) - {"runtime"}
    assert all("min" in line or "at once" in line for name, line in told.items() if name != "help")
    put(tmp_path, "runs/lock", "")
    subprocess.run(["make", "-s", "-f", ROOT / "Makefile", "clean"], cwd=tmp_path, check=True)
    assert (tmp_path / "runs/lock").is_file()  # else a second run would begin beside the first

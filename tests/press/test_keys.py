"""Guards the keys of answers (keys.py, definitions.py): what counts as a change, and what is told about an answer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reproduce._press.answers import definitions, keys, receipts, sameness
from reproduce._press.answers.definition_text import text_of
from reproduce._press.answers.source_files import Definition

QUESTION = '''"""How steep?"""

import json
from dataclasses import dataclass
import numpy as np
from curvecast import metrics, train
from curvecast.config import later
from reproduce import _style, _sizes
from reproduce._contract import Claim

COUNT = 3

@dataclass(frozen=True)
class Config:
    """What is chosen."""
    n: int = COUNT
    sizes: tuple = ("large",)
    extra: int = later(0)

SCALES = {"smoke": Config(1), "laptop": Config(2), "paper": Config(9)}

def models(config):
    return [_sizes.SIZES[name] for name in config.sizes]

def measure(config: Config, part: str) -> float:
    from . import _inside
    _started()
    return metrics.score(config.n) + _inside.x + np.pi  # a comment

def _started():
    return ["-m", "reproduce._program"], "table.csv"

def draw(rows):
    return _style.colour("ours")

def claims(rows):
    return [Claim()]
'''
FILES = {
    "curvecast/__init__.py": '_FROM = {"wobble": "noise"}\ndef __getattr__(_):\n    import curvecast.heavy\n',
    "curvecast/config.py": "def later(x):\n    return x\n",
    "curvecast/metrics.py": "BEHAVIOUR = 2\nfrom . import deep\n"
    "def score(x):\n    return deep.f(x)\ndef idle():\n    return 1\n",
    "curvecast/deep.py": "import json\ndef f(x):\n    return x\n"
    "class Kept:\n    a: int = 1\n    def g(self):\n        return f(2)\n",
    "curvecast/train.py": "BEHAVIOUR = 1\nfrom dataclasses import dataclass\n"
    "@dataclass\nclass TrainConfig:\n    curves: int = 5\n",
    "curvecast/noise.py": "BEHAVIOUR = 7\ndef wobble():\n    return 1\n",
    "curvecast/heavy.py": "",
    "reproduce/__init__.py": "",
    "reproduce/_style.py": "def colour(m):\n    return m\n",
    "reproduce/_sizes.py": "from curvecast.train import TrainConfig\nSIZES = {'large': TrainConfig(1)}\n",
    "reproduce/_inside.py": "x = 1\n",
    "reproduce/_program.py": "def main():\n    return 1\n",
    "reproduce/table.csv": "a\n1\n",
    "reproduce/_contract.py": "class Claim: pass\n",
    "reproduce/steep.py": QUESTION,
}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def change(tree: Path, file: str, old: str, new: str) -> None:
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new))


def key(tree: Path) -> str:
    return keys.content_key("steep", "laptop", tree)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("reproduce/steep.py", "  # a comment", "  # another comment\n\n"),
        ("reproduce/steep.py", '"""What is chosen."""', '"""What is chosen, in other words."""'),
        ("reproduce/steep.py", "metrics.score(config.n)", "metrics.score(\n        config.n,\n    )"),
        ("reproduce/steep.py", "config: Config, part: str) -> float", "config, part)"),
        ("curvecast/deep.py", "def f", '"""A docstring."""\n\ndef f'),
        ("reproduce/steep.py", '"""How steep?"""', '"""How steep is it?"""'),
        ("curvecast/deep.py", "def f(x):\n", 'def f(x):\n    """Now explained."""\n'),
        ("curvecast/metrics.py", "def idle", "def unused():\n    return 3\ndef idle"),
        ("curvecast/metrics.py", "def idle():\n    return 1\n", ""),
        ("reproduce/steep.py", 'colour("ours")', 'colour("paper")'),
        ("reproduce/_style.py", "return m", "return m + m"),
        ("reproduce/_contract.py", "pass", "x = 1"),
        ("curvecast/heavy.py", "", "x = 1"),
        ("reproduce/steep.py", "Config(9)", "Config(10)"),
        ("reproduce/steep.py", "    extra: int = later(0)\n", "    extra: int = later(0)\n    more: int = later(1)\n"),
        ("curvecast/__init__.py", '"wobble": "noise"', '"wobble": "noise", "more": "deep"'),
        ("reproduce/steep.py", "import numpy as np", "import numpy"),
    ],
)  # fmt: skip
def test_what_cannot_change_rows_does_not_count(tree, file, old, new):
    """Comments, docstrings, types, formatting, drawing, claims, idle functions and other scales leave the key alone."""
    before = key(tree)
    change(tree, file, old, new)
    if new == "import numpy":
        change(tree, file, "np.pi", "numpy.pi")
    assert key(tree) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("reproduce/steep.py", "config.n)", "config.n + 1)"),
        ("reproduce/steep.py", "COUNT = 3", "COUNT = 4"),
        ("reproduce/steep.py", "Config(2)", "Config(3)"),
        ("reproduce/steep.py", "import numpy as np", "import math as np"),
        ("curvecast/metrics.py", "deep.f(x)", "deep.f(x) + 1"),
        ("curvecast/deep.py", "return x", "return -x"),
        ("curvecast/train.py", "curves: int = 5", "curves: int = 6"),
        ("reproduce/_sizes.py", "TrainConfig(1)", "TrainConfig(2)"),
        ("reproduce/_inside.py", "x = 1", "x = 2"),
        ("reproduce/_program.py", "return 1", "return 2"),
        ("reproduce/table.csv", "1", "2"),
    ],
)
def test_what_can_change_rows_counts(tree, file, old, new):
    """The question, its settings, every helper that is used, programs that are started and data that are read."""
    before = key(tree)
    change(tree, file, old, new)
    assert key(tree) != before


@pytest.mark.parametrize(
    "inner", ["[_started for _started in ()]", "def inner():\n        _started = 1", "lambda _started: 1"]
)
def test_a_helper_counts_although_its_name_is_another_thing_further_inside(tree, inner):
    """A variable of a comprehension or of an inner function hides no helper that is called outside of it."""
    change(tree, "reproduce/steep.py", "    _started()\n", f"    _started()\n    {inner}\n")
    before = key(tree)
    change(tree, "reproduce/steep.py", '"-m", ', '"-mm", ')
    assert key(tree) != before


def test_a_file_that_is_moved_and_renamed_changes_no_key(tree):
    """Helpers, programs, data and the question itself may stand anywhere, and be imported in any way."""
    before, drawing = key(tree), keys.drawing_key("steep", tree)
    (tree / "curvecast" / "judge").mkdir()
    (tree / "curvecast" / "judge" / "__init__.py").touch()
    (tree / "curvecast" / "deep.py").rename(tree / "curvecast" / "judge" / "far.py")
    change(tree, "curvecast/metrics.py", "from . import deep", "from curvecast.judge.far import f as found")
    change(tree, "curvecast/metrics.py", "deep.f(x)", "found(x)")
    (tree / "reproduce" / "chapter" / "steep").mkdir(parents=True)
    (tree / "reproduce" / "chapter" / "__init__.py").touch()
    for name in ("_program.py", "_inside.py", "table.csv", "steep.py"):
        to = {"_program.py": "race.py", "steep.py": "question.py", "_inside.py": "inside.py"}.get(name, name)
        (tree / "reproduce" / name).rename(tree / "reproduce" / "chapter" / "steep" / to)
    moved = "reproduce/chapter/steep/question.py"
    change(tree, moved, "reproduce._program", "reproduce.chapter.steep.race")
    change(tree, moved, "from . import _inside", "from reproduce.chapter.steep import inside")
    change(tree, moved, "_inside.x", "inside.x")
    assert key(tree) == before
    assert keys.drawing_key("steep", tree) == drawing


def test_two_helpers_that_change_places_change_the_key(tree):
    """Blind to places does not mean blind to what is used where."""
    (tree / "curvecast" / "other.py").write_text("def f(x):\n    return x * 9\n")
    change(
        tree,
        "reproduce/steep.py",
        "from curvecast import metrics",
        "from curvecast import metrics, deep, other",
    )
    change(tree, "reproduce/steep.py", "metrics.score(config.n)", "deep.f(1) - other.f(2)")
    before = key(tree)
    change(tree, "reproduce/steep.py", "deep.f(1) - other.f(2)", "other.f(1) - deep.f(2)")
    assert key(tree) != before


@pytest.mark.parametrize(
    "text",
    [
        "import curvecast.deep\nx = curvecast.deep.f",
        "from curvecast import deep\nx = deep.f(1)",
        "from curvecast.deep import f\nx = f",
        "import curvecast.deep as d\nx = d.f",
        "def x():\n    from curvecast.deep import f as g\n    return g(1)",
    ],
)
def test_every_form_of_import_is_followed(tree, text):
    """A definition is found however it is imported, and alone."""
    path = tree / "reproduce" / "other.py"
    path.write_text(text)
    found = text_of(Definition(path, "x"), tree).reached
    assert [(d.file.name, d.name) for d in found] == [("deep.py", "f")]


@pytest.mark.parametrize(
    "text", ["from curvecast import wobble\nx = wobble()", "import curvecast\nx = curvecast.wobble"]
)
def test_a_lazy_name_leads_to_its_definition_alone(tree, text):
    """A name that the package fetches lazily counts as what it is there; the other lazy names do not."""
    path = tree / "reproduce" / "other.py"
    path.write_text(text)
    found = text_of(Definition(path, "x"), tree).reached
    assert [(d.file.name, d.name) for d in found] == [("noise.py", "wobble")]


def test_a_name_bound_inside_a_function_is_its_own(tree):
    """A parameter that is called like a module of ours leads nowhere."""
    path = tree / "reproduce" / "other.py"
    path.write_text("from curvecast import deep\ndef x(deep):\n    return deep.f")
    assert text_of(Definition(path, "x"), tree).reached == []


def test_the_drawing_key_covers_the_drawing(tree):
    """What a figure looks like has a key of its own."""
    before = keys.drawing_key("steep", tree)
    change(tree, "reproduce/_style.py", "return m", "return m + m")
    assert keys.drawing_key("steep", tree) != before


def test_behaviour_numbers_are_read_without_import(tree):
    """Numbers of the files of curvecast that the rows rest on, and of no others."""
    assert keys.behaviour("steep", tree) == {"metrics": 2, "train": 1}
    change(tree, "reproduce/_sizes.py", "TrainConfig(1)", "1")
    assert keys.behaviour("steep", tree) == {"metrics": 2}


def test_the_settings_key_sees_what_is_asked_and_nothing_else(tree):
    """Constants and fields of this scale count, those of shared trainings too; code, other scales and later fields do not."""

    def settings() -> str:
        return keys.settings_key("steep", "laptop", tree)

    before = settings()
    change(tree, "reproduce/steep.py", "Config(9)", "Config(10)")
    change(
        tree,
        "reproduce/steep.py",
        "    extra: int = later(0)\n",
        "    extra: int = later(0)\n    more: int = later(1)\n",
    )
    change(tree, "reproduce/steep.py", "for name in config.sizes]", "for name in sorted(config.sizes)]")
    change(tree, "curvecast/metrics.py", "deep.f(x)", "deep.f(x) + 1")
    assert settings() == before
    for file, old, new in (
        ("reproduce/_sizes.py", "TrainConfig(1)", "TrainConfig(2)"),
        ("curvecast/train.py", "curves: int = 5", "curves: int = 6"),
        ("reproduce/steep.py", "COUNT = 3", "COUNT = 4"),
        ("reproduce/steep.py", "Config(2)", "Config(3)"),
    ):
        change(tree, file, old, new)
        assert settings() != before
        before = settings()


def answer(tree: Path, **other) -> None:
    """An answer that is fresh, except for what `other` says."""
    receipt = {
        "question": "steep", "part": "all", "parts": ["all"], "scale": "laptop", "config_hash": "c0ffee",
        "settings_key": keys.settings_key("steep", "laptop", tree), "behaviour": keys.behaviour("steep", tree),
        "content_key": keys.content_key("steep", "laptop", tree), "commit": None, "inputs": {},
    }  # fmt: skip
    path = tree / "figures" / "steep" / "laptop" / receipts.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(receipts.together([receipt | other])))


def state(tree: Path, **more) -> str:
    return keys.freshness("steep", "laptop", tree, **more).state


def test_freshness_tells_its_states(tree):
    """Missing without a receipt; fresh; code changed; stale when settings, behaviour or weights differ."""
    assert state(tree) == "missing"
    answer(tree)
    assert state(tree) == "fresh"
    answer(tree, content_key="0")
    assert state(tree) == "code changed"
    answer(tree, behaviour={"metrics": 1})
    assert state(tree) == "stale"
    answer(tree, settings_key="0")
    assert state(tree) == "stale"


def test_replaced_weights_make_an_answer_stale(tree):
    """A receipt's inputs are held against the weights that are committed; those that are not kept cannot be."""
    weights = tree / "weights" / "published" / "ours-1x64.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"new")
    answer(tree, inputs={"ours-1x64": definitions.data_hash(weights), "ours-huge": "0"})
    assert state(tree) == "fresh"
    answer(tree, inputs={"ours-1x64": "0"})
    assert state(tree) == "stale"


def test_the_network_that_the_code_names_is_an_input(tree):
    """Weights that lie beside the code count by their bytes: new ones make the answer stale, not its code changed."""
    weights = tree / "curvecast" / "net.safetensors"
    weights.write_bytes(b"old")
    change(tree, "curvecast/deep.py", "return x", "return x, 'net.safetensors'")
    answer(tree, inputs=keys.named_weights("steep", "laptop", tree))
    assert state(tree) == "fresh"
    weights.write_bytes(b"new")
    assert state(tree) == "stale"
    assert "net" in keys.freshness("steep", "laptop", tree).detail


def test_a_known_config_hash_decides_exactly(tree):
    """Where the config can be computed, its hash decides and the key of the settings does not."""
    answer(tree, settings_key="0")
    assert state(tree, config_hash="c0ffee") == "fresh"
    assert state(tree, config_hash="decaf") == "stale"


def test_missing_parts_are_counted(tree):
    """An answer of which only some parts were measured says how many are missing."""
    answer(tree, part="a", parts=["a", "b", "c"])
    assert "1 of 3 parts" in keys.freshness("steep", "laptop", tree).detail


def takes(tree: Path, *pairs: tuple[str, str]) -> None:
    """Committed smoke rows: (content key, the one number that it gave)."""
    found = [
        sameness.Take({name}, "a CPU", "c0ffee", {"rows.seconds"},
                      {"rows": {"n": ["3"], "score": [value], "seconds": [str(i)]}})
        for i, (name, value) in enumerate(pairs)
    ]  # fmt: skip
    path = tree / "figures" / "steep" / sameness.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(sameness.write(found))


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ("0.5", "0.5", "same numbers since"),
        ("0.5", "0.5001", "same numbers since"),
        ("0.5", "0.52", "code changed"),
        ("0.5", "", "code changed"),
        ("0.5", "word", "code changed"),
        ("3", "4", "code changed"),
    ],
)
def test_same_numbers_since_rests_on_smoke_rows(tree, then, now, expected):
    """Changed code counts as the same only where the rows of both agree; a renewed key hides nothing."""
    answer(tree, content_key="before")
    takes(tree, ("before", then), (key(tree), now))
    found = keys.freshness("steep", "laptop", tree)
    assert found.state == expected
    assert "smoke scale" in found.detail
    takes(tree, ("before", then))
    assert "nobody has compared" in keys.freshness("steep", "laptop", tree).detail


def test_smoke_rows_of_two_kinds_of_cpu_are_not_compared(tree):
    """Sums come in another order elsewhere: equality is only claimed on one kind."""
    answer(tree, content_key="before")
    takes(tree, ("before", "1"), (key(tree), "1"))
    path = tree / "figures" / "steep" / sameness.FILE
    found = sameness.read(path)
    found[0].cpu = "another"
    path.write_bytes(sameness.write(found))
    assert state(tree) == "code changed"


def test_a_smoke_file_that_is_cut_off_counts_as_none(tree):
    """Half a file proves nothing."""
    answer(tree, content_key="before")
    takes(tree, ("before", "1"), (key(tree), "1"))
    path = tree / "figures" / "steep" / sameness.FILE
    path.write_bytes(path.read_bytes()[:-20])
    assert state(tree) == "code changed"


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_every_python_computes_the_same_key(tree, version):
    """Syntax trees differ between versions of Python; keys do not."""
    import shutil

    python = shutil.which(f"python{version}")
    works = python and subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode == 0
    if not works:
        pytest.skip(f"no Python {version} on this machine")
    root = Path(keys.__file__).parents[3]
    program = "from reproduce._press.answers.keys import *; import sys; print(drawing_key('steep', Path(sys.argv[1])))"
    done = subprocess.run([python, "-c", program, tree], cwd=root, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == keys.drawing_key("steep", tree)
    assert sys.version_info >= (3, 11)

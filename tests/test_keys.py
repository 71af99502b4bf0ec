"""Guards reproduce/_site/keys.py and trees.py: what counts as a change, and what is told about an answer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reproduce._site import keys, trees

QUESTION = '''"""How steep?"""

from dataclasses import dataclass
from curvecast import metrics, train
from reproduce import _style, _sizes
from reproduce._contract import Claim

COUNT = 3

@dataclass(frozen=True)
class Config:
    """What is chosen."""
    n: int = COUNT
    extra: int = later(0)

SCALES = {"smoke": Config(1), "laptop": Config(2), "paper": Config(9)}

def measure(config, part):
    from .  import _inside
    return metrics.score(config.n) + _sizes.SIZE  # a comment

def draw(rows):
    return _style.colour("ours")

def claims(rows):
    return [Claim()]
'''
FILES = {
    "curvecast/__init__.py": '_FROM = {"wobble": "noise"}\ndef __getattr__(_):\n    import curvecast.heavy\n',
    "curvecast/metrics.py": "BEHAVIOUR = 2\nfrom . import deep\ndef score(x):\n    return deep.f(x)\n",
    "curvecast/deep.py": "def f(x):\n    return x\n",
    "curvecast/train.py": "BEHAVIOUR = 1\n",
    "curvecast/noise.py": "BEHAVIOUR = 7\n",
    "curvecast/heavy.py": "",
    "reproduce/__init__.py": "",
    "reproduce/_style.py": "def colour(m):\n    return m\n",
    "reproduce/_sizes.py": "SIZE = 1\n",
    "reproduce/_inside.py": "x = 1\n",
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


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("reproduce/steep.py", "  # a comment", "  # another comment\n\n"),
        ("reproduce/steep.py", '"""What is chosen."""', '"""What is chosen, in other words."""'),
        ("reproduce/steep.py", "metrics.score(config.n)", "metrics.score(\n        config.n,\n    )"),
        ("curvecast/deep.py", "def f", '"""A docstring."""\n\ndef f'),
        ("reproduce/steep.py", '"""How steep?"""', '"""How steep is it?"""'),
        ("curvecast/deep.py", "def f(x):\n", 'def f(x):\n    """Now explained."""\n'),
        ("reproduce/steep.py", 'colour("ours")', 'colour("paper")'),
        ("reproduce/_style.py", "return m", "return m + m"),
        ("reproduce/_contract.py", "pass", "x = 1"),
        ("curvecast/heavy.py", "", "x = 1"),
        ("reproduce/steep.py", "Config(9)", "Config(10)"),
        ("curvecast/__init__.py", '"wobble": "noise"', '"wobble": "noise", "more": "deep"'),
    ],
)
def test_what_cannot_change_rows_does_not_count(tree, file, old, new):
    """Comments, docstrings, formatting, drawing, claims, lazy imports and other scales leave the content key alone."""
    before = keys.content_key("steep", "laptop", tree)
    change(tree, file, old, new)
    assert keys.content_key("steep", "laptop", tree) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("reproduce/steep.py", "config.n)", "config.n + 1)"),
        ("reproduce/steep.py", "COUNT = 3", "COUNT = 4"),
        ("reproduce/steep.py", "Config(2)", "Config(3)"),
        ("curvecast/metrics.py", "deep.f(x)", "deep.f(x) + 1"),
        ("curvecast/deep.py", "return x", "return -x"),
        ("reproduce/_sizes.py", "1", "2"),
        ("reproduce/_inside.py", "x = 1", "x = 2"),
    ],
)
def test_what_can_change_rows_counts(tree, file, old, new):
    """The question, its settings and every helper count, also through relative imports inside functions."""
    before = keys.content_key("steep", "laptop", tree)
    change(tree, file, old, new)
    assert keys.content_key("steep", "laptop", tree) != before


@pytest.mark.parametrize(
    "line",
    [
        "import curvecast.deep",
        "from curvecast import deep",
        "from curvecast.deep import f",
        "import curvecast.deep as d",
    ],
)
def test_every_form_of_import_is_followed(tree, line):
    """A file is found however it is imported."""
    (tree / "reproduce" / "other.py").write_text(line)
    assert tree / "curvecast" / "deep.py" in trees.closure(tree / "reproduce" / "other.py", tree)


def test_relative_imports_are_followed(tree):
    """`from . import x` and `from .x import y` mean files beside the importing one."""
    (tree / "reproduce" / "other.py").write_text(
        "from . import _style\nfrom ._sizes import SIZE\nfrom .. import nothing\n"
    )
    found = {path.name for path in trees.closure(tree / "reproduce" / "other.py", tree)}
    assert found == {"other.py", "_style.py", "_sizes.py"}


@pytest.mark.parametrize("line", ["from curvecast import wobble", "import curvecast\nx = curvecast.wobble"])
def test_a_lazy_name_leads_to_its_file_alone(tree, line):
    """A name that the package fetches lazily counts as its file; the other lazy names do not."""
    (tree / "reproduce" / "other.py").write_text(line)
    found = {path.name for path in trees.closure(tree / "reproduce" / "other.py", tree)}
    assert found == {"other.py", "noise.py"}


def test_the_drawing_key_covers_the_drawing(tree):
    """What a figure looks like has a key of its own."""
    before = keys.drawing_key("steep", tree)
    change(tree, "reproduce/_style.py", "return m", "return m + m")
    assert keys.drawing_key("steep", tree) != before


def test_behaviour_numbers_are_read_without_import(tree):
    """Numbers of the files of curvecast that the rows rest on, and of no others."""
    assert keys.behaviour("steep", tree) == {"metrics": 2}
    change(tree, "reproduce/steep.py", "metrics.score(config.n)", "metrics.score(train.x)")
    assert keys.behaviour("steep", tree) == {"metrics": 2, "train": 1}


def test_config_code_sees_its_own_scale_only(tree):
    """Settings of one scale do not depend on those of another, nor on a field declared as added later."""
    laptop, paper = (keys.config_code("steep", scale, tree) for scale in ("laptop", "paper"))
    change(tree, "reproduce/steep.py", "Config(9)", "Config(10)")
    change(
        tree,
        "reproduce/steep.py",
        "    extra: int = later(0)\n",
        "    extra: int = later(0)\n    more: int = later(1)\n",
    )
    assert keys.config_code("steep", "laptop", tree) == laptop
    assert keys.config_code("steep", "paper", tree) != paper
    change(tree, "reproduce/steep.py", "COUNT = 3", "COUNT = 4")
    assert keys.config_code("steep", "laptop", tree) != laptop


def answer(tree: Path, **other) -> Path:
    """An answer that is fresh, except for what `other` says."""
    receipt = {
        "question": "steep", "part": "all", "parts": ["all"], "scale": "laptop", "config_hash": "c0ffee",
        "config_code": keys.config_code("steep", "laptop", tree), "behaviour": keys.behaviour("steep", tree),
        "content_key": keys.content_key("steep", "laptop", tree), "commit": None,
    }  # fmt: skip
    path = tree / "figures" / "steep" / "laptop" / "receipt.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(receipt | other))
    return path


def test_freshness_tells_four_states(tree):
    """Missing without a receipt; fresh; code changed; stale when settings or behaviour differ."""
    assert keys.freshness("steep", "laptop", tree).state == "missing"
    answer(tree)
    assert keys.freshness("steep", "laptop", tree).state == "fresh"
    answer(tree, content_key="0")
    assert keys.freshness("steep", "laptop", tree).state == "code changed"
    answer(tree, behaviour={"metrics": 1})
    assert keys.freshness("steep", "laptop", tree).state == "stale"
    answer(tree, config_code="0")
    assert keys.freshness("steep", "laptop", tree).state == "stale"


def test_a_known_config_hash_decides_exactly(tree):
    """Where the config can be computed, its hash decides and the code of the settings does not."""
    answer(tree, config_code="0")
    assert keys.freshness("steep", "laptop", tree, config_hash="c0ffee").state == "fresh"
    assert keys.freshness("steep", "laptop", tree, config_hash="decaf").state == "stale"


def test_missing_parts_are_counted(tree):
    """An answer of which only some parts were measured says how many are missing."""
    answer(tree, part="a", parts=["a", "b", "c"])
    assert "2 of 3 parts are missing" in keys.freshness("steep", "laptop", tree).detail


def test_commits_since_are_counted_where_there_is_git(tree):
    """'code changed since, n commits' counts the commits that touched a file of the closure."""

    def git(*command: str) -> str:
        names = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.run(
            ["git", *names, *command], cwd=tree, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    answer(tree, commit=git("rev-parse", "HEAD").strip())
    for number in (1, 2):
        change(tree, "curvecast/deep.py", "return", "return 1 +")
        git("commit", "-qam", f"change {number}")
    change(tree, "curvecast/heavy.py", "", "x = 1")
    git("commit", "-qam", "not ours")
    assert keys.freshness("steep", "laptop", tree).detail == "the code changed since, 2 commits"


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_every_python_computes_the_same_key(tree, version):
    """Syntax trees differ between versions of Python; keys do not."""
    import shutil

    python = shutil.which(f"python{version}")
    works = python and subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode == 0
    if not works:
        pytest.skip(f"no Python {version} on this machine")
    root = Path(keys.__file__).parents[2]
    program = "from reproduce._site.keys import *; import sys; print(drawing_key('steep', Path(sys.argv[1])))"
    done = subprocess.run([python, "-c", program, tree], cwd=root, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == keys.drawing_key("steep", tree)
    assert sys.version_info >= (3, 11)

"""What pyproject.toml asks for is used and has one version, and a clone is small, and stays so."""

import re
import subprocess
import tomllib
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

IMPORTED_AS = {"scikit-learn": "sklearn"}  # others are imported by their own name, with _ for -
NAMED = {  # used without being imported: where, and as what
    "accelerate": ("pyproject.toml", "its Trainer needs accelerate"),
    "mkdocs-jupyter": ("mkdocs.yml", "- mkdocs-jupyter:"),
    "mkdocs-macros-plugin": ("mkdocs.yml", "- macros:"),
    "mkdocs-material": ("mkdocs.yml", "name: material"),
    "mypy": ("Makefile", "-m mypy"),
    "pymdown-extensions": ("mkdocs.yml", "- pymdownx."),
    "pytest-xdist": ("Makefile", "--dist worksteal"),
    "ruff": ("Makefile", "-m ruff"),
    "setuptools": ("pyproject.toml", "setuptools.build_meta"),
    "snakemake": ("reproduce/_press/engine.py", '"-m", "snakemake"'),
    "snakemake-executor-plugin-slurm": ("profiles/slurm/config.yaml", "executor: slurm"),
    "zizmor": ("Makefile", "bin/zizmor"),
}


def declared() -> set[str]:
    """Every distribution that pyproject.toml names, for whatever purpose."""
    groups = {**PROJECT["project"]["optional-dependencies"], **PROJECT["dependency-groups"]}
    lines = [*PROJECT["project"]["dependencies"], *(line for group in groups.values() for line in group)]
    return {re.match(r"[\w.-]+", line)[0].lower() for line in lines if isinstance(line, str)}


def imported() -> set[str]:
    """The first names of all that our code, tests and notebooks import."""
    files = [p for room in ("curvecast", "reproduce", "tests") for p in (ROOT / room).rglob("*.py")]
    texts = (p.read_text(encoding="utf-8") for p in [*files, *(ROOT / "docs").rglob("*.ipynb")])
    pattern = re.compile(r"""(?:^\s*"?|; )(?:import|from) (\w+)|importorskip\(\s*"(\w+)""", re.MULTILINE)
    return {name for text in texts for pair in pattern.findall(text) for name in pair if name}


def test_every_dependency_is_used() -> None:
    """Each declared distribution is imported somewhere, or named by the file that makes use of it."""
    names = imported()
    unused = {name for name in declared() if IMPORTED_AS.get(name, name.replace("-", "_")) not in names}
    assert unused == set(NAMED), "remove them from pyproject.toml, or say in NAMED who uses them"
    for file, words in NAMED.values():
        assert words in (ROOT / file).read_text(encoding="utf-8"), (file, words)


def test_every_version_is_fixed() -> None:
    """constraints.txt has one exact version of all that a set-up installs, for pip as well."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    fixed = [re.fullmatch(r"([\w.-]+)==[\w.+!-]+", line) for line in lines if not line.startswith("#")]
    names = [found[1].lower().replace("_", "-") for found in fixed if found]
    # as the Makefile has it, and groups
    asked = [*PROJECT["project"]["optional-dependencies"]["tensorboard"]]
    used = (PROJECT["dependency-groups"][one] for one in ("train", "reproduce", "export", "site", "test"))
    asked += [line for group in used for line in group if isinstance(line, str)]
    wanted = {re.match(r"[\w.-]+", line)[0].lower().replace("_", "-") for line in asked}
    assert None not in fixed and len(set(names)) == len(names)
    assert wanted - set(names) <= {"torch"}, "torch has a version of its own in the Makefile"


# In bytes: all tracked files (a warning, then a failure), one file, weights/published/.
NEARLY_FULL, TREE, FILE, WEIGHTS = 40_000_000, 45_000_000, 1_000_000, 10_000_000


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """The tracked files, as they lie here."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("there is no git here to say what is tracked")
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return {str(path.relative_to(ROOT)): path.stat().st_size for path in paths if path.is_file()}


@pytest.mark.filterwarnings("default:the tracked tree")
def test_the_tracked_tree_is_small(sizes):
    """Rows are packed, drawings are kept once, receipts share what they have in common."""
    heaviest = sorted(sizes, key=sizes.__getitem__)[-5:]
    told = f"the tracked tree has {sum(sizes.values()) / 1e6:.1f} MB; the heaviest files: {heaviest}"
    assert sum(sizes.values()) <= TREE, told
    if sum(sizes.values()) > NEARLY_FULL:
        warnings.warn(told, stacklevel=1)


def test_no_file_but_weights_is_large(sizes):
    """Most of a megabyte is a mistake; larger weights are made again, or released."""
    published = {name: size for name, size in sizes.items() if name.startswith("weights/")}
    assert not [name for name, size in sizes.items() if size > FILE and name not in published]
    assert sum(published.values()) <= WEIGHTS
    assert all(name.startswith("weights/published/") for name in published)

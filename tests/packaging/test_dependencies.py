"""What pyproject.toml asks for is used: a dependency that nobody imports or names is dead weight."""

import re
import tomllib
from pathlib import Path

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
    asked = list(
        PROJECT["project"]["optional-dependencies"]["tensorboard"]
    )  # as the Makefile has it, and groups
    asked += [
        line
        for one in ("train", "reproduce", "export", "site", "test")
        for line in PROJECT["dependency-groups"][one]
        if isinstance(line, str)
    ]
    wanted = {re.match(r"[\w.-]+", line)[0].lower().replace("_", "-") for line in asked}
    assert None not in fixed and len(set(names)) == len(names)
    assert wanted - set(names) <= {"torch"}, "torch has a version of its own in the Makefile"

"""A copy of the site with invented answers for whatever the pages name, in a folder of its own."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from presswork import questions
from presswork.answers import receipts
from presswork.answers.answer import Answers
from presswork.site import pages
from reproduce._plugin import paper
from reproduce._plugin.live import FOLDER as LIVE
from reproduce._plugin.live import NEEDED as OF_THE_MODEL
from tests.once import made_once

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = Answers(ROOT)
NEEDED = (
    "mkdocs.yml",
    "pyproject.toml",
    "CITATION.cff",
    "NOTEBOOK.md",
    "docs",
    "reproduce",
    "presswork",
    "curvecast",
)
REPOSITORY = "https://github.com/owner/repo"
SITE = "https://owner.github.io/site/"  # a project's pages lie below a folder, and so does what a build leaves in site/
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="504pt" height="259pt" viewBox="0 0 504 259">
<rect x="40" y="10" width="450" height="210" fill="none" stroke="#24292f"/>
<path d="M40 200 C90 90 180 60 490 40" fill="none" stroke="#24292f" stroke-width="3"/></svg>
"""
QUESTION = '''"""An invented question."""
SCALES = {"laptop": None}


def measure(config, part):
    return None
'''
ROWS = "curve,value\n0,0.25\n0,0.35\n0,0.4\n"
CLAIM = {"asks": "Is it good?", "needs": {"at_least": 1.585}, "unit": "nats", "printed": 1.585, "answer": "yes",
         "value": 1.602, "low": 1.58, "high": 1.624}  # fmt: skip
KINDS = {"fig": "fig", "live": "fig", "table": "table", "val": "table", "found": "claim", "shows": "claim"}


def copy_site(folder: Path, keep_answers: bool = False) -> Path:
    """The files that the site is built from."""
    ignore = shutil.ignore_patterns("__pycache__", ".*")
    for name in (*NEEDED, "figures", "ledger") if keep_answers else NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignore)
        elif source.exists():
            shutil.copy(source, folder / name)
    for name in ("figures", "ledger"):  # MkDocs watches them
        (folder / name).mkdir(exist_ok=True)
    return folder


def answer_all(folder: Path, scale: str = "laptop") -> None:
    """Invents an answer for everything that the pages of this copy name."""
    shutil.rmtree(folder / "figures")
    (folder / "figures").mkdir()
    wanted: dict[str, dict[str, set[tuple[str, ...]]]] = {}
    for page in sorted((folder / "docs").glob("*.md")):
        for macro, arguments in pages.calls(page.read_text(encoding="utf-8")):
            if macro in KINDS:
                question, name = str(arguments[0]).split("/")
                kind = (
                    "estimate"
                    if macro == "val" and estimated(question, name, arguments[1:])
                    else KINDS[macro]
                )
                wanted.setdefault(question, {}).setdefault(f"{kind}:{name}", set()).add(arguments[1:])
            if macro == "paper_claims":
                for question, name in (n.split("/") for row in paper.read(folder) for *_, n in row.tests):
                    wanted.setdefault(question, {}).setdefault(f"claim:{name}", set())
    for question, shown in wanted.items():
        answer(folder, question, scale, shown)


def estimated(question: str, name: str, key: tuple[object, ...]) -> bool:
    """Is it an estimate of the published answer, and no cell of a table?"""
    return (name, *map(str, key)) in PUBLISHED.of(question)[0].estimates


def answer(folder: Path, question: str, scale: str, shown: dict[str, set[tuple[str, ...]]]) -> None:
    file = questions.files(folder).get(question, folder / "reproduce" / "invented" / f"{question}.py")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(QUESTION, encoding="utf-8")
    home = folder / "figures" / question / scale
    home.mkdir(parents=True)
    claims, estimates = [CLAIM | {"name": "invented"}], list[str]()
    for what, cells in shown.items():
        kind, name = what.split(":")
        if kind == "fig":
            (home / f"{name}.light.svg").write_text(SVG, encoding="utf-8")
        estimates += [
            json.dumps([[name, *key], 1.602, 1.592, 1.612, [["curves", 9]]])
            for key in cells
            if kind == "estimate"
        ]
        if kind == "table":
            (home / f"{name}.table.csv").write_text(table(cells), encoding="utf-8")
        if kind == "claim":  # answered as the sentence with its mark says
            answers = [{"answer": answer} for answer, *_ in filter(None, cells)]
            claims.append(CLAIM | {"name": name} | (answers or [{}])[0])
    (home / "rows.csv").write_text(ROWS, encoding="utf-8")
    told = f'{{"format": 1, "estimates": [{", ".join(estimates)}]}}'
    (home / "estimates.json").write_text(told, encoding="utf-8")
    (home / "claims.json").write_text(json.dumps(claims), encoding="utf-8")
    noted = receipts.together([receipt(question, scale)])
    (home / receipts.FILE).write_text(json.dumps(noted), encoding="utf-8")


def table(cells: set[tuple[str, ...]]) -> str:
    """A table that has at least these cells."""
    asked = [c for c in cells if len(c) == 2]
    rows = sorted({str(r) for r, _ in asked} | {"last value", "pow3"})
    columns = list(dict.fromkeys([*sorted({str(c) for _, c in asked}), "5 %", "20 %", "80 %"]))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["method", *columns])
    writer.writerows([row, *["1.602 ± 0.010" for _ in columns]] for row in rows)
    return out.getvalue()


def receipt(question: str, scale: str) -> dict[str, object]:
    return {
        "question": question, "part": "all", "parts": ["all"], "scale": scale, "settings": "0123456789ab", "golden": [],
        "inputs": {}, "commit": "0123456789abcdef0123456789abcdef01234567", "dirty": False,
        "hardware": {"cpu": "Invented CPU", "cores": 2, "gpu": None}, "versions": {"python": "3.11.7", "numpy": "2.0"},
        "seconds": 61.2, "made": "2026-11-21", "command": f"python -m reproduce run {question} --scale {scale}",
    }  # fmt: skip


def as_made_here(folder: Path) -> None:
    """Lays published answers of laptop scale where a run puts its own; every second lacks a row, column, claim and figure."""
    for place, published in enumerate(sorted((folder / "figures").glob("*/laptop"))):
        here = folder / "runs" / "here" / published.parent.name / "laptop"
        shutil.copytree(published, here)
        if place % 2:
            continue
        for path in here.glob("*.table.csv"):
            rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
            with open(path, "w", encoding="utf-8", newline="") as file:
                left = [row[: max(1, len(row) - 1)] for row in rows[:-1] or rows]
                csv.writer(file, lineterminator="\n").writerows(left)
        for path in here.glob("claims.json"):
            path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))[:-1]), encoding="utf-8")
        for path in sorted(here.glob("*.svg"))[-1:]:
            path.unlink()


def whole_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as they stand, built from the answers as they stand, once for all tests; what stops the build fails all."""

    def make(folder: Path) -> None:
        done = build(stand_ins(copy_site(folder, keep_answers=True)), REPO_URL=REPOSITORY, SITE_URL=SITE)
        (folder / "stopped").write_text(done.stderr if done.returncode else "", encoding="utf-8")

    folder = made_once(tmp_path_factory, "whole-site", make)
    stopped = (folder / "stopped").read_text(encoding="utf-8")
    assert not stopped, stopped
    return folder


def few_pages(folder: Path, pages_of_it: dict[str, str], notebook: str = "") -> Path:
    """The files of a site of a few pages, as the navigation has them, with an invented answer for all that they name."""
    copy_site(folder)
    (folder / "NOTEBOOK.md").write_text(notebook, encoding="utf-8")
    for page in [*(folder / "docs").glob("*.md"), *(folder / "docs").rglob("*.ipynb")]:
        page.unlink()
    for name, text in pages_of_it.items():
        (folder / "docs" / name).parent.mkdir(exist_ok=True)
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    nav = "".join(f"  - {name}\n" for name in pages_of_it)
    settings = (folder / "mkdocs.yml").read_text(encoding="utf-8")
    settings = re.sub(r"^nav:.*?\n(?=\S)", f"nav:\n{nav}", settings, flags=re.DOTALL | re.MULTILINE)
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    answer_all(folder)
    return folder


def small_site(folder: Path, pages_of_it: dict[str, str], notebook: str = "", **environment: str) -> Path:
    done = build(few_pages(folder, pages_of_it, notebook), **environment)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def stand_ins(folder: Path) -> Path:
    """Without npm the runtime of the live model is not there, and the page would be another one."""
    for name in OF_THE_MODEL:
        file = folder / "docs" / LIVE / name
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"a stand-in")
    return folder


def build(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Builds the site as a user would, in a process where importing torch fails, and so does asking for any host."""
    trap = folder / ".no-torch"
    trap.mkdir(exist_ok=True)
    (trap / "sitecustomize.py").write_text("import socket\nsocket.getaddrinfo = None\n", encoding="utf-8")
    (trap / "torch.py").write_text(
        "raise ImportError('the site must build without torch')\n", encoding="utf-8"
    )
    path = os.pathsep.join([str(trap), str(ROOT / "presswork" / "src")])  # this tool, whichever is installed
    settings = {"PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    how = {"cwd": folder, "env": os.environ | settings | environment, "timeout": 600}
    return subprocess.run(command, capture_output=True, text=True, **how)

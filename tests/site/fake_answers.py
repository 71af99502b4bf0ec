"""A copy of the site with invented answers for whatever the pages name, in a folder of its own."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from invented import answer
from once import made_once

from presswork.answers import claims_file
from presswork.answers.answer import Answers
from presswork.site import pages
from reproduce._plugin import paper
from reproduce._plugin.live import FOLDER as LIVE
from reproduce._plugin.live import NEEDED as OF_THE_MODEL

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
KINDS = dict.fromkeys(("fig", "live", "guess"), "fig") | dict.fromkeys(("table", "val"), "table")
KINDS |= {"found": "claim", "shows": "claim"}


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
            path.write_bytes(claims_file.as_bytes(claims_file.read(path.read_bytes())[:-1]))
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
    (folder / "docs" / "pictures.txt").unlink()  # the pages that show these drawings are gone
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

"""The toy blog that the tool is tried on: a library, a plugin, two questions and two pages, in a folder of its own."""

import compileall
import importlib
import io
import json
import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from py_compile import PycInvalidationMode
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from once import made_once

HERE = Path(__file__).resolve().parent
ROOT, TOOL = HERE.parents[1], HERE.parent / "src"


class Project:
    """A toy blog, with a library, a plugin and two questions, in a folder of its own."""

    def __init__(self, root: Path):
        self.root = root

    def run(self, *arguments: str, expect: int = 0) -> SimpleNamespace:
        """What `presswork …` says in this project, without a process of its own; the exit status is checked."""
        out, errors = io.StringIO(), io.StringIO()
        with self.imported(), redirect_stdout(out), redirect_stderr(errors):
            status = importlib.import_module("presswork.__main__").main(list(arguments))
        assert status == expect, f"{arguments}: {status}\n{out.getvalue()}\n{errors.getvalue()}"
        return SimpleNamespace(stdout=out.getvalue(), stderr=errors.getvalue())

    def process(self, *arguments: str, expect: int = 0) -> subprocess.CompletedProcess:
        """The same as a user runs it."""
        command, env = self.command(*arguments), self.environment()
        done = subprocess.run(command, cwd=self.root, env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == expect, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def jobs(self, *questions: str, scale: str = "laptop") -> dict[str, Any]:
        """What a run of these questions would do."""
        with self.imported():
            return importlib.import_module("presswork.plan").plan(scale, list(questions))

    def all_done(self) -> dict[str, Any]:
        """The jobs of the blog at laptop scale, with what says that each is done."""
        jobs = self.jobs("grid", "line")
        markers = {f"runs/laptop/{name}.done": f"{job.key}\n" for name, job in jobs.items()}
        for file, text in {"site/index.html": "", **markers}.items():
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).write_text(text)
        return jobs

    @contextmanager
    def imported(self) -> Iterator[None]:
        """The tool, read anew, works for this project, and its folder is the working folder."""
        there = mock.patch.dict(os.environ, self.environment())
        path = mock.patch.multiple(sys, path=[str(self.root), *sys.path], dont_write_bytecode=True)
        ours = {name: sys.modules.pop(name) for name in _imported_of_ours()}
        try:
            with chdir(self.root), there, path:
                importlib.invalidate_caches()
                yield
        finally:
            for name in _imported_of_ours():
                del sys.modules[name]
            sys.modules.update(ours)

    def command(self, *arguments: str) -> list[str]:
        return [str(self.python()), "-m", "presswork", *arguments]

    def python(self) -> Path:
        """Ours, in a folder with a space, as on the machine of somebody whose folders have them."""
        link = self.root.parent / "with space" / "python"
        if not link.exists():
            link.parent.mkdir()
            link.symlink_to(sys.executable)
        return link

    def environment(self) -> dict[str, str]:
        folders = os.pathsep.join([str(self.root), str(TOOL), *site.getsitepackages()])
        ours = {"PYTHONPATH": folders, "PRESSWORK_BLOG": str(self.root)}
        return os.environ | ours | {"XDG_CACHE_HOME": str(self.root / ".cache")}

    def git(self, *words: str) -> None:
        """As somebody who commits in this project."""
        person = "-c", "user.name=Toy", "-c", "user.email=toy@example.org"
        subprocess.run(["git", *person, *words], cwd=self.root, check=True)

    def commit(self) -> None:
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "toy")

    def trace(self) -> list[str]:
        """What the toys did since the last look, in order: 'trained small', 'measured grid a'."""
        path = self.root / "trace"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text()
        assert old in text, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new))

    def answer(self, question: str, scale: str = "laptop") -> Path:
        """Where the runner puts what it makes here."""
        return self.root / "runs" / "here" / question / scale

    def published(self, question: str, scale: str = "laptop") -> Path:
        return self.root / "figures" / question / scale


@pytest.fixture
def project(tmp_path_factory, tmp_path) -> Project:
    shutil.copytree(made_once(tmp_path_factory, "clone", fresh_clone), tmp_path / "a project")
    return Project(tmp_path / "a project")


@pytest.fixture
def answered(tmp_path_factory, tmp_path) -> Project:
    """A toy project whose laptop answers lie there."""

    def make(folder: Path) -> None:
        fresh_clone(folder).run("run", "--scale", "laptop")

    shutil.copytree(made_once(tmp_path_factory, "answered", make), tmp_path / "was answered")
    return Project(tmp_path / "was answered")


def fresh_clone(root: Path) -> Project:
    """A toy project: a toy library, a chapter of two questions, two pages.

    Compiled once for all copies; by its hash a compiled file knows whether its source has been edited since."""
    root.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HERE / "toy", root, dirs_exist_ok=True)
    compileall.compile_dir(root, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return Project(root)


def python(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A process that works for the blog of this folder, with the tool as it lies here; `more` is added to its environment."""
    env = os.environ | {"PYTHONPATH": str(TOOL), "PRESSWORK_BLOG": str(folder)} | more
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=300)


def _imported_of_ours() -> list[str]:
    return [
        name
        for name in sys.modules
        if name.partition(".")[0] in ("presswork", "reproduce", "lib", "toy_plugin")
    ]


def shown(folder):
    """The files of an answer; what begins with a dot is the store's own."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


def contents(folder):
    return {name: (folder / name).read_bytes() for name in shown(folder)}


def noted(folder):
    """The receipts of an answer by part."""
    from presswork.answers.receipts import of

    return {receipt["part"]: receipt for receipt in of(folder)}


def note(folder, receipts):
    from presswork.answers.receipts import together

    (folder / "receipts.json").write_text(json.dumps(together(list(receipts.values()))))

"""For all tests: three speeds, one thread, the toy project that the engine is tried on, and skips that may not skip.

slow     trains a network, starts a process (but git) or a browser, reads a network above 1 MB, draws what is published, or
         takes more than a second of a quiet core. All others are `make quick`, which an editor runs at each save: one that
         does one of the first four unmarked fails, and each run ends with its slowest.
weekly   does for each page what others do for one of each kind: left out unless asked for with `-m weekly`.
"""

import compileall
import gc
import importlib
import io
import os
import shutil
import signal
import site
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from py_compile import PycInvalidationMode
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from hypothesis import settings

from tests.once import made_once

gc.disable()  # until all is imported, of which nothing is garbage
for _variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # two test runs side by side, and the same sums every time
os.environ["MPLBACKEND"] = "Agg"
os.fsync = lambda _: None  # no test cuts the power, and thousands of files would wait for a disk
# a shell that starts the tests in the background has SIGINT ignored, and all that they start would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

# what git does depends on nobody's own settings (signed commits, hooks, the name of the first branch), nor on who owns the
# folder
os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
os.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}

# the same examples in every run, and what a busy machine takes is no failure; CURVECAST_EXAMPLES=1000 looks harder, and at
# others each time
_examples = os.environ.get("CURVECAST_EXAMPLES")
settings.register_profile("curvecast", max_examples=int(_examples or 30), deadline=None,
                          derandomize=not _examples, database=None)  # fmt: skip
settings.load_profile("curvecast")

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "presswork" / "src"

# files whose tests take seconds, as long as one another
LONG = (("test_browser", "test_engine"), ("test_smoke", "test_site"))


SMALL = ("git", "uname", "fc-list", "system_profiler")  # what we, Python and matplotlib ask now and then
# What only slow tests may do, by module, and what of it the others may do all the same.
FOR_SLOW_ONES = {
    ("subprocess", "Popen.__init__"): lambda _, command, *more, **how: command[0] in SMALL,
    ("curvecast.training.train", "fit"): lambda *_, **how: False,
    ("curvecast.ground.weights_file", "read"): lambda path, *_: (
        not path.is_file() or path.stat().st_size < 1e6
    ),
}


def pytest_itemcollected(item):
    if item.get_closest_marker("browser") or item.get_closest_marker("weekly"):
        item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Its fixtures are held to what it says, too."""
    with ExitStack() as stack:
        for (module, name), allowed in ({} if item.get_closest_marker("slow") else FOR_SLOW_ONES).items():
            if known := sys.modules.get(module):
                owner, _, last = name.rpartition(".")
                place = getattr(known, owner) if owner else known
                stack.enter_context(
                    mock.patch.object(place, last, refused(getattr(place, last), name, allowed))
                )
        return (yield)


def refused(real, name, allowed):
    def call(*arguments, **more):
        if not allowed(*arguments, **more):
            pytest.fail(f"{name} is for slow tests: mark this one, see tests/conftest.py")
        return real(*arguments, **more)

    return call


def pytest_ignore_collect(collection_path, config):
    """What imports a browser is not even read where no browser is started; None leaves it to others."""
    return True if config.option.markexpr == "not slow" and collection_path.name == "browser" else None


def pytest_collection_finish():
    """Looking for garbage among all that was imported would take a tenth of the time of all tests."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Of two processes, which get a half each, both begin with long tests: short ones are left to be shared at the end."""
    moving = next((item.nodeid for item in items if " at 0x" in item.nodeid), "")
    if moving:
        raise pytest.UsageError(f"{moving}: name its cases with ids=: each process has other addresses")
    first, second = ([item for item in items if item.path.stem in files] for files in LONG)
    long = {*first, *second}
    short = [item for item in items if item not in long]
    rest = max(0, len(items) // 2 - len(first))
    items[:] = first + short[:rest] + second + short[rest:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With CURVECAST_NO_SKIP a browser test that skips has failed: the machine was to have a browser."""
    report = yield
    return failed_if_skipped(report) if item.get_closest_marker("browser") else report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """The same for a whole file of browser tests that skips while it is read."""
    report = yield
    return failed_if_skipped(report) if "browser" in collector.nodeid else report


def failed_if_skipped(report):
    if report.skipped and os.environ.get("CURVECAST_NO_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"skipped although CURVECAST_NO_SKIP is set: {report.longrepr[-1]}"
    return report


@pytest.fixture(autouse=True)
def torch_draws_the_same_in_every_order():
    """Whichever tests ran before in the same process."""
    if "torch" in sys.modules:
        # of the CPU alone: a hundred times as fast as all
        sys.modules["torch"].default_generator.manual_seed(0)


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    """matplotlib keeps every figure that nobody closes, and warns at the twenty-first."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


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
    """A toy project: profiles; a toy library, a chapter of two questions, two pages.

    Compiled once for all copies; by its hash a compiled file knows whether its source has been edited since."""
    root.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "Snakefile", root / "Snakefile")
    shutil.copytree(ROOT / "profiles", root / "profiles")
    shutil.copytree(ROOT / "tests" / "toy", root, dirs_exist_ok=True)
    compileall.compile_dir(root, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return Project(root)


def _imported_of_ours() -> list[str]:
    return [
        name
        for name in sys.modules
        if name.partition(".")[0] in ("presswork", "reproduce", "lib", "toy_plugin")
    ]

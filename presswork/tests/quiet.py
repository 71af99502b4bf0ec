"""What no test depends on: power cuts, windows, threads, the git settings of a person; and what only slow tests may do."""

import os
import signal
import subprocess  # noqa: F401  # else the rule below would not know it
import sys
from contextlib import ExitStack
from unittest import mock

import pytest

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

SMALL = ("git", "uname", "fc-list", "system_profiler")  # what we, Python and matplotlib ask now and then
# What only slow tests may do, by module, and what of it the others may do all the same. A conftest may add to it.
FOR_SLOW_ONES = {
    ("subprocess", "Popen.__init__"): lambda _, command, *more, **how: command[0] in SMALL,
}


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


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    """matplotlib keeps every figure that nobody closes, and warns at the twenty-first."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")

"""For all tests: three speeds and skips that may not skip.

slow     trains a network, starts a process (but git) or a browser, reads a network above 1 MB, draws what is published, or
         takes more than a second of a quiet core. All others are `make quick`, which an editor runs at each save: one that
         does one of the first four unmarked fails, and each run ends with its slowest.
weekly   does for each page what others do for one of each kind: left out unless asked for with `-m weekly`.
"""

import gc
import os
import sys
from pathlib import Path

import pytest
import quiet
from hypothesis import settings
from quiet import no_figure_stays_open, pytest_runtest_protocol  # noqa: F401  # hooks

gc.disable()  # until all is imported, of which nothing is garbage
# the same examples in every run, and what a busy machine takes is no failure; CURVECAST_EXAMPLES=1000 looks harder, at
# others each time, and so do the guards of questions
_examples = os.environ.get("CURVECAST_EXAMPLES")
if _examples:
    os.environ["PRESSWORK_EVERY"] = "1"
settings.register_profile("curvecast", max_examples=int(_examples or 30), deadline=None,
                          derandomize=not _examples, database=None)  # fmt: skip
settings.load_profile("curvecast")

ROOT = Path(__file__).resolve().parents[1]

# files whose tests take seconds, as long as one another
LONG = (("test_browser", "test_engine"), ("test_smoke", "test_site"))

quiet.FOR_SLOW_ONES |= {
    ("curvecast.training.train", "fit"): lambda *_, **how: False,
    ("curvecast.ground.weights_file", "read"): lambda path, *_: (
        not path.is_file() or path.stat().st_size < 1e6
    ),
}


def pytest_itemcollected(item):
    if item.get_closest_marker("browser") or item.get_closest_marker("weekly"):
        item.add_marker("slow")


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

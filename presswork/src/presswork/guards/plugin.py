"""`pytest --presswork`: the guards of the blog in whose folder pytest runs. Imports nothing heavy: pytest always reads it."""

import os
from pathlib import Path

GUARDS = [Path(__file__).with_name(f"{name}.py") for name in ("numbers", "answers", "claims")]


def pytest_addoption(parser):
    told = "guard the blog: golden numbers, published answers, claims; as well as its own tests, where no file is named"
    parser.getgroup("presswork").addoption("--presswork", action="store_true", help=told)


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than a second, or draws what is published")
    config.addinivalue_line("markers", "weekly: looks at all answers where others look at some")
    if config.option.presswork and config.args_source is not config.ArgsSource.ARGS:
        os.environ.setdefault("MPLBACKEND", "Agg")
        config.args += [str(file) for file in GUARDS if str(file) not in config.args]

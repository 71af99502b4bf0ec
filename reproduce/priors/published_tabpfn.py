"""How good is the published TabPFN on our small tables?

Its first release (see reproduce/rival/tabpfn_program.py) classifies the splits on which `table_rivals` tunes classifiers of
scikit-learn and `small_tables` scores our network. It averages the logits of several passes: up to 32 as it came, three in
later releases. A table of few columns and classes has fewer different passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import estimates
from reproduce._press.claim import Above, Claim
from reproduce._press.estimates import Estimates
from reproduce.priors import _tables
from reproduce.priors._tables import CONTEST, Split
from reproduce.rival.partner import PYTHON, Rival

ON_REQUEST = "make bench"
STOPWATCHES = ("rows.seconds",)
PROGRAM = ("-m", "reproduce.rival.tabpfn_program")
MANY = 32  # passes
SCORES = ("auc", "log_loss", "ece", "accuracy", "seconds")
TABLES = {"rows": ("table", "rows", "split", "passes", *SCORES)}
NOT_AT_SMOKE_SCALE = {"tables": "one of them is enough", "parts": "each of them is a table"}


@dataclass(frozen=True)
class Config:
    tables: tuple[str, ...] = tuple(_tables.TABLES)
    splits: tuple[tuple[int, int], ...] = ((20, 2), (50, 5), (100, 2), (200, 2))  # training rows, splits
    passes: tuple[int, ...] = (1, 3)
    ensemble: int = MANY  # passes after fifty rows, as many seconds as all others together
    ensemble_splits: int = 2  # the first ones
    threads: int = 1


SCALES = {
    "smoke": Config(("iris",), ((50, 1),), (1,), 3, 1),
    "laptop": Config(_tables.FEW, ((50, 2),)),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return [_tables.part(name) for name in config.tables]


def measure(config: Config, part: str) -> pd.DataFrame:
    name = _tables.of_part(config.tables, part)
    with Rival(config.threads, PYTHON, PROGRAM) as rival:
        _, first = next(_tables.splits(name, CONTEST, 1))
        scored(rival, first, passes=1, seed=0)  # warms up
        return pd.DataFrame(list(classified(rival, config, name)), columns=list(TABLES["rows"]))


def classified(rival: Rival, config: Config, name: str) -> Iterator[dict[str, Any]]:
    for rows, count in config.splits:
        for number, split in _tables.splits(name, rows, count):
            together = rows == CONTEST and number < config.ensemble_splits
            for passes in (*config.passes, *([config.ensemble] if together else [])):
                line = {"table": name, "rows": rows, "split": number, "passes": passes}
                yield line | scored(rival, split, passes, seed=number)


def scored(rival: Rival, split: Split, passes: int, seed: int) -> dict[str, float]:
    """A class that is not among the training rows has no chance."""
    x, y, x_test = split.x.tolist(), split.y.tolist(), split.x_test.tolist()
    told = rival.ask("classify", x=x, y=y, x_test=x_test, passes=passes, seed=seed)
    p = np.zeros((len(x_test), max(y) + 1))  # (n, C)
    p[:, told["classes"]] = told["p"]
    return _tables.scores(p, split.y_test) | {"seconds": told["seconds"]}


# ------------------------------------------------------------------------------------------------- estimates


def of_tables(rows: pd.DataFrame, value: str) -> Estimates:
    """Keys (passes, training rows): over tables, each the mean of its splits."""
    return _tables.over_tables(rows, ["passes", "rows"], value)


def gains(rows: pd.DataFrame) -> Estimates:
    """Keys (passes): by what they lower the log-loss of one pass after fifty rows, on the splits of both, over tables."""
    return _tables.lead_on_splits(rows[rows["rows"] == CONTEST], "passes", 1, "log_loss")


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """No figure: the tables are enough."""
    return {}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    lines = {passes: f"{passes}" for passes in (*config.passes, config.ensemble)}
    columns = {count: f"{count} rows" for count, _ in config.splits}
    shown = {
        value: estimates.table(of_tables(rows, value), "passes", lines, columns, ".3f") for value in SCORES
    }
    lower = {(passes, CONTEST): gain for passes, gain in gains(rows).items()}
    title = "log-loss of one pass minus this (nats)"
    return shown | {"gains": estimates.table(lower, "passes", lines, {CONTEST: title}, "+.4f")}


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Over tables."""
    return [
        Claim("ensemble_helps",
              "After fifty rows, do up to 32 passes lower the log-loss of the published TabPFN against one?",
              gains(rows).get(MANY), Above(0), "nats"),
    ]  # fmt: skip

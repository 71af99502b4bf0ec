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

from reproduce._press import estimates, style
from reproduce._press.claim import Above, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.pictures.panels import around, legend, panels
from reproduce.priors import _rivals, _tables
from reproduce.priors._tables import Split
from reproduce.rival.partner import PYTHON, Rival

ON_REQUEST = "make bench"
STOPWATCHES = ("rows.seconds",)
PROGRAM = ("-m", "reproduce.rival.tabpfn_program")
RIVALS = "table_rivals"
CONTEST = 50  # training rows
DEFAULT, MANY = 3, 32  # passes of later releases and of the first one
RIVAL_TITLES = {name: f"{title}, tuned" for name, title in _rivals.TITLES.items()}
SINGLE, AS_DEFAULT, ENSEMBLE = (f"tabpfn {passes}" for passes in (1, DEFAULT, MANY))  # methods
TITLES = {
    SINGLE: "published TabPFN, one pass", AS_DEFAULT: "published TabPFN, three passes",
    ENSEMBLE: "published TabPFN, up to 32 passes",
} | RIVAL_TITLES  # fmt: skip
VALUES = {"auc": "area under the ROC curve", "log_loss": "log-loss (nats)"}
SCORES = ("auc", "log_loss", "ece", "accuracy", "seconds")
TABLES = {"rows": ("table", "rows", "split", "method", *SCORES)}


@dataclass(frozen=True)
class Config:
    tables: tuple[str, ...] = tuple(_tables.TABLES)
    splits: tuple[tuple[int, int], ...] = ((20, 2), (50, 6), (100, 2), (200, 2))  # training rows, splits
    passes: tuple[int, ...] = (1, DEFAULT)  # none where it is not installed
    passes_at_fifty: tuple[int, ...] = (MANY,)  # besides these
    threads: int = 1


SCALES = {
    "smoke": Config(("iris", "cpu"), ((50, 1),), (), ()),
    "laptop": Config(("two moons", "cpu", "circles", "glass"), ((50, 2),)),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {"tables": "two of them are enough", "parts": "each of them is a table"}


def parts(config: Config) -> list[str]:
    return [_tables.part(name) for name in config.tables]


def reads(config: Config) -> list[str]:
    return [RIVALS]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    """Of the published TabPFN, and of the tuned rivals on the same splits."""
    name = next(name for name in config.tables if _tables.part(name) == part)
    rivals = where(read[RIVALS], table=name, tuned=True)
    shared = rivals["split"] < rivals["rows"].map(dict(config.splits))
    rows = [rivals[shared]]
    if config.passes:
        with Rival(config.threads, PYTHON, PROGRAM) as rival:
            rows.insert(0, pd.DataFrame(list(published(rival, config, name))))
    return pd.concat(rows, ignore_index=True).assign(table=name)[list(TABLES["rows"])]


def published(rival: Rival, config: Config, name: str) -> Iterator[dict[str, Any]]:
    _, first = next(_tables.splits(name, CONTEST, 1))
    scored(rival, first, 1, 0)  # warms up
    for rows, count in config.splits:
        for number, split in _tables.splits(name, rows, count):
            for passes in (*config.passes, *(config.passes_at_fifty if rows == CONTEST else ())):
                line = {"rows": rows, "split": number, "method": f"tabpfn {passes}"}
                yield line | scored(rival, split, passes, number)


def scored(rival: Rival, split: Split, passes: int, seed: int) -> dict[str, float]:
    """A class that is not among the training rows has no chance."""
    x, y, x_test = split.x.tolist(), split.y.tolist(), split.x_test.tolist()
    told = rival.ask("classify", x=x, y=y, x_test=x_test, passes=passes, seed=seed)
    p = np.zeros((len(x_test), max(y) + 1))  # (n, C)
    p[:, told["classes"]] = told["p"]
    return _tables.scores(p, split.y_test) | {"seconds": told["seconds"]}


# ------------------------------------------------------------------------------------------------- estimates


def of_tables(rows: pd.DataFrame, value: str) -> Estimates:
    """Keys (method, training rows): over tables, each the mean of its splits."""
    means = rows.groupby(["table", "method", "rows"], as_index=False, sort=False)[value].mean()
    return estimates.by_mean(means, ["method", "rows"], value)


def above(rows: pd.DataFrame, one: str, value: str, count: int = CONTEST) -> Estimates:
    """Keys (method): what one has above each other on the splits of both, over tables."""
    table = rows[rows["rows"] == count].pivot_table(index=["table", "split"], columns="method", values=value)
    if one not in table:
        return {}
    leads = {method: (table[one] - table[method]).dropna() for method in table if method != one}
    return estimates.there({
        method: Interval.of_mean(lead.groupby("table").mean()) for method, lead in leads.items()
    })  # fmt: skip


def best(rows: pd.DataFrame, value: str, count: int = CONTEST) -> str:
    """The tuned rival with the best mean over tables: chosen on what it is compared by, which favours it."""
    found = of_tables(rows, value)
    means = {name: found[name, count].value for name in RIVAL_TITLES if (name, count) in found}
    return (max if value == "auc" else min)(means, key=means.__getitem__, default="")


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """After fifty training rows: the published TabPFN and the best tuned rival on each table."""
    some = rows[rows["rows"] == CONTEST]
    figure, axes = panels(VALUES.values(), (8.4, 4.6), sharey=True)
    names = [name for name in _tables.TABLES if name in set(some["table"])][::-1]
    for axis, value in zip(axes, VALUES, strict=True):
        for method, colour in ((best(rows, value), "exact"), (AS_DEFAULT, "shipped")):
            means = where(some, method=method).groupby("table")[value].mean().reindex(names)
            title = TITLES[AS_DEFAULT] if method == AS_DEFAULT else "best tuned rival"
            axis.plot(means, range(len(names)), "o", color=style.colour(colour), label=title)
        axis.set_yticks(range(len(names)), names)
    legend(figure, axes)
    around(figure, "mean over splits, 50 training rows")
    return {"by_table": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    columns = {count: f"{count} rows" for count, _ in config.splits}
    shown = {
        value: estimates.table(of_tables(rows, value), "classifier", TITLES, columns, ".3f")
        for value in SCORES
    }
    leads = {
        (method, value): lead
        for value in VALUES for method, lead in above(rows, AS_DEFAULT, value).items()
    }  # fmt: skip
    others = {method: title for method, title in TITLES.items() if method != AS_DEFAULT}
    return shown | {"leads": estimates.table(leads, "three passes minus", others, VALUES, "+.3f")}


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Over tables."""
    auc, log_loss = above(rows, AS_DEFAULT, "auc"), above(rows, SINGLE, "log_loss")
    return [
        Claim("ahead_of_tuned_at_50",
              "After fifty rows, is the mean AUC (area under the ROC curve) of the published TabPFN with three passes above "
              "that of the best tuned rival?",
              auc.get(best(rows, "auc")), Above(0)),
        Claim("ensemble_helps",
              "After fifty rows, do up to 32 passes lower the log-loss of the published TabPFN against one?",
              log_loss.get(ENSEMBLE), Above(0), "nats"),
    ]  # fmt: skip

"""What do the classifiers of scikit-learn reach on small tables, untuned and tuned?

Five of them, each as it comes and with settings that five-fold validation chose by log-loss, on the splits on which
`small_tables` scores a prior-fitted network. They have a question of their own so that they run once for all networks.
"""

import warnings
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from reproduce._press import estimates, style
from reproduce._press.claim import Above, Claim
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import around, legend, panels
from reproduce.priors import _rivals, _tables
from reproduce.priors._rivals import TITLES
from reproduce.priors._tables import Array, Split
from reproduce.protocols.timing import core_seconds

TABLES = {
    "rows": ("table", "rows", "split", "method", "tuned", "auc", "log_loss", "ece", "accuracy", "seconds")
}
STOPWATCHES = ("rows.seconds",)
NOT_AT_SMOKE_SCALE = {
    "tables": "each is a second, and all are read alike",
    "parts": "they are the tables once more",
    "methods": "the others fit hundreds of times",
}


@dataclass(frozen=True)
class Config:
    tables: tuple[str, ...] = tuple(_tables.TABLES)
    splits: tuple[tuple[int, int], ...] = ((20, 20), (50, 20), (100, 5), (200, 5))  # training rows, splits
    methods: tuple[str, ...] = tuple(TITLES)


SCALES = {
    "smoke": Config(("iris", "cpu"), ((50, 1),), ("logistic", "neighbours")),
    "laptop": Config(_tables.FEW, ((50, 1),)),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return [_tables.part(name) for name in config.tables]


def measure(config: Config, part_name: str) -> pd.DataFrame:
    name = _tables.of_part(config.tables, part_name)
    return pd.DataFrame([
        {"table": name, "rows": rows, "split": number, "method": method, "tuned": tuned}
        | scored(method, tuned, split, number)
        for rows, count in config.splits
        for number, split in _tables.splits(name, rows, count)
        for method in config.methods for tuned in (False, True)
    ], columns=list(TABLES["rows"]))  # fmt: skip


def scored(method: str, tuned: bool, split: Split, seed: int) -> dict[str, float]:
    found: list[Array] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of a kernel whose best scale is at its bound
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        seconds = core_seconds(lambda: found.append(_rivals.probabilities(method, tuned, split, seed)))
    return _tables.scores(found[0], split.y_test) | {"seconds": seconds}


# ------------------------------------------------------------------------------------------------- estimates


def of_tables(rows: pd.DataFrame, value: str) -> estimates.Estimates:
    """Keys (method, tuned, training rows): the mean over tables, each the mean of its splits."""
    return _tables.over_tables(rows, ["method", "tuned", "rows"], value)


def gains(rows: pd.DataFrame) -> estimates.Estimates:
    """Keys (method, training rows): by what tuning lowers the log-loss, over tables."""
    means = _tables.by_table(rows, ["method", "tuned", "rows"], "log_loss")
    of_method = {
        key: estimates.leads(own, "tuned", True, "log_loss", "table").get(False)
        for key, own in means.groupby(["method", "rows"])
    }  # fmt: skip
    return estimates.there(of_method)


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """After fifty training rows: each method untuned and tuned."""
    figure, axes = panels(["area under the ROC curve", "log-loss (nats)"], (8.4, 2.9), sharey=True)
    for axis, value in zip(axes, ("auc", "log_loss"), strict=True):
        found = of_tables(rows, value)
        for tuned, shift in ((False, 0.12), (True, -0.12)):
            places = ((place + shift, found.get((method, tuned, 50))) for place, method in enumerate(TITLES))
            look = {"color": style.colour("exact"), "label": "tuned" if tuned else "untuned"}
            dots(axis, places, fmt="o", markerfacecolor=look["color"] if tuned else "none", **look)
        axis.set_yticks(range(len(TITLES)), [*TITLES.values()])
    legend(figure, axes)
    around(figure, "mean over tables after 50 training rows")
    return {"rivals": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """`small_tables` shows these numbers beside its own."""
    return {}


def claims(rows: pd.DataFrame) -> list[Claim]:
    found = gains(rows)
    return [
        Claim(f"tuning_helps_{method}",
              f"After fifty rows, does five-fold validation lower the log-loss of {title}, mean over tables?",
              found.get((method, 50)), Above(0), "nats")
        for method, title in TITLES.items()
    ]  # fmt: skip

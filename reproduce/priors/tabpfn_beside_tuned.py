"""Is the published TabPFN ahead of tuned classifiers on small tables?

Its scores are those of `published_tabpfn`, as published; the classifiers are those of `table_rivals` that validation tuned.
They are compared on the splits that both have classified.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import estimates, style
from reproduce._press.claim import Above, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.where import where
from reproduce.pictures.panels import around, legend, panels
from reproduce.priors import _rivals, _tables
from reproduce.priors._tables import CONTEST

RIVALS = "table_rivals"
DEFAULT = "tabpfn 3"  # of later releases: three passes
RIVAL_TITLES = {name: f"{title}, tuned" for name, title in _rivals.TITLES.items()}
TITLES = {"tabpfn 1": "published TabPFN, one pass", DEFAULT: "published TabPFN, three passes"} | RIVAL_TITLES
VALUES = {"auc": "area under the ROC curve", "log_loss": "log-loss (nats)"}
SPLIT = ["table", "rows", "split"]
TABLES = {"rows": (*SPLIT, "method", "auc", "log_loss", "ece", "accuracy", "seconds")}
STOPWATCHES = ("rows.seconds",)


@dataclass(frozen=True)
class Config:
    published: str = "published_tabpfn/paper"


SCALES = dict.fromkeys(("smoke", "laptop", "paper"), Config())


def reads(config: Config) -> list[str]:
    return [config.published, RIVALS]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    published, tuned = read[config.published], where(read[RIVALS], tuned=True)
    shared = published[SPLIT].merge(tuned[SPLIT]).drop_duplicates()
    both = pd.concat([published.assign(method="tabpfn " + published["passes"].astype(str)), tuned])
    return both[both["method"].isin(TITLES)].merge(shared)[list(TABLES["rows"])]


# ------------------------------------------------------------------------------------------------- estimates


def of_tables(rows: pd.DataFrame, value: str) -> Estimates:
    """Keys (method, training rows): over tables, each the mean of its splits."""
    return _tables.over_tables(rows, ["method", "rows"], value)


def above(rows: pd.DataFrame, one: str, value: str, count: int = CONTEST) -> Estimates:
    """Keys (method): what one has above each other on the splits of both, over tables."""
    return _tables.lead_on_splits(rows[rows["rows"] == count], "method", one, value)


def best(rows: pd.DataFrame, value: str, count: int = CONTEST) -> str:
    """The tuned classifier with the best mean over tables: chosen on what it is compared by, which favours it."""
    found = of_tables(rows, value)
    means = {name: found[name, count].value for name in RIVAL_TITLES if (name, count) in found}
    return (max if value == "auc" else min)(means, key=means.__getitem__, default="")


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """After fifty training rows: the published TabPFN and the best tuned classifier on each table."""
    some = rows[rows["rows"] == CONTEST]
    figure, axes = panels(VALUES.values(), (8.4, 4.6), sharey=True)
    names = [name for name in _tables.TABLES if name in set(some["table"])][::-1]
    for axis, value in zip(axes, VALUES, strict=True):
        for method, colour in ((best(rows, value), "exact"), (DEFAULT, "shipped")):
            means = where(some, method=method).groupby("table")[value].mean().reindex(names)
            title = TITLES[DEFAULT] if method == DEFAULT else "best tuned classifier"
            axis.plot(means, range(len(names)), "o", color=style.colour(colour), label=title)
        axis.set_yticks(range(len(names)), names)
    legend(figure, axes)
    around(figure, "mean over splits, 50 training rows")
    return {"by_table": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    leads = {
        (method, value): lead for value in VALUES for method, lead in above(rows, DEFAULT, value).items()
    }
    others = {method: title for method, title in TITLES.items() if method != DEFAULT}
    return {"leads": estimates.table(leads, "three passes minus", others, VALUES, "+.3f")}


def claims(rows: pd.DataFrame) -> list[Claim]:
    """Over tables."""
    return [
        Claim("ahead_of_tuned_at_50",
              "After fifty rows, is the mean AUC (area under the ROC curve) of the published TabPFN with three passes above "
              "that of the best tuned classifier?",
              above(rows, DEFAULT, "auc").get(best(rows, "auc")), Above(0)),
    ]  # fmt: skip

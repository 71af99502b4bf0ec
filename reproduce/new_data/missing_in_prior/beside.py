"""Features of real curves and of equally long reference curves, fitted by the same search: a short curve always leaves
smaller residuals than a long one. Curves that learn and those that do not are compared separately.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.new_data._chosen import ROWS
from reproduce.new_data.missing_in_prior.features import FEATURES

REFERENCES = {"paper": "the paper’s prior", "laws": "our run simulator"}
OF_OTHERS = ("algoperf", "precision", "words", "deepobs", "lcdb11", "taskset")
TITLES = {row: ROWS[row].title for row in OF_OTHERS} | {
    "own-accuracy": "our runs, accuracy", "own-loss": "our runs, loss",
}  # fmt: skip
TESTED = "test-"  # a row of the test set, which the simulator was not written for
LEAST = 5  # curves, for a median and quantiles


def complete(found: pd.DataFrame) -> bool:
    """Both references, and any real curves."""
    return len(found) > 0 and {*REFERENCES} < {*found["row"]}


def real(found: pd.DataFrame, learns: bool = True, rows: Iterable[str] = TITLES) -> dict[str, pd.DataFrame]:
    """The real curves of each benchmark, where there are enough."""
    own = {row: where(found, row=row, learns=learns) for row in rows}
    return {row: frame for row, frame in own.items() if len(frame) >= LEAST}


def reference(found: pd.DataFrame, kind: str, own: pd.DataFrame, learns: bool = True) -> pd.DataFrame:
    """Curves of a prior, of the length nearest to the median length of these."""
    there = where(found, row=kind, learns=learns)
    length = min(there["points"].unique(), key=lambda n: abs(n - own["points"].median()), default=0)
    return where(there, points=length)


def excess(found: pd.DataFrame, feature: str) -> Interval | None:
    """The median minus that of the paper's own curves; a source is one observation, as its benchmarks share much."""
    each = {
        row: (own["source"].iloc[0], own[feature].median() - reference(found, "paper", own)[feature].median())
        for row, own in real(found).items()
    }
    table = pd.DataFrame(each.values(), columns=["source", "more"])
    return Interval.of_mean(table.groupby("source")["more"].mean().dropna())


def nearer(found: pd.DataFrame) -> Interval | None:
    """On the test set, distance to our run simulator minus that to the paper's prior, mean over features; by source."""
    each = [
        (own["source"].iloc[0], distance(found, own, "laws", name) - distance(found, own, "paper", name))
        for own in real(found, rows=[TESTED + row for row in ROWS]).values()
        for name in FEATURES
    ]
    table = pd.DataFrame(each, columns=["source", "less"])
    return Interval.of_mean(table.groupby("source")["less"].mean().dropna())


def distance(found: pd.DataFrame, own: pd.DataFrame, kind: str, feature: str) -> float:
    """The largest difference of both distribution functions (Kolmogorov and Smirnov): 0 the same, 1 nothing in common."""
    a, b = (np.sort(frame[feature].dropna()) for frame in (own, reference(found, kind, own)))
    if not len(a) or not len(b):
        return float("nan")
    places = np.concatenate([a, b])
    below = [np.searchsorted(some, places, "right") / len(some) for some in (a, b)]
    return float(np.abs(below[0] - below[1]).max())

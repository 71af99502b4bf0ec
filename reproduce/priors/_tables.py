"""Small tables for classification, their splits, and how probabilities are scored.

All come with scikit-learn, the last ones as data of its own tests. No table has more than ten columns: of wider ones ten are
chosen without labels. Half of the tables were set aside before anything was designed.
Shapes: n = rows, F = columns, C = classes.
"""

import csv
import gzip
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sklearn
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

from curvecast.ground.errors import demand

COLUMNS = 10
TEST_ROWS = 200  # at most
FEWEST_TEST_ROWS = 30
FLOOR = 1e-3  # of a probability that is scored: no classifier is judged by a single zero
BINS = 10  # of the calibration error
Array = np.ndarray


class Split(NamedTuple):
    x: Array  # (n, F)
    y: Array  # (n,)
    x_test: Array
    y_test: Array


# ------------------------------------------------------------------------------------------------- the tables


def most_spread(x: Array) -> Array:
    """The ten columns that vary most."""
    return x[:, np.sort(np.argsort(-x.std(0), kind="stable")[:COLUMNS])]


GLASS = "Refractive_Index Sodium Magnesium Aluminum Silicon Potassium Calcium Barium Iron"


def classification(informative: int, **more: Any) -> tuple[Array, Array]:
    made = datasets.make_classification(600, COLUMNS, n_informative=informative, random_state=0, **more)
    return made[0], made[1]


def first(x: Array, y: Array) -> tuple[Array, Array]:
    return x[:, :COLUMNS], y


def components(x: Array) -> Array:
    return PCA(COLUMNS, random_state=0).fit_transform(x)


def digits(which: tuple[int, ...], ten: Callable[[Array], Array]) -> tuple[Array, Array]:
    x, y = datasets.load_digits(return_X_y=True)
    chosen = np.isin(y, which)
    return ten(x[chosen]), y[chosen]


def above_median(x: Array, y: Array) -> tuple[Array, Array]:
    return x, (y > np.median(y)).astype(int)


def of_tests(number: int) -> list[dict[str, str]]:
    """A table of OpenML that scikit-learn's own tests bring along."""
    folder = Path(sklearn.__file__).parent / "datasets/tests/data/openml" / f"id_{number}"
    files = sorted(folder.glob("data-v1-dl-*.arff.gz"))
    way = "install scikit-learn from its wheel, which has them"
    demand(len(files) == 1, f"scikit-learn is installed without the data of its tests ({folder}): {way}")
    names, rows = [], []
    with gzip.open(files[0], "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            head = line.split(maxsplit=2)
            if head and head[0].lower() == "@attribute":
                names.append(head[1].strip("'"))
            elif head and head[0][0] not in "@%":
                rows.append(line)
    quote = "'" if rows[0].startswith("'") else '"'
    return [dict(zip(names, row, strict=True)) for row in csv.reader(rows, quotechar=quote)]


def named(number: int, columns: str, label: str) -> tuple[Array, Array]:
    """Rows with a number in each of these columns; F: whether the sex is female."""
    sexes = {"male": 0.0, "female": 1.0}
    rows = [[row[name] for name in (*columns.split(), label)] for row in of_tests(number)]
    whole = [row for row in rows if "?" not in row]
    numbers = [[sexes[cell] if cell in sexes else float(cell) for cell in row[:-1]] for row in whole]
    return np.array(numbers), np.array([row[-1] for row in whole])


def chess() -> tuple[Array, Array]:
    """King and rook against king and pawn, with ten of 36 properties of the board, most of them yes or no."""
    rows = [list(row.values()) for row in of_tests(3)]
    x = np.stack([np.unique(column, return_inverse=True)[1] for column in np.array(rows).T], 1).astype(float)
    return most_spread(x[:, :-1]), x[:, -1].astype(int)


def cpu() -> tuple[Array, Array]:
    x, y = named(561, "MYCT MMIN MMAX CACH CHMIN CHMAX", "class")
    return above_median(x, y.astype(float))


OPEN: dict[str, Callable[[], tuple[Array, Array]]] = {  # on these the design was tried
    "two moons": lambda: datasets.make_moons(600, noise=0.3, random_state=0),
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "breast cancer": lambda: first(*datasets.load_breast_cancer(return_X_y=True)),
    "digits 3/8": lambda: digits((3, 8), components),
    "digits 0/1/2/5": lambda: digits((0, 1, 2, 5), most_spread),
    "cpu": cpu,
    "titanic": lambda: named(40945, "pclass sex age sibsp parch fare", "survived"),
    "two linear classes": lambda: classification(4, n_redundant=3, n_clusters_per_class=1, flip_y=0.1),
    "hastie": lambda: datasets.make_hastie_10_2(600, random_state=0),
}  # fmt: skip
HELD_OUT: dict[str, Callable[[], tuple[Array, Array]]] = {  # and these for the numbers of two networks
    "circles": lambda: datasets.make_circles(600, noise=0.2, factor=0.5, random_state=0),
    "wine": lambda: first(*datasets.load_wine(return_X_y=True)),
    "diabetes": lambda: above_median(*datasets.load_diabetes(return_X_y=True)),
    "digits 4/9": lambda: digits((4, 9), most_spread),
    "penguins": lambda: named(42585, "culmen_length_mm culmen_depth_mm flipper_length_mm body_mass_g", "species"),
    "glass": lambda: named(40675, GLASS, "class"),
    "chess": chess,
    "three clustered classes": lambda: classification(5, n_classes=3, n_clusters_per_class=2),
    "Gaussian quantiles": lambda: datasets.make_gaussian_quantiles(n_samples=600, n_features=4, n_classes=3, random_state=0),
}  # fmt: skip
TABLES = OPEN | HELD_OUT
MADE_UP = (
    "two moons", "two linear classes", "circles", "hastie", "Gaussian quantiles", "three clustered classes",
)  # fmt: skip
FEW = ("two moons", "cpu", "circles", "glass")  # of laptop scale
CONTEST = 50  # training rows after which classifiers are compared


@cache
def table(name: str) -> tuple[Array, Array]:
    """(n, F) and classes 0 .. C - 1 (n,)"""
    x, y = TABLES[name]()
    return np.asarray(x, float), np.unique(y, return_inverse=True)[1]


def splits(name: str, rows: int, count: int) -> Iterator[tuple[int, Split]]:
    """Stratified, and the same for whoever asks; none where too few rows would be left for a test."""
    x, y = table(name)
    left = min(TEST_ROWS, len(x) - rows)
    if left < FEWEST_TEST_ROWS:
        return
    drawn = StratifiedShuffleSplit(count, train_size=rows, test_size=left, random_state=0)
    for number, (some, others) in enumerate(drawn.split(x, y)):
        yield number, Split(x[some], y[some], x[others], y[others])


def damaged(split: Split, holes: bool, share: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Training and test rows (n, F), of whose cells this share is NaN, or the middle of its third of the training rows."""
    low, middle, high = np.quantile(split.x, [1 / 6, 1 / 2, 5 / 6], axis=0)
    bounds = np.quantile(split.x, [1 / 3, 2 / 3], axis=0)
    made = []
    for x in (split.x, split.x_test):
        coarse = np.where(x < bounds[0], low, np.where(x < bounds[1], middle, high))
        made.append(np.where(rng.random(x.shape) < share, np.nan if holes else coarse, x))
    return made[0], made[1]


# ------------------------------------------------------------------------------------------------- their scores


def log_loss(p: Array, y: Array) -> float:
    """p (n, C); no probability counts below the floor, and the sum is one."""
    p = np.maximum(p, FLOOR)
    return float(-np.log((p / p.sum(1, keepdims=True))[np.arange(len(y)), y]).mean())


def calibration_error(p: Array, y: Array) -> float:
    """How far the confidence in the likeliest class is from how often it is right, over ten equal bins."""
    confidence, right = p.max(1), p.argmax(1) == y
    of_bin = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [(right[of_bin == b] - confidence[of_bin == b]).sum() for b in range(BINS)]
    return float(np.abs(gaps).sum() / len(y))


def scores(p: Array, y: Array) -> dict[str, float]:
    """Of the probabilities (n, C) of a test; the area under the ROC curve is the mean over one class against the rest."""
    auc = roc_auc_score(y, p[:, 1]) if p.shape[1] == 2 else roc_auc_score(y, p, multi_class="ovr")
    return {
        "auc": float(auc), "log_loss": log_loss(p, y), "ece": calibration_error(p, y),
        "accuracy": float((p.argmax(1) == y).mean()),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ over tables


def by_table(rows: pd.DataFrame, by: list[str], value: str) -> pd.DataFrame:
    """A row for each table and each value of these columns: the mean over splits."""
    return rows.groupby(["table", *by], as_index=False, sort=False)[value].mean()

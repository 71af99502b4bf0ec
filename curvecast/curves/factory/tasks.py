"""The data sets that come with scikit-learn as tasks of classification. A third of the rows is held out.

What a task asks of a data set is its own question, ours where its name says so: digits come with ten classes, `digits_even`
is made of them. Labels are made wrong in the training part alone; features are scaled by the mean and spread of that part.
Shapes: n training rows, m held-out rows, d features.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from curvecast.ground.errors import UserError

Array = np.ndarray

HELD_OUT = 1 / 3  # of the rows of each class
PIXELS = 4000  # of a photograph


@dataclass(frozen=True)
class Task:
    title: str
    load: Callable[[], tuple[Array, Array]]  # -> features (n + m, d), classes (n + m,)
    wrong: float = 0.0  # share of the training labels that are wrong, whatever the run asks for


class Split(NamedTuple):
    """What one run sees, and what it is scored on."""

    x: Array  # (n, d)
    y: Array  # (n,), some of them wrong if that was asked for
    held_x: Array  # (m, d)
    held_y: Array  # (m,), never wrong
    rows: Array  # (n,) of the data set
    held_rows: Array  # (m,)
    classes: int

    def guess(self) -> float:
        """The accuracy of who always names the class that is most common among the held-out rows."""
        return float(np.bincount(self.held_y).max() / len(self.held_y))


def split(task: str, seed: int, wrong: float = 0.0) -> Split:
    """Which rows are held out, which labels are wrong and in which order rows stand: all from the seed."""
    features, labels = _loaded(task)
    rng = np.random.default_rng([seed, 1])
    rows, held_rows = _apart(labels, rng)
    classes = int(labels.max()) + 1
    y = _mistaken(labels[rows], max(wrong, TASKS[task].wrong), classes, rng)
    mean, spread = features[rows].mean(0), features[rows].std(0)
    scaled = (features - mean) / np.where(spread > 0, spread, 1)
    return Split(scaled[rows], y, scaled[held_rows], labels[held_rows], rows, held_rows, classes)


def _apart(labels: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rows of training and rows that are held out, each with the classes in the proportions of the data set."""
    held = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        of_class = rng.permutation(np.flatnonzero(labels == label))
        held[of_class[: round(len(of_class) * HELD_OUT)]] = True
    return rng.permutation(np.flatnonzero(~held)), np.flatnonzero(held)


def _mistaken(labels: Array, share: float, classes: int, rng: np.random.Generator) -> Array:
    """Each of this share of the labels becomes one of the other classes."""
    wrong = rng.permutation(len(labels))[: round(share * len(labels))]
    found = labels.copy()
    found[wrong] = (found[wrong] + rng.integers(1, classes, len(wrong))) % classes
    return found


# ------------------------------------------------------------------------------------------------ the data sets


@cache
def _loaded(task: str) -> tuple[Array, Array]:
    try:
        import sklearn.datasets  # noqa: F401  # asked here, so that whoever lacks it is told what to do
    except ImportError:
        raise UserError(
            "Real runs are trained with scikit-learn, which is not installed: pip install scikit-learn"
        ) from None
    features, labels = TASKS[task].load()
    return features.astype(float), labels.astype(int)


def _digits() -> tuple[Array, Array]:
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def _even() -> tuple[Array, Array]:
    images, digits = _digits()
    return images, digits % 2 == 0


def _three_or_eight() -> tuple[Array, Array]:
    images, digits = _digits()
    among = np.isin(digits, (3, 8))
    return images[among], digits[among] == 8


def _cancer() -> tuple[Array, Array]:
    from sklearn.datasets import load_breast_cancer

    return load_breast_cancer(return_X_y=True)


def _wine() -> tuple[Array, Array]:
    from sklearn.datasets import load_wine

    return load_wine(return_X_y=True)


def _diabetes(parts: int) -> tuple[Array, Array]:
    """Which of so many equal parts of the patients one belongs to, by the progress of the illness."""
    from sklearn.datasets import load_diabetes

    features, progress = load_diabetes(return_X_y=True)
    ends = np.quantile(progress, np.arange(1, parts) / parts)
    return features, np.searchsorted(ends, progress)


def _photo(name: str) -> tuple[Array, Array]:
    """Is a pixel brighter than the median one? From its place alone."""
    from sklearn.datasets import load_sample_image

    grey = load_sample_image(name).mean(2)
    places = np.random.default_rng(0).permutation(grey.size)[:PIXELS]
    bright = grey.ravel()[places]
    return np.stack(np.unravel_index(places, grey.shape), 1), bright > np.median(bright)


TASKS = {
    "digits": Task("digits, ten classes", _digits),
    "digits_even": Task("digits, even or odd", _even),
    "digits_3_8": Task("digits, 3 or 8", _three_or_eight),
    "digits_wrong": Task("digits, a fifth of the training labels wrong", _digits, wrong=0.2),
    "cancer": Task("breast cancer", _cancer),
    "wine": Task("wine", _wine),
    "diabetes_median": Task("diabetes, above the median", lambda: _diabetes(2)),
    "diabetes_thirds": Task("diabetes, in thirds", lambda: _diabetes(3)),
    "photo_china": Task("pixels of the photo china, bright or dark", lambda: _photo("china.jpg")),
    "photo_flower": Task("pixels of the photo flower, bright or dark", lambda: _photo("flower.jpg")),
}

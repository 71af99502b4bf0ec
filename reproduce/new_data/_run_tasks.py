"""What real runs are trained on, and how they are scored: the data sets that come with scikit-learn as classification tasks.

A third of the rows is held out. Some tasks use the labels of the data set (`digits`), others derive labels from them
(`digits_even`). Wrong labels occur only among the training rows; features are scaled by the mean and standard deviation of
these rows. A run is recorded by its accuracy and log-loss on the held-out rows after each step: an epoch, a tree or a number
of training rows. Probabilities are clipped at LEAST, so that no loss exceeds WORST. Once outputs are not finite, they count
as predicting the first class with the worst loss, and `broke` is the first such step.
Shapes: n training rows, m held-out rows, d features, s steps, k classes.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from curvecast.ground.errors import installed

Array = np.ndarray

HELD_OUT = 1 / 3  # of the rows of each class
PIXELS = 4000  # of a photograph
LEAST = 1e-7
WORST = -math.log(LEAST)


class Split(NamedTuple):
    """The training rows of one run, and the held-out rows that it is scored on."""

    x: Array  # (n, d)
    y: Array  # (n,), some of them wrong if requested
    held_x: Array  # (m, d)
    held_y: Array  # (m,), never wrong
    rows: Array  # (n,) of the data set
    held_rows: Array  # (m,)
    classes: int

    def guess(self) -> float:
        """The accuracy of always predicting the most common class of the held-out rows."""
        return float(np.bincount(self.held_y).max() / len(self.held_y))


def split(task: str, seed: int, wrong: float = 0.0) -> Split:
    """Held-out rows, wrong labels and the order of the rows, all from the seed."""
    features, labels = _loaded(task)
    rng = np.random.default_rng([seed, 1])
    rows, held_rows = _train_and_held_out(labels, rng)
    classes = int(labels.max()) + 1
    y = _with_wrong_labels(labels[rows], max(wrong, WRONG.get(task, 0.0)), classes, rng)
    mean, spread = features[rows].mean(0), features[rows].std(0)
    scaled = (features - mean) / np.where(spread > 0, spread, 1)
    return Split(scaled[rows], y, scaled[held_rows], labels[held_rows], rows, held_rows, classes)


def _train_and_held_out(labels: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Training rows and held-out rows, both with the class proportions of the data set."""
    held = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        of_class = rng.permutation(np.flatnonzero(labels == label))
        held[of_class[: round(len(of_class) * HELD_OUT)]] = True
    return rng.permutation(np.flatnonzero(~held)), np.flatnonzero(held)


def _with_wrong_labels(labels: Array, share: float, classes: int, rng: np.random.Generator) -> Array:
    """This share of the labels is replaced by other classes."""
    wrong = rng.permutation(len(labels))[: round(share * len(labels))]
    noisy = labels.copy()
    noisy[wrong] = (noisy[wrong] + rng.integers(1, classes, len(wrong))) % classes
    return noisy


# ------------------------------------------------------------------------------------------------ the data sets


@cache
def _loaded(task: str) -> tuple[Array, Array]:
    with installed("Real runs are trained with scikit-learn, which is missing: pip install scikit-learn"):
        import sklearn.datasets  # noqa: F401  # checked here, so that the error can say what to install
    features, labels = TASKS[task]()
    return features.astype(float), labels.astype(int)


def _given(name: str) -> tuple[Array, Array]:
    """As scikit-learn has it."""
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(return_X_y=True)


def _even() -> tuple[Array, Array]:
    images, digits = _given("digits")
    return images, digits % 2 == 0


def _three_or_eight() -> tuple[Array, Array]:
    images, digits = _given("digits")
    chosen = np.isin(digits, (3, 8))
    return images[chosen], digits[chosen] == 8


def _diabetes(parts: int) -> tuple[Array, Array]:
    """Patients in equal parts by the progress of the disease."""
    features, progress = _given("diabetes")
    ends = np.quantile(progress, np.arange(1, parts) / parts)
    return features, np.searchsorted(ends, progress)


def _photo(name: str) -> tuple[Array, Array]:
    """Is a pixel brighter than the median? Its position is the only input."""
    from sklearn.datasets import load_sample_image

    grey = load_sample_image(name).mean(2)
    places = np.random.default_rng(0).permutation(grey.size)[:PIXELS]
    bright = grey.ravel()[places]
    return np.stack(np.unravel_index(places, grey.shape), 1), bright > np.median(bright)


TASKS: dict[str, Callable[[], tuple[Array, Array]]] = {  # -> features (n + m, d), classes (n + m,)
    "digits": lambda: _given("digits"),
    "digits_even": _even,
    "digits_3_8": _three_or_eight,
    "digits_wrong": lambda: _given("digits"),
    "cancer": lambda: _given("breast_cancer"),
    "wine": lambda: _given("wine"),
    "diabetes_median": lambda: _diabetes(2),
    "diabetes_thirds": lambda: _diabetes(3),
    "photo_china": lambda: _photo("china.jpg"),
    "photo_flower": lambda: _photo("flower.jpg"),
}
WRONG = {"digits_wrong": 0.2}  # least share of wrong training labels


# ------------------------------------------------------------------------------------------ the record of a run


class Score(NamedTuple):
    accuracy: float
    loss: float


class Measured(NamedTuple):
    steps: Array  # (s,), rising
    accuracy: Array  # (s,)
    loss: Array  # (s,)
    untrained: Score | None = None  # before the first step, if that is defined
    broke: int | None = None  # the first step whose outputs were not finite


def score(probabilities: Array, labels: Array) -> Score:
    """Of finite probabilities (m, k)."""
    p_correct = probabilities[np.arange(len(labels)), labels]
    loss = -np.log(p_correct.clip(LEAST, 1)).mean()
    return Score(float((probabilities.argmax(1) == labels).mean()), float(loss))


def broken(labels: Array) -> Score:
    return Score(float((labels == 0).mean()), WORST)


def measured(steps: Array, scores: list[Score | None], labels: Array, first: Score | None = None) -> Measured:
    """From the scores of all steps, in order; None where the outputs were not finite. `first`: of no step."""
    broke = next((int(step) for step, known in zip(steps, scores, strict=True) if known is None), None)
    filled = [known or broken(labels) for known in scores]
    accuracy, loss = np.array(filled).T
    return Measured(np.asarray(steps), accuracy, loss, first, broke)

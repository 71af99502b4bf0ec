"""`TableClassifier`: a classifier as scikit-learn wants it, whose fit only keeps the table.

A table has at most 256 rows, 10 columns and 4 classes for the network, which was trained on up to 200 labelled rows. Of
more rows a stratified sample is kept, of more columns the ten that separate the classes best; with more classes each one
is asked for against the rest. Cells may be missing (NaN). A class of a test that was not in training is never predicted,
and counts as an error.
Shapes: n = rows, F = columns, C = classes.
"""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import PowerTransformer
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from curvecast.ground.errors import demand
from curvecast.tables import training
from curvecast.tables.network import TableNetwork
from curvecast.tables.prior import CLASSES, COLUMNS, ROWS

Array = np.ndarray
AT_ONCE = 1000  # rows of a forecast; they do not see one another


class TableClassifier(ClassifierMixin, BaseEstimator):
    """passes: how often the table is read, each time with other names of the classes and half of the times after a power
    transform of its columns; the mean of their probabilities is the forecast. weights: of a trained network, None for
    those that come along."""

    def __init__(self, passes: int = 8, weights: str | None = None, random_state: Any = None):
        self.passes, self.weights, self.random_state = passes, weights, random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any) -> "TableClassifier":
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        demand(self.passes >= 1, f"TableClassifier(passes={self.passes}): at least one pass is needed")
        check_classification_targets(y)
        network_of(self.weights)  # a wrong path is told now, not at the first forecast
        self.classes_, label = np.unique(y, return_inverse=True)
        known = "TableClassifier needs rows of at least two classes"
        demand(len(self.classes_) > 1, f"{known}; y has one class alone: {self.classes_[0]!r}")
        random = check_random_state(self.random_state)
        if len(X) > ROWS:
            kept = _sample(label, random)
            X, label = X[kept], label[kept]
        self.columns_ = _most_telling(X, label)
        self.x_, self.y_ = X[:, self.columns_], label
        self.power_ = _Powers(_plain(self.x_, self.x_))
        C = min(len(self.classes_), CLASSES)
        others = ((random.permutation(CLASSES)[:C], random.rand() < 0.5) for _ in range(self.passes - 1))
        self.turns_ = [(np.arange(C), False), *others]  # names of the classes, are columns transformed
        return self

    def predict(self, X: Any) -> Array:
        p = self.predict_proba(X)
        return self.classes_[p.argmax(1)]

    def predict_proba(self, X: Any) -> Array:
        """(n, C)"""
        return self.probabilities_of_passes(X).mean(0)

    def probabilities_of_passes(self, X: Any) -> Array:
        """Of each pass alone.  -> (passes, n, C)"""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        if len(self.classes_) <= CLASSES:
            return np.stack([self._one_pass(X, self.y_, *turn) for turn in self.turns_])
        each = [  # a class against the rest
            np.stack([self._one_pass(X, (self.y_ == c).astype(int), turn[0][:2], turn[1])[:, 1] for turn in self.turns_])
            for c in range(len(self.classes_))
        ]  # fmt: skip
        p = np.stack(each, -1)
        return p / p.sum(-1, keepdims=True)

    def _one_pass(self, X: Array, y: Array, names: Array, power: bool) -> Array:
        """(n, C), in the order of `classes_`"""
        x, asked = _plain(self.x_, self.x_), _plain(X[:, self.columns_], self.x_)
        if power:
            x, asked = self.power_(x), self.power_(asked)
        context, label = torch.tensor(x, dtype=torch.float32)[None], torch.tensor(names[y])[None]
        network, rows = network_of(self.weights), torch.tensor(asked, dtype=torch.float32)[None]
        with torch.no_grad():
            p = [network(context, label, some).double().softmax(-1)[0] for some in rows.split(AT_ONCE, 1)]
        return torch.cat(p).numpy()[:, names]


def _sample(label: Array, random: Any) -> Array:
    """The numbers of as many rows as the network takes: of each class its share, and at least one."""
    order, place = random.permutation(len(label)), np.empty(len(label))
    for c in np.unique(label):
        own = order[label[order] == c]
        place[own] = np.arange(len(own)) / len(own)
    return np.sort(np.argsort(place, kind="stable")[:ROWS])


def _most_telling(X: Array, label: Array) -> Array:
    """The ten columns whose class means lie farthest apart, in standard deviations."""
    if X.shape[1] <= COLUMNS:
        return np.arange(X.shape[1])
    x = np.nan_to_num(_plain(X, X))
    x = (x - x.mean(0)) / (x.std(0) + 1e-12)
    apart = sum((label == c).sum() * x[label == c].mean(0) ** 2 for c in np.unique(label))
    return np.sort(np.argsort(-apart, kind="stable")[:COLUMNS])


def _plain(X: Array, context: Array) -> Array:
    """Around 0 and of size 1 in the context, so that float32 can hold the differences; the network asks for no more."""

    def sized(x: Array, reference: Array) -> Array:
        largest = np.nanmax(np.abs(reference), 0, initial=0.0, where=~np.isnan(reference))
        return x / np.where(largest > 0, largest, 1.0)

    with np.errstate(over="ignore"):  # a row may lie as far outside as it likes
        X, context = sized(X, context), sized(context, context)
        middle = np.nansum(context, 0) / np.maximum((~np.isnan(context)).sum(0), 1)
        return np.clip(sized(X - middle, context - middle), -1e30, 1e30)


class _Powers:
    """A power transform of each column, to what is nearest to a normal law; columns with one value stay as they are."""

    def __init__(self, x: Array):
        self.varied = np.flatnonzero(np.nanmax(x, 0, initial=-1.0, where=~np.isnan(x)) > 1e-9)
        powers = PowerTransformer(standardize=False)
        self.transform = powers.fit(x[:, self.varied]) if len(self.varied) else None

    def __call__(self, x: Array) -> Array:
        made = x.copy()
        if self.transform is not None:
            with np.errstate(over="ignore"):  # infinite, where a row lies very far outside
                made[:, self.varied] = self.transform.transform(x[:, self.varied])
        return made


@functools.lru_cache(maxsize=4)
def network_of(path: str | None) -> TableNetwork:
    return training.load(training.PATH if path is None else Path(path))

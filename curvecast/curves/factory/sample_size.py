"""Scores against the number of training rows: sizes 16, 17, 19, 21, 23, … that double every eight steps.

A larger training set contains the smaller ones. Each curve is the mean over several seeds, each with its own split;
a model sees at least one row of each class.
"""

import warnings
from typing import Any

import numpy as np

from curvecast.curves.factory import tasks
from curvecast.curves.factory.measured import Measured, score
from curvecast.curves.factory.plan import Run

FIRST, A_DOUBLING = 16, 8


def train(run: Run) -> Measured:
    seeds = [run.seed + i for i in range(run.settings["seeds"])]
    splits = [tasks.split(run.task, seed) for seed in seeds]
    counts = sizes(len(splits[0].y))[: run.steps]
    scores = [_scores(run, split, seed, counts) for split, seed in zip(splits, seeds, strict=True)]
    accuracy, loss = np.mean(scores, 0).T
    return Measured(counts, accuracy, loss)


def sizes(rows: int) -> np.ndarray:
    """Rising integers up to `rows`."""
    steps = np.arange(int(A_DOUBLING * np.log2(rows / FIRST)) + 1)
    return np.unique(np.round(FIRST * 2 ** (steps / A_DOUBLING)).astype(int))


def _scores(run: Run, split: tasks.Split, seed: int, counts: np.ndarray) -> np.ndarray:
    """(sizes, 2)"""
    order = each_class_first(split.y)
    scores = []
    for size in counts:
        rows = order[:size]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class with a single row has no spread
            model = _model(run.settings["model"], seed).fit(split.x[rows], split.y[rows])
        scores.append(score(model.predict_proba(split.held_x), split.held_y))
    return np.array(scores)


def each_class_first(labels: np.ndarray) -> np.ndarray:
    """Indices of the rows: first the first row of each class, then all others in order."""
    first = np.unique(labels, return_index=True)[1]
    return np.concatenate([first, np.setdiff1d(np.arange(len(labels)), first)])


def _model(name: str, seed: int) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.naive_bayes import BernoulliNB, GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "naive_bayes": lambda: GaussianNB(var_smoothing=1e-3),
        "nearest_1": lambda: KNeighborsClassifier(1),
        "nearest_5": lambda: KNeighborsClassifier(5),
        "tree": lambda: DecisionTreeClassifier(random_state=seed),
        "small_tree": lambda: DecisionTreeClassifier(max_depth=3, random_state=seed),
        "discriminant": lambda: LinearDiscriminantAnalysis("lsqr", shrinkage=0.1),
        "bernoulli": lambda: BernoulliNB(),
        "forest": lambda: ExtraTreesClassifier(10, random_state=seed),
    }[name]()

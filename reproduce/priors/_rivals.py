"""The classifiers of scikit-learn that a network is compared with, and how their settings are chosen.

Shapes: n = rows, C = classes.
"""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reproduce.priors import _tables
from reproduce.priors._tables import Array, Split

FOLDS = 5
TITLES = {
    "logistic": "logistic regression", "forest": "random forest", "boosting": "gradient boosting",
    "process": "Gaussian process", "neighbours": "k nearest neighbours",
}  # fmt: skip
KERNELS = [ConstantKernel(a, "fixed") * RBF(s, "fixed") for a in (1.0, 10.0) for s in (0.5, 1.0, 2.0, 4.0)]
KERNELS.append(ConstantKernel(1.0) * RBF(1.0))  # fitted
GRIDS: dict[str, Any] = {
    "logistic": {"logisticregression__C": [0.01, 0.1, 1, 10, 100]},
    "forest": [{"max_features": ["sqrt"], "min_samples_leaf": [1, 3]}, {"max_features": [None]}],
    "boosting": {"max_depth": [1, 3], "learning_rate": [0.03, 0.1]},
    "process": {"gaussianprocessclassifier__kernel": KERNELS},
    "neighbours": {
        "kneighborsclassifier__n_neighbors": [1, 3, 5, 10, 15],
        "kneighborsclassifier__weights": ["uniform", "distance"],
    },
}


def untuned(method: str, seed: int) -> ClassifierMixin:
    """As it comes, behind a scaler where the scale of columns matters."""
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "forest": RandomForestClassifier(random_state=seed),
        "boosting": GradientBoostingClassifier(random_state=seed),
        "process": make_pipeline(StandardScaler(), GaussianProcessClassifier()),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    }[method]


def probabilities(method: str, tuned: bool, split: Split, seed: int) -> Array:
    """(n, C)"""
    classifier, classes = untuned(method, seed), int(split.y.max()) + 1
    if tuned:
        folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(split.x, split.y))
        fewest = min(len(some) for some, _ in folds)
        grid = [
            clone(classifier).set_params(**setting)
            for setting in ParameterGrid(GRIDS[method])
            if setting.get("kneighborsclassifier__n_neighbors", 1) <= fewest
        ]
        classifier = min(grid, key=lambda one: out_of_fold(one, split, folds, classes))
    return predicted(classifier, split.x, split.y, split.x_test, classes)


def out_of_fold(one: ClassifierMixin, split: Split, folds: list[tuple[Array, Array]], classes: int) -> float:
    """The log-loss of rows that a fit without their fold predicts."""
    p = np.zeros((len(split.y), classes))
    for some, others in folds:
        p[others] = predicted(one, split.x[some], split.y[some], split.x[others], classes)
    return _tables.log_loss(p, split.y)


def predicted(classifier: ClassifierMixin, x: Array, y: Array, x_test: Array, classes: int) -> Array:
    """A class that is not among y has no chance."""
    fitted = clone(classifier).fit(x, y)
    p = np.zeros((len(x_test), classes))
    p[:, fitted.classes_] = fitted.predict_proba(x_test)
    return p

"""Boosting and forests, scored after each tree. Boosting that fits its training rows perfectly ends with fewer trees."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from curvecast.curves.factory import tasks
from curvecast.curves.factory.measured import Measured, measured, score
from curvecast.curves.factory.plan import Run


def train(run: Run) -> Measured:
    split = tasks.split(run.task, run.seed, run.settings["wrong"])
    settings = {name: value for name, value in run.settings.items() if name != "wrong"}
    model = _model(run, settings).fit(split.x, split.y)
    x = split.held_x
    stages = _forest_stages(model, x) if run.learner == "forest" else model.staged_predict_proba(x)
    scores = [score(probabilities, split.held_y) for probabilities in stages]
    return measured(np.arange(1, len(scores) + 1), list(scores), split.held_y)


def _model(run: Run, settings: dict[str, Any]) -> Any:
    from sklearn import ensemble
    from sklearn.tree import DecisionTreeClassifier

    shared: dict[str, Any] = {"n_estimators": run.steps, "random_state": run.seed}
    if run.learner == "histogram":
        return ensemble.HistGradientBoostingClassifier(
            max_iter=run.steps, early_stopping=False, random_state=run.seed, **settings
        )
    if run.learner == "boosting":
        return ensemble.GradientBoostingClassifier(**shared, **settings)
    if run.learner == "ada":
        tree = DecisionTreeClassifier(max_depth=settings["depth"])
        return ensemble.AdaBoostClassifier(tree, learning_rate=settings["learning_rate"], **shared)
    kind = ensemble.ExtraTreesClassifier if settings["random_cuts"] else ensemble.RandomForestClassifier
    return kind(max_depth=settings["max_depth"], max_features=settings["max_features"], **shared)


def _forest_stages(forest: Any, x: np.ndarray) -> Iterator[np.ndarray]:
    """The mean probabilities of the first 1, 2, ... trees."""
    total = 0.0
    for count, tree in enumerate(forest.estimators_, 1):
        total = total + tree.predict_proba(x)
        yield total / count

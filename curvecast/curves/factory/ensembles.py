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
    model = _MODELS[run.learner](run, settings).fit(split.x, split.y)
    x = split.held_x
    stages = _forest_stages(model, x) if run.learner == "forest" else model.staged_predict_proba(x)
    scores = [score(probabilities, split.held_y) for probabilities in stages]
    return measured(np.arange(1, len(scores) + 1), list(scores), split.held_y)


def _histogram(run: Run, settings: dict[str, Any]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=run.steps, early_stopping=False, random_state=run.seed, **settings
    )


def _boosting(run: Run, settings: dict[str, Any]) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=run.steps, random_state=run.seed, **settings)


def _ada(run: Run, settings: dict[str, Any]) -> Any:
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    tree, rate = DecisionTreeClassifier(max_depth=settings["depth"]), settings["learning_rate"]
    return AdaBoostClassifier(tree, n_estimators=run.steps, learning_rate=rate, random_state=run.seed)


def _forest(run: Run, settings: dict[str, Any]) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    kind = ExtraTreesClassifier if settings["random_cuts"] else RandomForestClassifier
    tree_settings = {name: settings[name] for name in ("max_depth", "max_features")}
    return kind(n_estimators=run.steps, random_state=run.seed, **tree_settings)


_MODELS = {"histogram": _histogram, "boosting": _boosting, "ada": _ada, "forest": _forest}


def _forest_stages(forest: Any, x: np.ndarray) -> Iterator[np.ndarray]:
    """The mean probabilities of the first 1, 2, ... trees."""
    total = 0.0
    for count, tree in enumerate(forest.estimators_, 1):
        total = total + tree.predict_proba(x)
        yield total / count

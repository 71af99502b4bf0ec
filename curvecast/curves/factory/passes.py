"""scikit-learn's networks and linear models, scored after each epoch."""

import warnings
from typing import Any

import numpy as np

from curvecast.curves.factory import tasks
from curvecast.curves.factory.measured import Measured, Score, measured, score
from curvecast.curves.factory.plan import Run


def train(run: Run) -> Measured:
    split = tasks.split(run.task, run.seed, run.settings["wrong"])
    model = _model(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an overflow is part of the curve, and recorded as `broke`
        scores = _scores(model, split, run.steps)
    return measured(np.arange(1, run.steps + 1), scores, split.held_y)


def _model(run: Run) -> Any:
    from sklearn.linear_model import SGDClassifier
    from sklearn.neural_network import MLPClassifier

    settings = {name: value for name, value in run.settings.items() if name != "wrong"}
    if run.learner == "sgd":
        return SGDClassifier(loss="log_loss", random_state=run.seed, **settings)
    return MLPClassifier(random_state=run.seed, **settings)


def _scores(model: Any, split: tasks.Split, epochs: int) -> list[Score | None]:
    """One for each epoch; None from the first overflow on."""
    scores: list[Score | None] = []
    for _ in range(epochs):
        try:
            model.partial_fit(split.x, split.y, classes=range(split.classes))
            probabilities = model.predict_proba(split.held_x)
        except ValueError:  # both models refuse weights that are not finite
            break
        if not np.isfinite(probabilities).all():
            break
        scores.append(score(probabilities, split.held_y))
    return scores + [None] * (epochs - len(scores))

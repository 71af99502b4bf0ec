"""Training the runs of a plan, one after another on one thread; processes can share the work run by run.

Networks are trained in banks. scikit-learn's networks and linear models are scored after each epoch, boosting and forests
after each tree; boosting that fits its training rows perfectly ends with fewer trees. Models over the number of training
rows see 16, 17, 19, 21, 23, … rows, which double every eight steps.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
import torch

from curvecast.ground.config import restore
from reproduce.new_data import _run_bank as bank
from reproduce.new_data import _run_tasks as tasks
from reproduce.new_data._run_bank import Member, Shape
from reproduce.new_data._run_plan import Run
from reproduce.new_data._run_tasks import Measured, Score, measured, score

FIRST, A_DOUBLING = 16, 8  # of the training rows


def train(run: Run) -> Measured:
    """One run of any learner. Networks of one bank train faster together: see `train_bank`."""
    if run.learner == "networks":
        return train_bank([run])[0]
    if run.learner == "sizes":
        return train_over_sizes(run)
    return _by_epoch(run) if run.learner in ("sgd", "mlp") else _by_tree(run)


def train_bank(runs: list[Run]) -> list[Measured]:
    """Networks of one shape, side by side."""
    shared = [_settings_of(run, Shape) | {"task": run.task, "epochs": run.steps} for run in runs]
    shapes = {restore(Shape, settings) for settings in shared}
    assert len(shapes) == 1, "networks of several shapes cannot be trained side by side"
    members = [restore(Member, _settings_of(run, Member) | {"seed": run.seed}) for run in runs]
    return bank.train(shapes.pop(), members)


def _settings_of(run: Run, cls: type) -> dict[str, object]:
    names = {field.name for field in fields(cls)}
    return {name: value for name, value in run.settings.items() if name in names}


@contextmanager
def one_thread() -> Iterator[None]:
    """Small products gain nothing from several threads, which also slow down parallel processes.

    Denormal numbers are set to zero: very confident networks would otherwise be many times slower.
    """
    from threadpoolctl import threadpool_limits

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(threads)


def _by_epoch(run: Run) -> Measured:
    from sklearn.linear_model import SGDClassifier
    from sklearn.neural_network import MLPClassifier

    settings: dict[str, Any] = {**run.settings, "random_state": run.seed}
    split = tasks.split(run.task, run.seed, settings.pop("wrong"))
    sgd = run.learner == "sgd"
    model = SGDClassifier(loss="log_loss", **settings) if sgd else MLPClassifier(**settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an overflow is part of the curve, and recorded as `broke`
        scores = _of_passes(model, split, run.steps)
    return measured(np.arange(1, run.steps + 1), scores, split.held_y)


def _of_passes(model: Any, split: tasks.Split, epochs: int) -> list[Score | None]:
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


def _by_tree(run: Run) -> Measured:
    settings = dict(run.settings)
    split = tasks.split(run.task, run.seed, settings.pop("wrong"))
    model = _ensemble(run, settings).fit(split.x, split.y)
    x = split.held_x
    stages = _forest_stages(model, x) if run.learner == "forest" else model.staged_predict_proba(x)
    scores = [score(probabilities, split.held_y) for probabilities in stages]
    return measured(np.arange(1, len(scores) + 1), list(scores), split.held_y)


def _ensemble(run: Run, settings: dict[str, Any]) -> Any:
    from sklearn import ensemble
    from sklearn.tree import DecisionTreeClassifier

    shared: dict[str, Any] = {"n_estimators": run.steps, "random_state": run.seed}
    if run.learner == "histogram":
        how = settings | {"max_iter": run.steps, "random_state": run.seed}
        return ensemble.HistGradientBoostingClassifier(early_stopping=False, **how)
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


def train_over_sizes(run: Run) -> Measured:
    """The mean over several seeds, each with its own split. A larger training set contains the smaller ones."""
    seeds = [run.seed + i for i in range(run.settings["seeds"])]
    splits = [tasks.split(run.task, seed) for seed in seeds]
    counts = sizes(len(splits[0].y))[: run.steps]
    scores = [_over_sizes(run, split, seed, counts) for split, seed in zip(splits, seeds, strict=True)]
    accuracy, loss = np.mean(scores, 0).T
    return Measured(counts, accuracy, loss)


def sizes(rows: int) -> np.ndarray:
    """Rising integers up to `rows`."""
    steps = np.arange(int(A_DOUBLING * np.log2(rows / FIRST)) + 1)
    return np.unique(np.round(FIRST * 2 ** (steps / A_DOUBLING)).astype(int))


def _over_sizes(run: Run, split: tasks.Split, seed: int, counts: np.ndarray) -> np.ndarray:
    """(sizes, 2)"""
    order = each_class_first(split.y)
    scores = []
    for size in counts:
        rows = order[:size]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class with a single row has no spread
            model = _simple(run.settings["model"], seed).fit(split.x[rows], split.y[rows])
        scores.append(score(model.predict_proba(split.held_x), split.held_y))
    return np.array(scores)


def each_class_first(labels: np.ndarray) -> np.ndarray:
    """Indices of the rows: first the first row of each class, then all others in order."""
    first = np.unique(labels, return_index=True)[1]
    return np.concatenate([first, np.setdiff1d(np.arange(len(labels)), first)])


def _simple(name: str, seed: int) -> Any:
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

"""Searches among small networks on the digits: one after the other, with a pruner that may end each before its last epoch.

Each network is trained once, as far as somebody asks.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import optuna
import pandas as pd
from optuna import pruners
from optuna.exceptions import ExperimentalWarning
from optuna.trial import TrialState
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from curvecast.while_training.for_optuna import CurvecastPruner

OURS, PLAIN = "ours", "ours, not calibrated"
PRUNERS: dict[str, Callable[[int], pruners.BasePruner]] = {  # from a trial's epochs; with default settings
    "none": lambda epochs: pruners.NopPruner(),
    OURS: lambda epochs: CurvecastPruner(epochs, act=True, tell=lambda line: None),
    PLAIN: lambda epochs: CurvecastPruner(epochs, act=True, calibrate=False, tell=lambda line: None),
    "median": lambda epochs: pruners.MedianPruner(),
    "patience": lambda epochs: pruners.PatientPruner(None, patience=10),
    "Hyperband": lambda epochs: pruners.HyperbandPruner(max_resource=epochs),
    "halving": lambda epochs: pruners.SuccessiveHalvingPruner(),
}
COLUMNS = ("trial", "epoch", "held", "test", "training", "asking")
Settings = dict[str, Any]


class Digits(NamedTuple):
    """Half to train on, a quarter that is held out and steers the search, a quarter that nobody sees before its end."""

    trained: tuple[np.ndarray, np.ndarray]  # (898, 64), (898,)
    held: tuple[np.ndarray, np.ndarray]  # (449, 64), (449,)
    test: tuple[np.ndarray, np.ndarray]  # (450, 64), (450,)

    @classmethod
    def drawn(cls, seed: int) -> "Digits":
        pictures, digits = load_digits(return_X_y=True)
        x, rest, y, of_rest = train_test_split(pictures / 16, digits, test_size=0.5, random_state=seed)
        held, test, y_held, y_test = train_test_split(rest, of_rest, test_size=0.5, random_state=seed)
        return cls((x, y), (held, y_held), (test, y_test))


class Epoch(NamedTuple):
    held: float  # accuracy
    test: float
    seconds: float  # of its training and of the accuracy that is held out


def settings_of(trial: Any) -> Settings:
    """What a trial of Optuna tries; a rate may be far too small or far too large, as in a first search."""
    return {
        "width": trial.suggest_int("width", 4, 128, log=True),
        "rate": trial.suggest_float("rate", 1e-4, 1, log=True),
        "batch": trial.suggest_categorical("batch", [64, 128, 256]),
        "decay": trial.suggest_float("decay", 1e-6, 1e-1, log=True),
    }


class Network:
    def __init__(self, settings: Settings, seed: int, digits: Digits):
        self._digits, self._epochs = digits, list[Epoch]()
        self._network = MLPClassifier(
            (settings["width"],), solver="sgd", learning_rate_init=settings["rate"], batch_size=settings["batch"],
            alpha=settings["decay"], random_state=seed,
        )  # fmt: skip

    def epoch(self, number: int) -> Epoch:
        """The first is number 1."""
        while len(self._epochs) < number:
            self._epochs.append(self._train())
        return self._epochs[number - 1]

    def _train(self) -> Epoch:
        start = time.perf_counter()
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # a rate that is too large overflows
            warnings.simplefilter("ignore")
            self._network.partial_fit(*self._digits.trained, classes=np.arange(10))
            held = float(self._network.score(*self._digits.held))
            seconds = time.perf_counter() - start
            return Epoch(held, float(self._network.score(*self._digits.test)), seconds)


class Networks:
    """Those of one repeat: the same settings in the same place of a search make the same network, whoever prunes."""

    def __init__(self, seed: int):
        self._seed, self._digits = seed, Digits.drawn(seed)
        self._known: dict[tuple[object, ...], Network] = {}

    def of(self, place: int, settings: Settings) -> Network:
        key = (place, *settings.values())
        if key not in self._known:
            self._known[key] = Network(settings, 1000 * self._seed + place, self._digits)
        return self._known[key]


class Search(NamedTuple):
    epochs: pd.DataFrame  # COLUMNS, a row for each epoch that was trained, in their order
    pruned: list[bool]  # of each trial


def search(pruner: str, networks: Networks, seed: int, trials: int, epochs: int) -> Search:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)  # its pruner with patience
        asked = PRUNERS[pruner](epochs)
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.RandomSampler(seed), pruner=asked,
        study_name=f"search {seed}",  # Hyperband draws its brackets by this name
    )  # fmt: skip
    lines: list[tuple[float, ...]] = []
    pruned = []
    for place in range(trials):
        trial = study.ask()
        network = networks.of(place, settings_of(trial))
        own, stopped = _trained(trial, network, epochs)
        lines += [(place, *line) for line in own]
        pruned.append(stopped)
        state = TrialState.PRUNED if stopped else TrialState.COMPLETE
        study.tell(trial, None if stopped else max(line[1] for line in own), state)
    return Search(pd.DataFrame(lines, columns=list(COLUMNS)), pruned)


def _trained(trial: optuna.Trial, network: Network, epochs: int) -> tuple[list[tuple[float, ...]], bool]:
    """A line for each epoch, and whether it ended before the last."""
    lines: list[tuple[float, ...]] = []
    for number in range(1, epochs + 1):
        epoch = network.epoch(number)
        trial.report(epoch.held, number)
        start = time.perf_counter()
        stop = number < epochs and trial.should_prune()
        lines.append((number, epoch.held, epoch.test, epoch.seconds, time.perf_counter() - start))
        if stop:
            return lines, True
    return lines, False

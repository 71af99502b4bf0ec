"""One search: forty networks, one after the other, and a pruner that may end each before its last epoch."""

import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import optuna
import pandas as pd
from optuna import pruners, samplers
from optuna.exceptions import ExperimentalWarning
from optuna.trial import TrialState

from curvecast.while_training.for_optuna import CurvecastPruner
from reproduce.practice.search_with_pruner.compared import OURS, PLAIN
from reproduce.practice.search_with_pruner.networks import Network, Networks, settings_of

PRUNERS: dict[str, Callable[[int], pruners.BasePruner]] = {  # from a trial's epochs; with default settings
    "none": lambda epochs: pruners.NopPruner(),
    OURS: lambda epochs: CurvecastPruner(epochs, act=True, tell=lambda line: None),
    PLAIN: lambda epochs: CurvecastPruner(epochs, act=True, calibrate=False, tell=lambda line: None),
    "median": lambda epochs: pruners.MedianPruner(),
    "patience": lambda epochs: pruners.PatientPruner(None, patience=10),
    "Hyperband": lambda epochs: pruners.HyperbandPruner(max_resource=epochs),
    "halving": lambda epochs: pruners.SuccessiveHalvingPruner(),
}
SAMPLERS: dict[str, Callable[[int], samplers.BaseSampler]] = {
    "random": lambda seed: samplers.RandomSampler(seed=seed),
    "TPE": lambda seed: samplers.TPESampler(seed=seed),
}
COLUMNS = ("trial", "epoch", "held", "test", "training", "asking")


class Search(NamedTuple):
    epochs: pd.DataFrame  # COLUMNS, a row for each epoch that was trained, in their order
    pruned: list[bool]  # of each trial


def search(sampler: str, pruner: str, networks: Networks, seed: int, trials: int, epochs: int) -> Search:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)  # its pruner with patience
        asked = PRUNERS[pruner](epochs)
    study = optuna.create_study(
        direction="maximize", sampler=SAMPLERS[sampler](seed), pruner=asked,
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
        found = network.epoch(number)
        trial.report(found.held, number)
        start = time.perf_counter()
        stop = number < epochs and trial.should_prune()
        lines.append((number, found.held, found.test, found.seconds, time.perf_counter() - start))
        if stop:
            return lines, True
    return lines, False

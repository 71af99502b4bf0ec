"""Curves with a planned rate, as forecasters get them: simulated ones, and those of our own networks.

A run's shape: constant, warm-up (and constant after it), drops, cosine or linear.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch

from curvecast.curves.factory.schedules import Schedule, factors
from reproduce._press.where import Rows
from reproduce.new_data.told_schedule.planned_rates import LEAST, SHAPES
from reproduce.new_data.told_schedule.planned_runs import planned_runs
from reproduce.new_data.told_schedule.told_network import epochs
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import POINTS, Trial, trial, trial_of

Array = np.ndarray

UNSEEN = 1_000_000  # added to a seed: no training has it


class ChosenRun(NamedTuple):
    row: str  # made or real
    group: str  # runs that differ in the seed alone
    shape: str
    metric: str
    trial: Trial
    plan: Array  # (n, 3) of each epoch: see told_network


def made(count: int, seed: int, length: int = POINTS) -> list[ChosenRun]:
    """Curves from the simulator of the training, with seeds that no training used."""
    generator = torch.Generator().manual_seed(UNSEEN + seed)
    found = planned_runs(count, length, generator)
    plans, values = epochs(found.rate).numpy(), found.y.double().numpy()
    shapes = [SHAPES[number] for number in found.shape.tolist()]
    tried = (
        (shape, trial(y, 0, 1, False), plan) for shape, y, plan in zip(shapes, values, plans, strict=True)
    )
    return [
        ChosenRun("made", f"{i}", shape, "made", one, plan)
        for i, (shape, one, plan) in enumerate(tried)
        if one is not None
    ]


def real(rows: Rows, most: int, seed: int) -> list[ChosenRun]:
    """At most so many curves of networks, accuracy and log-loss of a run together, in random order."""
    by_name: dict[str, list[OwnRun]] = {}
    for run in own_runs(rows):
        if "schedule" in run.settings:
            by_name.setdefault(run.name, []).append(run)
    order = np.random.default_rng(seed).permutation(len(by_name))
    runs = [run for i in order for run in list(by_name.values())[i]]
    return [put for run in runs if (put := _put(run)) is not None][:most]


def _put(run: OwnRun) -> ChosenRun | None:
    """None where there is no unit, or more epochs than a forecaster is shown one by one."""
    one = trial_of(run)
    if one is None or len(run.values) > POINTS:
        return None
    settings = run.settings["schedule"]
    return ChosenRun("real", run.group, shape(settings), run.metric, one, plan(settings, len(run.values)))


def shape(settings: dict[str, Any]) -> str:
    return "warm-up" if settings["shape"] == "constant" and settings["warm_up"] else str(settings["shape"])


def plan(settings: dict[str, Any], length: int) -> Array:
    schedule = Schedule(**settings | {"drops": tuple(settings["drops"])})
    rate = factors(schedule, length).clip(LEAST)
    return epochs(torch.from_numpy(rate)[None])[0].numpy()


def about(puts: list[ChosenRun]) -> pd.DataFrame:
    return pd.DataFrame(
        [(put.row, i, put.group, put.shape, put.metric, put.trial.learns()) for i, put in enumerate(puts)],
        columns=["row", "curve", "group", "shape", "metric", "learns"],
    )

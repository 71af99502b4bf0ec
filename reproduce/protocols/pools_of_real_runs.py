"""Runs of one task that compete: of our own factory, of Taskset, AlgoPerf and DeepOBS, and a pool in which nothing learns.

All runs of a pool are as long as one another and lie on one scale, 0 to 1, where more is better. The scale knows bounds of
the metric, and of an unbounded loss what runs of the task begin with. Nothing else of any run is used before it is trained.

Shapes: n runs, m epochs of a whole run. An epoch is a point of a curve: an evaluation, or several where curves are thinned.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from curvecast.curves import real_table
from curvecast.curves.real_table import side
from curvecast.forecasting.normalise import Metric, Scale
from presswork.estimates import Rows
from reproduce.protocols import benchmarks
from reproduce.protocols.own_runs import own_runs

Array = np.ndarray

SHORT = 0.75  # of the median length of its task: a run that ended before that is left out
LEARNS = 0.02  # of what runs begin with: a loss that never falls by so much has learnt nothing
LEAST = 10  # runs, below which there is nothing to choose


@dataclass(frozen=True)
class Task:
    source: str
    name: str
    unit: str  # tasks of one unit hang together: one problem in two frameworks
    y: Tensor  # (n, m)
    left_out: int  # runs that ended too early to compete


@dataclass(frozen=True)
class Run:
    task: str
    metric: Metric
    begins: float  # the untrained value, or the first one
    values: Array


def pools(source: str, which: str, runs: int, points: int, tasks: int, seed: int, own: Rows) -> list[Task]:
    """At most so many tasks of a side, and of each at most so many runs, drawn by chance; without the tables, none."""
    by_task: dict[str, list[Run]] = {}
    for run in _own(own, which) if source == "own" else _others(source, which):
        by_task.setdefault(run.task, []).append(run)
    made = (_pool(source, name, by_task[name], runs, points, seed) for name in sorted(by_task))
    return [task for task in made if task is not None][:tasks]


def _own(rows: Rows, which: str) -> Iterator[Run]:
    """Networks of our own, by held-out accuracy after each epoch; two tasks of one data set may be on both sides."""
    for run in own_runs(rows, ("accuracy",), least=1):
        there = run.learner == "networks" and side("own_curves", run.task) == which
        if there and np.isfinite(run.values).all():
            yield Run(run.task, Metric(0, 1, False), run.values[0], run.values)


def _others(source: str, which: str) -> Iterator[Run]:
    """Of those of Taskset that learn nothing where the source is "nothing"."""
    table = "taskset" if source == "nothing" else source
    for curve in benchmarks.of_side(table, which) if real_table.folder() else []:
        begins = curve.values[0] if curve.untrained is None else curve.untrained
        learns = curve.values.min() < (1 - LEARNS) * begins
        if source != "nothing" or not learns:
            yield Run(curve.task, Metric(curve.low, curve.high, curve.minimise), begins, curve.values)


def _pool(source: str, name: str, runs: list[Run], most: int, points: int, seed: int) -> Task | None:
    """Of all that are long enough so many, in an order by chance; cut to the shortest of them and thinned."""
    long = [run for run in runs if len(run.values) >= SHORT * np.median([len(one.values) for one in runs])]
    some = np.random.default_rng([seed, *name.encode()]).permutation(len(long))[:most]
    if len(some) < LEAST:
        return None
    m = min(len(run.values) for run in long)
    kept = np.stack([thinned(long[i].values[:m], points) for i in some])
    metric = runs[0].metric
    scale = Scale(metric, float(np.median([run.begins for run in long])))
    y = torch.from_numpy(scale.to(kept)).float()
    unit = name.removesuffix("_jax").removesuffix("_pytorch")
    return Task(source, f"{source}/{name}", f"{source}/{unit}", y, len(runs) - len(long))


def thinned(values: Array, points: int) -> Array:
    """At most so many, evenly, and the last one among them: an epoch is then as many points as lie between two."""
    step = math.ceil(len(values) / points)
    return values[::-1][::step][::-1]

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
from curvecast.curves.look_and_judge import side
from curvecast.curves.real_table import RealCurve
from curvecast.forecasting.normalise import Metric, Scale
from reproduce._press.where import Rows

Array = np.ndarray

FILES = {
    "taskset": "taskset_rnn12_valid_loss.csv.gz",
    "nothing": "taskset_rnn12_valid_loss.csv.gz",
    "algoperf": "algoperf_v05_external.csv.gz",
    "deepobs": "deepobs_baselines.csv.gz",
}
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
    """Networks of our own, by held-out accuracy after each epoch; a data set is on one side as a whole."""
    points = dict(list(rows["rows"].groupby("run", sort=False)))
    networks = rows["runs"][rows["runs"]["learner"] == "networks"]
    for run in networks.to_dict("records"):
        own = points[run["run"]].sort_values("step")
        values = own[own["step"] > 0]["accuracy"].to_numpy()
        if side("own_curves", run["task"]) == which and np.isfinite(values).all():
            yield Run(run["task"], Metric(0, 1, False), values[0], values)


def _others(source: str, which: str) -> Iterator[Run]:
    folder = real_table.folder()
    for curve in [] if folder is None else real_table.read(folder, FILES[source]):
        begins = curve.values[0] if curve.untrained is None else curve.untrained
        metric = Metric(curve.low, curve.high, curve.minimise)
        if side(curve.source, curve.group) == which and (source != "nothing" or not _learns(curve, begins)):
            yield Run(curve.task, metric, begins, curve.values)


def _learns(curve: RealCurve, begins: float) -> bool:
    return bool(curve.values.min() < (1 - LEARNS) * begins)


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

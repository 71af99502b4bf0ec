"""Curves that others measured, task by task: of each task some by chance, thinned to a hundred points."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curvecast.curves import real_table
from curvecast.curves.look_and_judge import side
from curvecast.curves.real_table import RealCurve
from curvecast.forecasting.finished_runs import Finished
from curvecast.forecasting.normalise import Metric, Scale
from curvecast.ground.errors import UserError

SOURCES = {
    "adabelief": "adabelief_cifar10.csv.gz", "algoperf": "algoperf_v05_external.csv.gz",
    "deepobs": "deepobs_baselines.csv.gz", "lcdb11": "lcdb11_valid_error.csv.gz", "nanogpt": "nanogpt_val_loss.csv.gz",
    "pythia": "pythia_zero_shot.csv.gz", "taskset": "taskset_rnn12_valid_loss.csv.gz",
}  # fmt: skip
POINTS = 100
FARTHEST = 10.0  # times the first loss: what lies beyond counts as that
LEAST = 6  # curves of a task: five to be finished, and one to be forecast


class Run(NamedTuple):
    scale: Scale
    seen: Finished  # as the network sees it


class Task(NamedTuple):
    name: str
    licence: str
    runs: list[Run]  # in an order by chance


def tasks(source: str, which: str, most_tasks: int, most_runs: int, seed: int) -> Iterator[Task]:
    """Of a source, on a side; fewer are the first of more."""
    where = real_table.folder()
    if where is None:
        raise UserError(f"{real_table.VARIABLE} does not say where the tables of real curves are")
    by_task: dict[str, list[RealCurve]] = {}
    for curve in real_table.read(where, SOURCES[source]):
        if side(curve.source, curve.group) == which:
            by_task.setdefault(curve.task, []).append(curve)
    rng = np.random.default_rng([seed, list(SOURCES).index(source)])
    names = [name for name in sorted(by_task) if len(by_task[name]) >= LEAST]
    for i in rng.permutation(len(names))[:most_tasks]:
        curves = by_task[names[i]]
        order = np.random.default_rng([seed, i]).permutation(len(curves))
        runs = [run for run in (_run(curves[j]) for j in order[:most_runs]) if run is not None]
        if len(runs) >= LEAST:
            yield Task(names[i], curves[0].licence, runs)


def _run(curve: RealCurve) -> Run | None:
    """None where the first value is the best possible one of a metric without another bound: there is no unit then."""
    metric = Metric(curve.low, curve.high, curve.minimise)
    few = curve.values[np.unique(np.linspace(0, len(curve.values) - 1, POINTS).round().astype(int))]
    if not metric.line() and few[0] in (curve.low, curve.high):
        return None
    most = curve.high if np.isfinite(curve.high) else curve.low + FARTHEST * (few[0] - curve.low)
    kept = np.minimum(few, most)
    scale = Scale.of(metric, kept[:1], "the first value")
    return Run(scale, Finished(np.arange(1.0, len(kept) + 1), scale.to(kept)))

"""Curves that others measured, task by task: a random sample of each task."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curvecast.curves.real_table import RealCurve
from curvecast.forecasting.finished_runs import Finished
from curvecast.forecasting.normalise import Scale
from reproduce.protocols import tables_of_others
from reproduce.protocols.real_curve import trial_of

SOURCES = tables_of_others.FILES
LEAST = 6  # curves of a task: five to be finished, and one to be forecast


class Run(NamedTuple):
    scale: Scale
    seen: Finished  # on the network's scale


class Task(NamedTuple):
    name: str
    licence: str
    runs: list[Run]  # in random order


def tasks(source: str, which: str, most_tasks: int, most_runs: int, seed: int) -> Iterator[Task]:
    """Of a source, in the tuning or the test set; a smaller sample is the beginning of a larger one."""
    by_task: dict[str, list[RealCurve]] = {}
    for curve in tables_of_others.of_side(source, which):
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
    one = trial_of(curve)
    return None if one is None else Run(one.scale, Finished(np.arange(1.0, len(one.values) + 1), one.seen))

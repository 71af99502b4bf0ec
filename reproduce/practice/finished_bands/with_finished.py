"""Tasks of curves that others measured, and one task at one observed share: every run is forecast, some with finished runs.

Shapes: N = runs of the task, L = levels, B = runs that are forecast, D = distances ahead.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curvecast.curves.real_table import RealCurve
from curvecast.forecasting.finished_runs import DISTANCES, Fell, Finished, Levels, Sharing, cut, fell, levels
from curvecast.forecasting.network import DensityNetwork
from curvecast.forecasting.normalise import Scale
from curvecast.forecasting.passes import passes
from curvecast.forecasting.track_record import own_levels, scores
from curvecast.scores import quantile_scores
from curvecast.scores.quantile_scores import LEVELS
from reproduce.protocols import benchmarks
from reproduce.protocols.real_curve import trial_of

Array = np.ndarray

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
    for curve in benchmarks.of_side(source, which):
        by_task.setdefault(curve.task, []).append(curve)
    rng = np.random.default_rng([seed, list(benchmarks.FILES).index(source)])
    names = [name for name in sorted(by_task) if len(by_task[name]) >= LEAST]
    for i in rng.permutation(len(names))[:most_tasks]:
        curves = by_task[names[i]]
        order = np.random.default_rng([seed, i]).permutation(len(curves))
        tried = (trial_of(curves[j]) for j in order[:most_runs])
        runs = [Run(one.scale, Finished(np.arange(1.0, len(one.seen) + 1), one.seen)) for one in tried if one]
        if len(runs) >= LEAST:
            yield Task(names[i], curves[0].licence, runs)


class Case(NamedTuple):
    """How finished runs are chosen, and what is believed of them."""

    finished: int
    sharing: Sharing = Sharing()


class Worth(NamedTuple):
    """Of one run, means over DISTANCES."""

    in90: float
    in50: float
    width: float  # of the 90 % interval, in the metric's own unit
    crps: float


def worths(
    network: DensityNetwork, task: Task, seen: float, cases: list[Case], most: int, rng: np.random.Generator
) -> Iterator[tuple[int, Case, Worth]]:
    """For at most so many runs of a task, in each case for which there are enough other runs."""
    runs = [run for run in task.runs if cut(run.seen, seen) is not None]
    known = fell(network, [run.seen for run in runs], seen)  # (N, ...)
    others = [rng.permutation(np.delete(np.arange(len(runs)), i)) for i in range(min(most, len(runs)))]
    shown = [one for one in (cut(runs[i].seen, seen) for i in range(len(others))) if one is not None]
    records = scores(network, [beginning.points for beginning, _ in shown])
    alone = [own_levels([z])[0] for z in records]
    for some, density in passes(network, [beginning for beginning, _ in shown]):
        for case in cases:
            chosen = [others[i][: case.finished] for i in some]
            if min(map(len, chosen)) < case.finished:
                continue
            pairs = zip(chosen, some, strict=True)
            asked = [_asked(known, own, i, case, alone[i]) for own, i in pairs]  # B of (L, D)
            quantiles = density.quantile(np.stack(asked, 1)).astype(float)  # (L, B, D)
            for place, i in enumerate(some):
                yield i, case, _worth(runs[i], quantiles[:, place], shown[i][1])


def _asked(known: Fell, own: Array, i: int, case: Case, alone: Levels) -> Array:
    """By the record of the run alone where there are no finished ones, as the package does."""
    promised = np.repeat(LEVELS[:, None], len(DISTANCES), 1)  # (L, D)
    if not len(own):
        return alone.asked(promised)
    finished = Fell(known.scores[own], known.outlines[own])
    return levels(finished, known.outlines[i], DISTANCES, case.sharing).asked(promised)


def _worth(run: Run, quantiles: Array, y: Array) -> Worth:
    own, came = run.scale.back(quantiles), run.scale.back(y)
    if run.scale.metric.minimise:
        own = own[::-1]
    in90, in50 = (float(quantile_scores.inside(own, came, share).mean()) for share in (0.9, 0.5))
    return Worth(in90, in50, float((own[-1] - own[0]).mean()), float(quantile_scores.crps(own, came).mean()))

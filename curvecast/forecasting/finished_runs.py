"""Finished runs of the same kind: each is cut off where the run in question stands, forecast, and set against what came.

So the scores of n finished runs and the one that will come are alike in all that is known, and the network may err in its
own way on runs of this kind: kept_promises.py sets that right.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from curvecast.forecasting.epochs import epochs
from curvecast.forecasting.kept_promises import DISTANCES, Levels, levels, score
from curvecast.forecasting.normalise import Metric, Scale
from curvecast.forecasting.passes import Beginning, padded, passes
from curvecast.forecasting.user_input import Seen, clean, is_run, steps_of
from curvecast.ground.errors import UserError
from curvecast.training.train import Forecaster

Array = np.ndarray

MOST = 50  # runs: more cost time and tell little more


class Finished(NamedTuple):
    """A run as the network sees it."""

    x: Array  # (T,) epochs, rising, up to the horizon
    y: Array  # (T,)


def given(finished: Any, steps: Any, steps_needed: bool) -> list[Seen]:
    """What a user gives as finished runs, as numbers; more than MOST are thinned evenly."""
    if not is_run(finished) or not all(is_run(run) for run in finished):
        raise UserError("finished is no list of runs: give each finished run as a list of all its values")
    if steps is None and steps_needed and len(finished):
        raise UserError(
            "the runs have steps and the finished ones have none: give finished_steps, counted in the same unit"
        )
    each, shared = steps_of(steps, len(finished), True)
    seen = [
        clean(run, own, shared, f"finished run {i}")
        for i, (run, own) in enumerate(zip(finished, each, strict=True), 1)
    ]
    some = np.unique(np.linspace(0, len(seen) - 1, min(MOST, len(seen))).round().astype(int))
    return [seen[i] for i in some]


def end_of_all(seen: list[Seen]) -> float:
    """The last step to which all of them have come."""
    return float(min(run.steps[-1] for run in seen))


def as_seen(seen: list[Seen], metric: Metric, end: float) -> list[Finished]:
    """Those runs up to the horizon, each on its own scale."""
    found = []
    for i, run in enumerate(seen, 1):
        where = f"finished run {i}"
        if run.steps[-1] + run.axis.unit <= end * (1 + 1e-9):
            raise UserError(
                f"{where} ends at step {run.steps[-1]:g}, before the horizon {end:g}: leave it out, or give another horizon"
            )
        until = max(1, int(np.searchsorted(run.steps, end * (1 + 1e-9))))
        at = epochs(run.steps[:until], run.axis, max(end, float(run.steps[until - 1])), where)
        scale = Scale.of(metric, run.values[:until], where)
        found.append(Finished(at.x, scale.to(run.values[at.kept])))
    return found


def cut(run: Finished, seen: float) -> tuple[Beginning, Array] | None:
    """What is known after such a share of it, asked about the points nearest to DISTANCES, and the values there (D,)."""
    k = max(1, int(np.searchsorted(run.x, seen * run.x[-1] + 1e-6)))
    if k == len(run.x):
        return None  # nothing came after it
    wanted = run.x[k - 1] + DISTANCES * (run.x[-1] - run.x[k - 1])
    at = k + np.abs(run.x[k:] - wanted[:, None]).argmin(1)
    return Beginning(run.x[:k], run.y[:k], run.x[at]), run.y[at]


@torch.inference_mode()
def scores(forecaster: Forecaster, runs: Sequence[Finished], seen: float) -> Array:
    """Of each run that goes on after such a share of it: where it fell at DISTANCES in what the network says.  -> (n, D)"""
    there = [one for one in (cut(run, seen) for run in runs) if one is not None]
    found = np.empty((len(there), len(DISTANCES)))
    for some, told in passes(forecaster, [beginning for beginning, _ in there]):
        y = padded([there[i][1] for i in some], len(DISTANCES))
        found[some] = score(told.cdf(y).numpy(), told.exceeds(y).numpy())
    return found


def kept(
    forecaster: Forecaster, ended: Sequence[Finished], runs: Sequence[Beginning]
) -> list[tuple[Levels | None, int]]:
    """Of each run the levels, and how many finished runs they rest on; found once for runs that stand at one point."""
    known: dict[tuple[float, bytes], tuple[Levels | None, int]] = {}
    for x, _, x_ahead in runs:
        if (where := (float(x[-1]), x_ahead.tobytes())) not in known:
            known[where] = _kept(forecaster, ended, x[-1], x_ahead)
    return [known[float(x[-1]), x_ahead.tobytes()] for x, _, x_ahead in runs]


def _kept(
    forecaster: Forecaster, ended: Sequence[Finished], last: float, x_ahead: Array
) -> tuple[Levels | None, int]:
    if not len(ended) or not len(x_ahead):
        return None, 0
    found = scores(forecaster, ended, last / x_ahead[-1])
    if not len(found):
        return None, 0
    return levels(found, (x_ahead - last) / (x_ahead[-1] - last)), len(found)

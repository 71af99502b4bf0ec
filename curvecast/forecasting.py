"""Forecast your own runs: `curvecast.forecast(values)`.

from curvecast import forecast

run = forecast([0.31, 0.42, 0.48, 0.52, 0.55])          # accuracy, epochs 1 to 5; forecast to epoch 100
run.median[-1], run.interval(0.9), run.prob_beats(0.7)
forecast([2.3, 1.9, 1.7], steps=[500, 1000, 1500], horizon=20_000, metric="loss")
forecast([[0.2, 0.4], [0.3, None, 0.5]])                # many runs, of any lengths, with holes
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from curvecast import shipped
from curvecast.ask import Beginning, ask
from curvecast.epochs import Axis, axis, default_horizon, epochs
from curvecast.errors import UserError
from curvecast.forecasted import Forecast, Forecasts
from curvecast.normalise import Metric, Scale, metric_of

Array = np.ndarray


class Seen(NamedTuple):
    """One run, without its holes."""

    steps: Array
    values: Array
    axis: Axis


class Unlike(UserWarning):
    """A run that is not of a kind that the network was trained on."""


def forecast(
    values: Sequence[Any] | Array,
    steps: Sequence[Any] | Array | None = None,
    horizon: float | None = None,
    metric: str | tuple[float, float] = "accuracy",
    *,
    bounds: tuple[float, float] | None = None,
    minimise: bool | None = None,
    names: Sequence[str] | None = None,
    check: bool = True,
    weights: str | None = None,
) -> Any:
    """Forecast one run, or many in one call.

    values    what was measured so far: one run [0.3, 0.4], or many [[0.3, 0.4], [0.2, None, 0.5]]; None is a hole
    steps     when, in any unit, rising: for one run, or for each of many, or once for all; default 1, 2, 3, ...
    horizon   the last step to forecast, counted as the steps are; default a hundred epochs (an epoch is the usual gap
              between two steps), or twice as far as the run has come
    metric    "accuracy" (0 to 1, the default), "percent" (0 to 100), "error" (0 to 1, less is better), "loss" (from 0,
              less is better), or bounds such as (0, 500)
    bounds    the lowest and highest value that the metric can have; one of them may be infinite
    minimise  True where less is better
    names     of the runs, for messages and tables
    check     score how plausible each run is (in_prior) and warn where it is not; False saves about half of the time
    weights   a .safetensors file of ours instead of the network that ships

    Returns a Forecast for one run and a list of them for many.
    """
    if not _is_run(values):
        raise UserError(f"values are {values!r}: give a list of numbers, or a list of such lists")
    many = len(values) > 0 and all(_is_run(v) for v in values)
    runs = list(values) if many else [values]
    told = metric_of(metric, bounds, minimise)
    each = _steps_of_each(steps, len(runs), many)
    labels = list(names) if names is not None else [f"run {i + 1}" for i in range(len(runs))]
    if len(labels) != len(runs):
        raise UserError(f"there are {len(runs)} runs and {len(labels)} names")
    seen = [
        _clean(run, own, label if many else "the run")
        for run, own, label in zip(runs, each, labels, strict=True)
    ]
    forecasts = _forecast(seen, labels, horizon, told, shipped.load(weights), check)
    return forecasts if many else forecasts[0]


def _forecast(
    seen: list[Seen], labels: list[str], horizon: float | None, metric: Metric, network: shipped.Shipped,
    check: bool,
) -> Forecasts:  # fmt: skip
    """All runs of a call go to the same horizon."""
    if horizon is not None and not np.isfinite(horizon):
        raise UserError(f"horizon {horizon} is not a step: give a number, counted as the steps are")
    end = max(default_horizon(run.steps, run.axis) for run in seen) if horizon is None else float(horizon)
    axes = [epochs(run.steps, run.axis, end, label) for run, label in zip(seen, labels, strict=True)]
    scales = [Scale.of(metric, run.values, label) for run, label in zip(seen, labels, strict=True)]
    beginnings = [
        Beginning(*map(_tensor, (at.x, scale.to(run.values[at.kept]), at.x_ahead)))
        for at, scale, run in zip(axes, scales, seen, strict=True)
    ]
    going = [i for i, at in enumerate(axes) if len(at.ahead)]
    rows = dict(zip(going, ask(network.forecaster, [beginnings[i] for i in going]), strict=True))
    forecasts = Forecasts(
        Forecast(label, run.steps, run.values, at.ahead, at.thinned, scale, beginning, rows.get(i), network)
        for i, (label, run, at, scale, beginning) in enumerate(
            zip(labels, seen, axes, scales, beginnings, strict=True)
        )
    )
    if check:
        forecasts.judge()
        for run in forecasts:
            for text in run.warnings:
                warnings.warn(f"{run.name}: {text}", Unlike, stacklevel=3)
    return forecasts


def _tensor(numbers: Array) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float32)


def _is_run(value: Any) -> bool:
    """Numbers in a row: a list, an array of any library, a column of a table."""
    if hasattr(value, "__array__"):
        return np.ndim(value) > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _steps_of_each(steps: Any, n: int, many: bool) -> list[Any]:
    """Given once, for each run, or not at all."""
    if steps is None or not many or not all(_is_run(s) for s in steps):
        return [steps] * n
    if len(steps) != n:
        raise UserError(f"there are {n} runs and steps for {len(steps)}")
    return list(steps)


def _clean(run: Any, steps: Any, where: str) -> Seen:
    """What was seen, without holes, or a complaint."""
    values = [_number(v, where, f"value {i + 1}") for i, v in enumerate(run)]
    if steps is None:
        own: list[float | None] = [float(i) for i in range(1, len(values) + 1)]
    else:
        own = [_number(s, where, f"step {i + 1}") for i, s in enumerate(steps)][
            : _common(values, steps, where)
        ]
    if None in own:
        raise UserError(f"{where}: step {own.index(None) + 1} is missing")
    if not any(v is not None for v in values):
        raise UserError(f"{where} has no value: give at least one")
    there = [i for i, v in enumerate(values) if v is not None]
    at = np.array(own, dtype=float)
    if at.min() < 0:
        raise UserError(f"{where}: a step is negative: steps count from 0 or 1")
    if not (np.diff(at) > 0).all():
        i = int(np.flatnonzero(np.diff(at) <= 0)[0])
        raise UserError(
            f"{where}: step {at[i + 1]:g} comes after {at[i]:g}: steps must rise; sort them, or drop a restart"
        )
    return Seen(at[there], np.array([values[i] for i in there], dtype=float), axis(at))


def _common(values: list[Any], steps: Any, where: str) -> int:
    if len(steps) < len(values):
        raise UserError(f"{where} has {len(values)} values and {len(steps)} steps")
    return len(values)


def _number(value: Any, where: str, what: str) -> float | None:
    if value is None or value is np.ma.masked:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UserError(f"{where}: {what} is {value!r}, which is not a number") from None
    if not np.isfinite(number):
        raise UserError(
            f"{where}: {what} is {number}: cut the run before it, or put None where a value is missing"
        )
    return number

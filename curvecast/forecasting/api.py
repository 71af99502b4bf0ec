"""Forecast your own runs: `curvecast.forecast(values)`.

from curvecast import forecast

run = forecast([0.31, 0.42, 0.48, 0.52, 0.55])          # accuracy, epochs 1 to 5; forecast to epoch 100
run.median[-1], run.interval(0.9), run.prob_beats(0.7)
forecast([2.3, 1.9, 1.7], steps=[500, 1000, 1500], horizon=20_000, metric="loss")
forecast([[0.2, 0.4], [0.3, None, 0.5]])                # many runs, of any lengths, with holes
forecast([0.31, 0.42, 0.48], finished=[a, b, c])        # intervals calibrated on three finished runs
forecast([0.31, 0.42, 0.48], schedule=[(1, 0.1), (81, 0.01)])    # the learning rate will drop after epoch 80
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from curvecast.forecasting import doubts, log_steps, shipped, track_record
from curvecast.forecasting import epochs as linear_steps
from curvecast.forecasting.finished_runs import FinishedRuns, given
from curvecast.forecasting.forecast import Forecast
from curvecast.forecasting.forecasts import Forecasts
from curvecast.forecasting.log_steps import LogDistance, ScalingForecast
from curvecast.forecasting.normalise import Metric, Scale, metric_of
from curvecast.forecasting.passes import Beginning, ask
from curvecast.forecasting.schedule import Schedule, schedule_of
from curvecast.forecasting.user_input import Seen, clean, names_of, number, of_table, runs_of, steps_of
from curvecast.ground.errors import demand, printable

Array = np.ndarray


class Unlike(UserWarning):
    """A run that is unlike the curves that the model was trained on."""


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
    finished: Sequence[Any] | FinishedRuns | None = None,
    finished_steps: Sequence[Any] | Array | None = None,
    scale: str = "linear",
    schedule: Any = None,
) -> Any:
    """Forecast one run, or many in one call.

    values    what was measured so far: one run [0.3, 0.4], or many [[0.3, 0.4], [0.2, None, 0.5]]; None is missing;
              or a pandas table whose columns are runs and whose index are the steps
    steps     in any unit, rising: for one run, or for each of many, or once for all; default 1, 2, 3, ...
    horizon   the last step to forecast, in the unit of steps, for all runs; default a hundred epochs (an epoch is
              the usual gap between two steps) or twice as far as the longest run, whichever is later; with finished
              runs, the last step that all of them have reached
    metric    "accuracy" (0 to 1, the default), "percent" (0 to 100), "error" (0 to 1, lower is better), "loss" (0 and
              above, lower is better), or the lowest and highest value, such as (0, 500)
    bounds    the lowest and highest value, in place of those of the named metric; one of them may be infinite; given
              here or in metric, not in both
    minimise  True where lower is better; default as for the named metric, and False without a name
    names     of the runs, for messages and tables
    check     warn of each run that is unusual (in_prior), or that goes the wrong way
    weights   "released" (the model of release 0.2, the default), "planned" (the default where a schedule is given),
              "scaling" (that of scale="log"), "paper-prior" (that of 0.1, with the sources alone), or a .safetensors file
    finished  finished runs of the same kind, a list of values for each; the intervals are calibrated on them; without
              any, those of a smooth run are narrowed by its own record
    finished_steps   the steps of the finished runs, in the form of `steps`; needed if `steps` is given
    scale     "log" for scaling curves: values over decades of steps, tokens, data or parameters; the forecast then also
              estimates `limit` and `exponent` of the law; default horizon twice as far as each curve has come
    schedule  the planned learning rate: "constant", "linear" or "cosine" (to zero at the horizon), the steps at which it
              changes [(1, 0.1), (81, 0.01)], a rate for each epoch up to the horizon, or a function of the step; the
              unit means nothing; finished runs have had the same; weights other than "planned" must be trained for it

    Returns a Forecast for one run, and Forecasts, a list of them, for many.
    """
    values, steps, names = of_table(values, steps, names)
    runs, many = runs_of(values)
    each, shared = steps_of(steps, len(runs), many)
    labels = names_of(names, len(runs))
    told = metric_of(metric, bounds, minimise)
    places = [printable(label) if many else "the run" for label in labels]
    seen = [clean(run, own, shared, place) for run, own, place in zip(runs, each, places, strict=True)]
    ended = given(() if finished is None else finished, finished_steps, steps is not None)
    demand(scale in ("linear", "log"), f"scale is {scale!r}: take 'linear' or 'log'")
    log = scale == "log"
    demand(not (log and ended), "finished runs calibrate no forecast with scale='log': leave them out")
    plan = schedule_of(schedule)
    named = weights or ("scaling" if log else "planned" if plan else "released")
    network = shipped.load(weights if named == "released" else named)
    way = "scaling curves: give" if network.scaling else "runs of epochs: leave out"
    demand(network.scaling == log, f"the weights {weights!r} are for {way} scale='log' (--log-steps)")
    unknown = f"the weights {named!r} know no schedule: leave one of the two out"
    demand(plan is None or network.reads_plans, unknown)
    forecasts = _forecast(seen, labels, horizon, told, network, ended, log, plan)
    if check:
        _warn(forecasts, seen, ended, told)
    return forecasts if many else forecasts[0]


def _forecast(
    seen: list[Seen], labels: list[str], horizon: float | None, metric: Metric, network: shipped.Shipped,
    ended: FinishedRuns, log: bool, plan: Schedule | None,
) -> Forecasts:  # fmt: skip
    """All runs of a call go to the same horizon; scaling curves without one each to their own."""
    steps, scale_of, kind = (
        (log_steps, LogDistance, ScalingForecast) if log else (linear_steps, Scale, Forecast)
    )
    if ended and horizon is None:
        last = max(float(run.steps[-1]) for run in seen)
        ends_at = f"the shortest finished run ends at step {ended.end:.12g}, before the last step {last:.12g}"
        demand(last <= ended.end, f"{ends_at} that was observed: leave it out, or give a horizon")
    ends = [ended.end] if ended else [steps.default_horizon(run.steps, run.axis) for run in seen]
    if horizon is not None:
        ends = [number(horizon, "the horizon")]
    elif not log:
        ends = [max(ends)]
    ends = ends * (len(seen) // len(ends))
    places = [printable(label) for label in labels]  # as they may go to a terminal
    known = list(zip(seen, places, ends, strict=True))
    axes = [steps.epochs(run.steps, run.axis, end, place) for run, place, end in known]
    scales: list[Any] = [scale_of.of(metric, run.values, place) for run, place, _ in known]
    beginnings = []
    for at, scale, (run, place, _) in zip(axes, scales, known, strict=True):
        began = run.steps[at.kept]
        rates = plan.shares(began, at.ahead, run.axis, place) if plan and len(at.ahead) else None
        beginnings.append(Beginning(at.x, scale.to(run.values[at.kept]), at.x_ahead, rates))
    going = [i for i, at in enumerate(axes) if len(at.ahead)]
    records = [] if log else track_record.scores(network.network, [one.points for one in beginnings])
    own = None if log else track_record.own_levels(records)
    rows = dict(
        zip(going, ask(network.network, [beginnings[i] for i in going], own and own[going]), strict=True)
    )
    forecasts = Forecasts()
    for i, (label, run, at, scale) in enumerate(zip(labels, seen, axes, scales, strict=True)):
        start, row = beginnings[i], rows.get(i)
        levels, finished = ended.levels(network.network, metric, ends[0], start, row, plan)
        measured = run.steps, run.values, at.ahead, at.thinned
        record = None if log else records[i]
        forecasts.append(kind(label, *measured, scale, start, row, network, record, levels, finished))
    return forecasts


def _warn(forecasts: Forecasts, seen: list[Seen], ended: FinishedRuns, metric: Metric) -> None:
    """Of runs that are unlike the curves of the training, or unlike those that have finished."""
    by_number = {i: run.seen for i, run in zip(ended.numbers, ended.runs, strict=True)}
    for one, own in zip(forecasts, seen, strict=True):
        one._doubts = doubts.of_finished(by_number, own, metric.minimise)
        for text in one.warnings:
            warnings.warn(f"{printable(one.name)}: {text}", Unlike, stacklevel=3)

"""`curvecast forecast`: from a file of runs to a table, JSON, bands or a picture."""

import argparse
import contextlib
import json
import math
import os
import sys
import warnings

import numpy as np
from tqdm import tqdm

from curvecast import direction, runs, watch, written
from curvecast.epochs import axis, default_horizon
from curvecast.errors import UserError
from curvecast.forecasted import Forecast
from curvecast.forecasting import Unlike
from curvecast.forecasting import forecast as forecast_runs
from curvecast.many import Forecasts
from curvecast.runs import Run, printable

DAY = 86_400  # seconds
AT_ONCE = 25  # runs between two moves of the progress bar
BLOCKS = "▁▂▃▄▅▆▇█"


def forecast(options: argparse.Namespace) -> None:
    if options.output:
        written.check(options.output, options.file)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a name shows a ?
    if options.watch is None:
        _once(options)
        return
    if options.file == "-":
        raise UserError("standard input cannot be watched: give a file")
    if not os.path.exists(options.file):  # Path.exists() raises where a name is too long
        name = printable(options.file, 200)
        raise UserError(f"there is no file {name} to watch: check the name, or make it first")
    if not 0 < options.watch < DAY:
        raise UserError(
            f"--watch {options.watch:g}: give the seconds between two looks, such as 2, and less than a day"
        )
    with contextlib.suppress(KeyboardInterrupt):  # the usual end
        for _ in watch.changes(options.file, options.watch):
            if sys.stdout.isatty():
                print("\033[H\033[2J", end="")
            try:
                _once(options)
            except UserError as error:  # a line may be half written: the next look will tell
                print(f"curvecast: {error}", file=sys.stderr)
            sys.stdout.flush()


def _once(options: argparse.Namespace) -> None:
    if options.file == "-" and sys.stdin.isatty():
        raise UserError("give a file, or pipe one in: curvecast forecast --help has examples")
    found = runs.read(
        options.file, run=options.run, step=options.step, value=options.value, sep=options.sep, decimal=options.decimal
    )  # fmt: skip
    if not (options.metric or options.bounds or options.minimise is not None):
        direction.ask([run.what for run in found], [run.name for run in found])
    forecasts = forecast_all(found, options)
    told = tell(forecasts, options.beat)
    if options.best:
        wins = forecasts.wins()
        told = [run | {"prob_best": float(win)} for run, win in zip(told, wins, strict=True)]
        order = np.argsort(-wins, kind="stable")
        forecasts, told = Forecasts(forecasts[i] for i in order), [told[i] for i in order]
    if options.output:
        written.write(options.output, forecasts, told)
    print(json.dumps({"runs": told}, allow_nan=False) if options.json else table(forecasts, told))


def forecast_all(found: list[Run], options: argparse.Namespace) -> Forecasts:
    """All to the same horizon, with a progress bar where it takes long."""
    end = options.horizon
    if end is None:
        every = [np.array(with_holes(run)[0]) for run in found]
        end = max(default_horizon(steps, axis(steps)) for steps in every)
    forecasts = Forecasts()
    with warnings.catch_warnings(), tqdm(total=len(found), unit=" runs", disable=_quiet(len(found))) as bar:
        warnings.simplefilter("ignore", Unlike)  # the table says it
        how = {"bounds": _bounds(options.bounds), "minimise": options.minimise, "weights": options.weights}
        for start in range(0, len(found), AT_ONCE):
            some = found[start : start + AT_ONCE]
            steps, values = zip(*map(with_holes, some), strict=True)
            names = [run.name for run in some]
            forecasts += forecast_runs(values, steps, end, options.metric or "accuracy", names=names, **how)
            bar.update(len(some))
    return forecasts


def with_holes(run: Run) -> tuple[list[float], list[float | None]]:
    """All steps of the file up to the run's last value, and its values there, None where it has none."""
    known = dict(zip(run.steps, run.values, strict=True))
    steps = sorted({step for step in run.rows if step <= run.steps[-1]})
    return steps, [known.get(step) for step in steps]


def _bounds(told: list[float | None] | None) -> tuple[float, float] | None:
    """None is no bound on that side."""
    if told is None:
        return None
    low, high = told
    return -math.inf if low is None else low, math.inf if high is None else high


def _quiet(n: int) -> bool | None:
    """None: a bar on a terminal only."""
    return True if n <= AT_ONCE else None


def tell(forecasts: Forecasts, beat: float | None) -> list[dict]:
    """What JSON says of each run."""
    target = forecasts.best if beat is None else beat
    low, high = forecasts[0].bounds
    if not (math.isfinite(target) and low <= target <= high):
        raise UserError(
            f"--beat {target:g}: give a number from {low:g} to {high:g}, the bounds of the metric"
        )
    return [run.to_dict() | {"prob_beats_best": run.prob_beats(target)} for run in forecasts]


def table(forecasts: Forecasts, told: list[dict]) -> str:
    """One line a run, and below what there is to warn of."""
    head = ["run", "seen", "last", "at the horizon", "nine in ten", "beats", "in_prior", ""]
    lines = [[*_cells(run, one), sparkline(run)] for run, one in zip(forecasts, told, strict=True)]
    if "prob_best" in told[0]:
        head.insert(1, "is best")
        for line, one in zip(lines, told, strict=True):
            line.insert(1, percent(one["prob_best"]))
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    shown = ["  ".join(cell.ljust(w) if i in (0, len(head) - 1) else cell.rjust(w)
             for i, (cell, w) in enumerate(zip(line, widths, strict=True))).rstrip() for line in [head, *lines]]  # fmt: skip
    notes = [
        f"{printable(run.name)}: {text}"
        for run, one in zip(forecasts, told, strict=True)
        for text in one["warnings"]
    ]
    horizon = max((run.steps[-1] for run in forecasts if len(run.steps)), default=None)
    foot = (
        []
        if horizon is None
        else [
            f"The horizon is step {horizon:g}; “beats”: the chance to beat the best value so far, or --beat."
        ]
    )
    return "\n".join([*shown, *(["", *foot] if foot else []), *(["", *notes] if notes else [])])


def _cells(run: Forecast, one: dict) -> list[str]:
    seen = [printable(run.name), str(len(run.observed)), f"{run.observed[-1]:.4g}"]
    if not len(run.steps):
        return [*seen, "has ended", "", "", _share(one["in_prior"])]
    ahead = [
        f"{run.median[-1]:.4g}",
        f"{one['q05'][-1]:.4g} to {one['q95'][-1]:.4g}",
        percent(one["prob_beats_best"]),
    ]
    return [*seen, *ahead, _share(one["in_prior"])]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"


def percent(chance: float) -> str:
    if 0 < chance < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < chance < 1 else f"{100 * chance:.0f} %"


def sparkline(run: Forecast, seen: int = 12, ahead: int = 8) -> str:
    """What was seen, a bar, and the median of what comes, on one scale."""
    parts = [_thin(run.observed, seen), _thin(run.median, ahead)]
    both = np.concatenate(parts)
    low, spread = both.min(), max(float(np.ptp(both)), 1e-12)
    text = ["".join(BLOCKS[int(7.999 * (v - low) / spread)] for v in part) for part in parts]
    return "│".join(text)


def _thin(values: np.ndarray, n: int) -> np.ndarray:
    if len(values) <= n:
        return values
    return values[np.linspace(0, len(values) - 1, n).round().astype(int)]
